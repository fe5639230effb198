//! `Voice`: who is spoken to at a place of a text.

use serde::{Deserialize, Serialize};

/// Who is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Voice {
    /// An agent: instructions, the surfaces of a server, the settings and manifests of a client.
    Agent,
    /// A machine: code that can run, and what configures it.
    Program,
    /// People: READMEs, changelogs, guides.
    Human,
    /// Nobody: manuals, samples, data sets, tests that nothing loads, comments, lists of what is refused.
    Data,
}
