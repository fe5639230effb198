//! The operator's own list on the command line, as `check`, `mcp`, `hook` and `init` take it.
//!
//! Must not know what a command does.

use capdex_model::approved::ApprovedNames;
use clap::Args;

use crate::config::ApprovedSection;

/// The operator's own list.
#[derive(Clone, Debug, Default, Args)]
pub struct ApprovedArgs {
    /// Your own list of what may be used, in place of the table `[approved]` of a schedule: names of packages as capdex prints
    /// them, such as `npm:@acme/*`; `*` stands for any text. Everything else has the finding `name-not-approved`. May be given
    /// several times.
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = name)]
    pub approved: Option<Vec<String>>,
}

impl ApprovedArgs {
    /// The list: the one that was given here, else that of a schedule.
    pub fn or(&self, section: &ApprovedSection) -> ApprovedNames {
        self.approved.clone().map_or_else(|| section.list(), |names| ApprovedNames::of(Some(names)))
    }

    /// The list that was given here.
    pub fn list(&self) -> ApprovedNames {
        ApprovedNames::of(self.approved.clone())
    }
}

/// A name that a list may hold.
pub(super) fn name(text: &str) -> Result<String, String> {
    ApprovedSection { names: Some(vec![text.to_owned()]) }
        .check()
        .map_err(|why| why.replace("approved.names: ", ""))?;
    Ok(text.to_owned())
}
