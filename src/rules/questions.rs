//! Questions: what checks look for in the whole text of a skill, as `questions/<topic>.toml` says it.
//!
//! A table `[name]` of `topic.toml` is the question `TOPIC_NAME`; any of its expressions answers it.

use crate::pattern::Question;

include!(concat!(env!("OUT_DIR"), "/questions.rs"));
