//! How a protocol is put before the checker: steps in, states counted, a verdict out.

use std::fmt::{self, Debug};
use std::hash::Hash;
use std::time::Instant;

use stateright::{Checker, Expectation, HasDiscoveries, Model};

/// One atomic step of one party, with the state of the world after it.
///
/// The step is applied where it is found, so each rule of the protocol is written once.
#[derive(Clone, PartialEq)]
pub struct Action<S> {
    pub who: &'static str,
    pub what: &'static str,
    pub next: S,
}

impl<S> Debug for Action<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:8} {}", self.who, self.what)
    }
}

/// The steps that one party can take from one state.
pub struct Steps<'a, S> {
    pub who: &'static str,
    pub state: &'a S,
    pub out: &'a mut Vec<Action<S>>,
}

impl<S: Clone> Steps<'_, S> {
    /// Offers one step: its name in the code, and what it changes.
    pub fn step(&mut self, what: &'static str, change: impl FnOnce(&mut S)) {
        let mut next = self.state.clone();
        change(&mut next);
        self.out.push(Action {
            who: self.who,
            what,
            next,
        });
    }
}

/// Maps a world to one that differs only in who is who.
pub type Symmetry<S> = fn(&S) -> S;

/// A protocol together with the bounds within which it is explored.
pub trait Protocol:
    Model<State = Self::World, Action = Action<Self::World>> + Send + Sync + 'static
{
    type World: Clone + Debug + Hash + PartialEq + Send + Sync + 'static;

    /// Where the parties are alike, worlds that differ only in who is who are explored once.
    fn symmetry(&self) -> Option<Symmetry<Self::World>> {
        None
    }
}

/// Explores everything, prints how much that was, and asserts every property.
pub fn holds<P: Protocol>(name: &str, protocol: P) {
    holds_except(name, protocol, &[]);
}

/// Explores everything, and asserts that of all properties these do not hold, and only these.
pub fn holds_except<P: Protocol>(name: &str, protocol: P, exceptions: &[&'static str]) {
    let start = Instant::now();
    let symmetry = protocol.symmetry();
    let checker = match symmetry {
        Some(representative) => protocol.checker().symmetry_fn(representative),
        None => protocol.checker(),
    };
    let checker = checker.spawn_dfs().join();
    println!(
        "{name}: {} unique states, {} steps, {:.1?}",
        checker.unique_state_count(),
        checker.state_count(),
        start.elapsed()
    );
    for property in checker.model().properties() {
        let expected =
            property.expectation == Expectation::Sometimes || exceptions.contains(&property.name);
        if expected {
            checker.assert_any_discovery(property.name);
        } else {
            checker.assert_no_discovery(property.name);
        }
    }
}

/// Asserts that `property` does not hold, and prints a short run that shows it.
pub fn breaks<P: Protocol>(name: &str, protocol: P, property: &'static str) {
    let checker = protocol
        .checker()
        .finish_when(HasDiscoveries::AnyOf([property].into()))
        .spawn_bfs()
        .join();
    let run = checker.assert_any_discovery(property);
    println!(
        "{name}: not `{property}`, after {} unique states:",
        checker.unique_state_count()
    );
    for action in run.into_actions() {
        println!("  {action:?}");
    }
}
