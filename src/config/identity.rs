//! The `[identity]` table of a schedule: the operator's word on which listings are one thing.

use std::path::PathBuf;

use capdex_corpus::identity::Overrides;
use serde::Deserialize;

use super::keys::{NONE, keys};
use crate::exit::usage;

keys! {
    /// The operator's word on which listings are one thing.
    #[derive(Clone, Debug, Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct IdentitySection {
        /// A TOML file by which the operator joins or parts listings, see below; its path as seen from the working folder.
        #[key(default = NONE, example = r#""identity.toml""#)]
        pub overrides: Option<PathBuf>,
    }
}

impl IdentitySection {
    /// The decisions of the operator's file; none without one.
    ///
    /// # Errors
    /// Wrong configuration: a file that cannot be read, or that decides nothing that can be understood.
    pub(super) fn overrides(&self) -> anyhow::Result<Overrides> {
        let Some(path) = &self.overrides else { return Ok(Overrides::default()) };
        let wrong = |error: &dyn std::fmt::Display| {
            let text = error.to_string();
            // Errors of the parser have several lines, and a message of usage has one.
            let line = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
            usage(format!("identity.overrides, {}: {line}", path.display()))
        };
        let text = std::fs::read_to_string(path).map_err(|error| wrong(&error))?;
        Overrides::read(&text).map_err(|error| wrong(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: Option<&str>) -> Result<Overrides, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("overrides.toml");
        if let Some(text) = text {
            std::fs::write(&path, text).expect("written");
        }
        IdentitySection { overrides: Some(path) }.overrides().map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn a_file_that_is_missing_or_wrong_is_wrong_configuration() {
        assert_eq!(IdentitySection::default().overrides().expect("nothing"), Overrides::default());
        let decided = read(Some("[[part]]\nlistings = [\"npm:a\"]\nreason = \"x\"\n")).expect("read");
        assert_eq!(decided.part.len(), 1);
        assert!(read(None).expect_err("missing").contains("overrides.toml"));
        assert!(read(Some("[[split]]\n")).expect_err("wrong").contains("split"));
    }
}
