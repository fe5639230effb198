//! What a person can do about an error that the system or the store made: the words behind the error itself.
//!
//! Errors of wrong usage say it themselves.

use std::io::{self, ErrorKind};

use capdex_db::StoreError;

use crate::exit::is_wrong_usage;

/// What to do about an error that ends a command; none where the error says it, or where nobody knows.
pub fn of(error: &anyhow::Error) -> Option<&'static str> {
    if is_wrong_usage(error) {
        return None;
    }
    let of_store = error.chain().find_map(|cause| cause.downcast_ref::<StoreError>()?.remedy());
    of_store.or_else(|| error.chain().find_map(|cause| of_system(cause.downcast_ref::<io::Error>()?)))
}

/// An error of the system with what to do about it.
pub fn told(error: &io::Error) -> String {
    match of_system(error) {
        Some(advice) => format!("{error}; {advice}"),
        None => error.to_string(),
    }
}

fn of_system(error: &io::Error) -> Option<&'static str> {
    Some(match error.kind() {
        ErrorKind::NotFound => "check the path, and that its folder is there",
        ErrorKind::PermissionDenied => "this user has no right to it: change its rights, or name another place",
        ErrorKind::ReadOnlyFilesystem => "nothing can be written there: name another place",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room there, or name another place",
        ErrorKind::IsADirectory => "it is a folder: name a file",
        ErrorKind::NotADirectory => "a part of the path is a file: check the path",
        ErrorKind::InvalidData => "it has to be text in UTF-8",
        ErrorKind::AddrInUse => "name another port with --listen, or end what listens there",
        ErrorKind::AddrNotAvailable => "name an address of this machine with --listen",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::*;
    use crate::exit::usage;

    #[test]
    fn errors_of_system_and_store_have_an_advice_and_those_of_usage_their_own() {
        let full = || io::Error::from(ErrorKind::StorageFull);
        let error = Err::<(), _>(full()).context("failed to write x").expect_err("an error");
        assert_eq!(of(&error), Some("make room there, or name another place"));
        let error = anyhow::Error::new(StoreError::Locked { path: "x.db".into() }).context("failed to open the store");
        assert!(of(&error).is_some_and(|advice| advice.contains("--db")), "{error:#}");
        assert_eq!(of(&usage(told(&full()))), None, "it stands in its text");
        assert_eq!(of(&anyhow::anyhow!("something else")), None);
        assert_eq!(told(&io::Error::other("odd")), "odd");
    }
}
