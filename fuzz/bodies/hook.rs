//! An event is an object that names a session, however its bytes trickle in.

use boardsync::internals::agent::Payload;
use std::io::Read;

pub fn run(data: &[u8]) {
    let whole = Payload::read(data, None).map_err(|error| error.to_string());
    let trickled = Payload::read(OneByOne(data), None).map_err(|error| error.to_string());
    assert_eq!(trickled, whole, "reads of one byte say something else");
    match whole {
        Ok(event) => {
            let json = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
            assert!(json.trim_ascii_start().starts_with(b"{"), "not an object");
            assert!(!event.session_id.trim().is_empty(), "a session of no name");
            let more = [data, b"}, and more"].concat();
            assert_eq!(
                Payload::read(&*more, None).ok(),
                Some(event),
                "the end is read"
            );
        }
        Err(why) => assert!(!why.contains('\n'), "not one line: {why:?}"),
    }
}

struct OneByOne<'a>(&'a [u8]);

impl Read for OneByOne<'_> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let end = to.len().min(1);
        self.0.read(&mut to[..end])
    }
}
