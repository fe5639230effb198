//! The `[approved]` table of a schedule: the operator's own list of what may be used.

use capdex_model::approved::ApprovedNames;
use serde::Deserialize;

use super::keys::keys;

keys! {
    /// The operator's own list of what may be used. Everything else has a finding of severity low (`name-not-approved`, SpiderRating's
    /// TS-W011); without the table nothing has. `check` and `mcp` take it from their `--config` too.
    #[derive(Clone, Debug, Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct ApprovedSection {
        /// Packages and listings as capdex prints them; `*` stands for any text. An empty list approves nothing.
        #[key(default = "no list", example = r#"["npm:@acme/*", "github:acme/tools"]"#)]
        pub names: Option<Vec<String>>,
    }
}

impl ApprovedSection {
    /// The list.
    pub fn list(&self) -> ApprovedNames {
        ApprovedNames::of(self.names.clone())
    }

    /// The list, checked.
    ///
    /// # Errors
    /// The key, and the name that has no source before it.
    pub fn check(&self) -> Result<(), String> {
        let is_name =
            |name: &&String| name.split_once(':').is_some_and(|(_, rest)| !rest.is_empty()) || name.contains('*');
        let Some(name) = self.names.iter().flatten().find(|name| !is_name(name)) else { return Ok(()) };
        Err(format!("approved.names: {name:?} names no source; write it as capdex prints it, such as \"npm:{name}\""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_without_a_source_is_refused() {
        let section = |name: &str| ApprovedSection { names: Some(vec![name.to_owned()]) };
        for name in ["npm:tides", "npm:@acme/*", "*"] {
            assert_eq!(section(name).check(), Ok(()), "{name}");
        }
        for name in ["tides", "npm:", ""] {
            assert!(section(name).check().expect_err("refused").contains("names no source"), "{name}");
        }
    }
}
