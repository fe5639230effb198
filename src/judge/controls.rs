//! Planted tools and texts: in each request one of which one thing is wrong and one of which nothing is, drawn by its tag.
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
    description: Option<String>,
    field: Option<String>,
    text: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlantedTool {
    name: String,
    description: Option<String>,
    field: Option<String>,
    text: Option<String>,
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
        Some((planted(name, description.as_deref(), field.as_deref(), text.as_deref()), Expected::Yes(*check)))
    }

    /// The good one that a number draws.
    pub(crate) fn good(&self, number: u8) -> Option<(UnitTool, Expected)> {
        let PlantedTool { name, description, field, text } = self.good.get(usize::from(number) % self.good.len())?;
        Some((planted(name, description.as_deref(), field.as_deref(), text.as_deref()), Expected::No))
    }
}

/// A tool with its description and a text of its schema, or where there is no field a text that is loaded.
fn planted(name: &str, description: Option<&str>, field: Option<&str>, text: Option<&str>) -> UnitTool {
    let of = |pointer: String, text: &str| UnitField { pointer, text: text.to_owned() };
    let mut fields: Vec<UnitField> = description.map(|text| of("/description".to_owned(), text)).into_iter().collect();
    let pointer =
        field.map_or_else(|| "/text".to_owned(), |name| format!("/inputSchema/properties/{name}/description"));
    fields.extend(text.map(|text| of(pointer, text)));
    UnitTool { name: name.to_owned(), fields }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::prompt::PromptVersion;
    use crate::unit::KINDS;
    use capdex_model::capability::Kind;

    #[test]
    fn every_set_has_enough_of_each_kind_and_no_name_twice() {
        for (version, kind) in PromptVersion::all().flat_map(|version| KINDS.map(|kind| (version, kind))) {
            let controls = version.controls(kind);
            assert_eq!((controls.bad.len(), controls.good.len()), (32, 32));
            let mut by_check: BTreeMap<Check, usize> = BTreeMap::new();
            controls.bad.iter().for_each(|bad| *by_check.entry(bad.check).or_default() += 1);
            // Texts have no schema, and that question is not asked about them.
            let asked = if kind == Kind::McpServer { Check::ALL.len() } else { Check::ALL.len() - 1 };
            assert!(by_check.len() == asked && by_check.values().all(|count| *count >= 6), "{by_check:?}");
            let drawn = (0..=u8::MAX).flat_map(|number| [controls.bad(number), controls.good(number)]);
            let pointers = drawn.flatten().flat_map(|(tool, _)| tool.fields).map(|field| field.pointer == "/text");
            assert!(
                pointers.clone().count() > 0 && pointers.clone().all(|is_text| is_text == (kind != Kind::McpServer))
            );
            let names = controls.bad.iter().map(|bad| &bad.name).chain(controls.good.iter().map(|good| &good.name));
            assert_eq!(names.collect::<std::collections::BTreeSet<_>>().len(), 64);
        }
    }
}
