//! Planted tools: in each request one of which one thing is wrong and one of which nothing is, drawn by its tag.
//!
//! An order in a stranger's text that turns the answers turns these too. Every set stays in the program, so that answers of before
//! can be read.

use serde::Deserialize;

use crate::check::Check;
use crate::unit::{UnitField, UnitTool};

/// The planted tools of one version of the prompt.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Controls {
    bad: Vec<BadControl>,
    good: Vec<PlantedTool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BadControl {
    check: Check,
    name: String,
    description: String,
    field: Option<String>,
    text: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlantedTool {
    name: String,
    description: String,
    field: String,
    text: String,
}

/// What a planted tool must be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// Yes to this question.
    Yes(Check),
    /// No to all.
    No,
}

impl Controls {
    /// Reads a set.
    pub(crate) fn read(text: &str) -> Self {
        toml::from_str(text).expect("the compiled-in set parses, as tested")
    }

    /// The bad one that a number draws, with what it must be answered.
    pub(crate) fn bad(&self, number: u8) -> Option<(UnitTool, Expected)> {
        let BadControl { check, name, description, field, text } =
            self.bad.get(usize::from(number) % self.bad.len())?;
        let schema = field.as_deref().zip(text.as_deref());
        Some((tool(name, description, schema), Expected::Yes(*check)))
    }

    /// The good one that a number draws.
    pub(crate) fn good(&self, number: u8) -> Option<(UnitTool, Expected)> {
        let PlantedTool { name, description, field, text } = self.good.get(usize::from(number) % self.good.len())?;
        Some((tool(name, description, Some((field, text))), Expected::No))
    }
}

fn tool(name: &str, description: &str, schema: Option<(&str, &str)>) -> UnitTool {
    let field = |pointer: String, text: &str| UnitField { pointer, text: text.to_owned() };
    let mut fields = vec![field("/description".to_owned(), description)];
    let below = |name: &str| format!("/inputSchema/properties/{name}/description");
    fields.extend(schema.map(|(name, text)| field(below(name), text)));
    UnitTool { name: name.to_owned(), fields }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::prompt::PromptVersion;

    #[test]
    fn every_set_has_enough_of_each_kind_and_no_name_twice() {
        for version in PromptVersion::all() {
            let controls = version.controls();
            assert_eq!((controls.bad.len(), controls.good.len()), (32, 32));
            let mut by_check: BTreeMap<Check, usize> = BTreeMap::new();
            controls.bad.iter().for_each(|bad| *by_check.entry(bad.check).or_default() += 1);
            assert!(by_check.len() == Check::ALL.len() && by_check.values().all(|count| *count >= 6), "{by_check:?}");
            let names = controls.bad.iter().map(|bad| &bad.name).chain(controls.good.iter().map(|good| &good.name));
            assert_eq!(names.collect::<std::collections::BTreeSet<_>>().len(), 64);
        }
    }
}
