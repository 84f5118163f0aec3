//! One change of a set-up: planned, shown, made, and taken back.

use super::SetupError;
use std::path::PathBuf;

/// The reversal of a change; `None` if it cannot be reverted.
pub type Revert<'a> = Option<Box<dyn FnOnce() -> Result<(), SetupError> + 'a>>;

/// One change that is left to be made.
pub struct Change<'a> {
    /// Names the kind of change, for programs.
    pub id: &'static str,
    /// Describes it, for people.
    pub what: String,
    /// The file that changes.
    pub path: PathBuf,
    /// Makes it.
    pub act: Box<dyn FnOnce() -> Result<Revert<'a>, SetupError> + 'a>,
}

/// Makes all changes, or none: if one fails, those before it are taken back.
///
/// # Errors
///
/// [`SetupError`] of the change that failed, with what could not be taken back.
pub fn make(changes: Vec<Change>) -> Result<(), SetupError> {
    let mut made = Vec::new();
    for change in changes {
        let label = format!("{} (`{}`)", change.what, change.path.display());
        match (change.act)() {
            Ok(revert) => made.push((label, revert)),
            Err(error) => return Err(take_back(error, made)),
        }
    }
    Ok(())
}

fn take_back(error: SetupError, made: Vec<(String, Revert)>) -> SetupError {
    let mut kept = Vec::new();
    let count = made.len();
    for (label, revert) in made.into_iter().rev() {
        match revert.map(|revert| revert()) {
            Some(Ok(())) => {}
            None => kept.push(label),
            Some(Err(error)) => kept.push(format!("{label}: {error}")),
        }
    }
    SetupError(match (count, kept.is_empty()) {
        (0, _) => error.0,
        (_, true) => format!("{error}; everything else was undone"),
        (_, false) => format!("{error}; these changes remain: {}", kept.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn a_failure_takes_back_what_was_made_before_it() {
        let log = RefCell::new(Vec::new());
        let change = |name: &'static str, fails: bool, reverts: bool| Change {
            id: "test",
            what: name.to_owned(),
            path: "/x".into(),
            act: Box::new({
                let log = &log;
                move || {
                    if fails {
                        return Err(SetupError("no".to_owned()));
                    }
                    log.borrow_mut().push(name);
                    Ok(reverts.then_some(Box::new(move || {
                        log.borrow_mut().retain(|made| *made != name);
                        Ok(())
                    }) as _))
                }
            }),
        };
        let error = make(vec![
            change("a", false, true),
            change("b", true, true),
            change("c", false, true),
        ]);
        assert!(log.borrow().is_empty());
        let error = error.unwrap_err().to_string();
        assert_eq!(error, "no; everything else was undone");
        let error = make(vec![change("a", false, false), change("b", true, true)]);
        let error = error.unwrap_err().to_string();
        assert_eq!(error, "no; these changes remain: a (`/x`)");
    }
}
