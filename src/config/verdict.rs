//! The `[verdict]` table of a schedule: what the operator has to say beside capdex's own verdict.

use std::path::PathBuf;

use capdex_model::ruling::OperatorPolicy;
use capdex_rubrics::operator::VOTERS;
use serde::Deserialize;

use super::keys::keys;
use crate::exit::usage;
use crate::nearest::did_you_mean;
use crate::operator;

keys! {
    /// The operator's word beside capdex's own verdict. The verdict, its ranks and all scores stay as they are.
    #[derive(Clone, Debug, Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct VerdictSection {
        /// Methods with a vote: `spiderrating`, `saferskills`, `mcpbundles`, `agentscore`. Where one of them is stricter, its band
        /// is what the operator acts on.
        #[key(default = "none", example = r#"["saferskills"]"#)]
        pub votes: Vec<String>,
        /// Documents of rulings (OpenVEX) on findings, rules and capabilities; their paths as seen from the working folder. Rulings
        /// given by `capdex rulings` count beside them.
        #[key(default = "none", example = r#"["rulings.openvex.json"]"#)]
        pub rulings: Vec<PathBuf>,
    }
}

impl VerdictSection {
    /// Votes and rulings, read.
    ///
    /// # Errors
    /// Wrong configuration: a method that is none, a file that cannot be read.
    pub fn policy(&self) -> anyhow::Result<OperatorPolicy> {
        self.check_votes()?;
        operator::named(&self.rulings, &self.votes)
    }

    /// The same of the votes alone, without reading a file.
    ///
    /// # Errors
    /// Wrong configuration: a method that is none.
    pub fn check_votes(&self) -> anyhow::Result<()> {
        let Some(method) = self.votes.iter().find(|method| !VOTERS.contains(&method.as_str())) else { return Ok(()) };
        let meant = did_you_mean(method, VOTERS);
        Err(usage(format!("verdict.votes: there is no method {method:?}{meant}; there are {}", VOTERS.join(", "))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_or_a_file_that_is_none_is_refused() {
        let votes = |votes: &[&str]| VerdictSection {
            votes: votes.iter().map(|method| (*method).to_owned()).collect(),
            rulings: Vec::new(),
        };
        assert_eq!(votes(&["saferskills"]).policy().expect("read").votes, ["saferskills"]);
        let refused = |section: VerdictSection| format!("{:#}", section.policy().expect_err("refused"));
        assert!(refused(votes(&["capdex"])).contains("verdict.votes"));
        let missing = VerdictSection { rulings: vec![PathBuf::from("no-such.json")], ..VerdictSection::default() };
        assert!(refused(missing).contains("no-such.json"));
    }
}
