//! Sessions of this host, without an agent.

use super::TestEnv;
use boardsync::Timestamp;
use boardsync::internals::session::lease::{
    Activity, Lease, Leases, ProcessScope, Processes, Proof,
};

/// A session to plant.
pub struct Session<'a> {
    env: &'a TestEnv,
    lease: Lease,
}

impl TestEnv {
    /// Makes a session of this very process in the repository `name`.
    pub fn session(&self, name: &str, id: &str) -> Session<'_> {
        let folder = self.path("src").join(name);
        let now = Timestamp::now();
        let lease = Lease {
            session_id: id.to_owned(),
            agent: "claude".to_owned(),
            title: None,
            repo: folder.clone(),
            folder,
            name: name.rsplit('/').next().unwrap().to_owned(),
            vault: self.vault(),
            board: self.board(),
            branch: None,
            started: now,
            seen: now,
            activity: Activity::Working,
            since: now,
            terminal: None,
            proof: None,
            over: None,
            last_shown: None,
            trouble: None,
        };
        let session = Session { env: self, lease };
        session.process(std::process::id())
    }
}

impl Session<'_> {
    pub fn activity(mut self, activity: Activity) -> Self {
        self.lease.activity = activity;
        self
    }

    pub fn title(mut self, title: &str) -> Self {
        self.lease.title = Some(title.to_owned());
        self
    }

    pub fn branch(mut self, branch: &str) -> Self {
        self.lease.branch = Some(branch.to_owned());
        self
    }

    pub fn trouble(mut self, trouble: &str) -> Self {
        self.lease.trouble = Some(trouble.to_owned());
        self
    }

    /// Makes everything happen at `time`.
    pub fn at(mut self, time: &str) -> Self {
        let time = Timestamp::parse(time).unwrap();
        self.lease.seen = time;
        self.lease.since = time;
        self.lease.started = time;
        self
    }

    /// Lets it live as long as the process `pid` does.
    pub fn process(mut self, pid: u32) -> Self {
        self.lease.proof = Proof::of(pid, ProcessScope::Session, &Processes::system());
        assert!(self.lease.proof.is_some(), "{pid} runs");
        self
    }

    pub fn plant(self) {
        let leases = Leases::at(&self.env.path("state/boardsync"));
        leases.write(&self.lease).unwrap();
    }
}
