//! What a scan found, as text for another process, which has the same rules. Nothing is lost, and the same gives the same text.

use std::borrow::Cow;

use capdex_corpus::drift::Pins;
use capdex_model::capability::Capability;
use capdex_model::capability::Kind;
use capdex_model::fact::Fact;
use capdex_model::facts::{Exceptions, OutcomeRow, SparseFacts};
use capdex_model::rule::RuleIndex;
use capdex_model::snapshot::Completeness;
use capdex_model::surface::SurfaceInventory;
use serde::{Deserialize, Serialize};

use crate::packed::{parse, written};
use crate::{Scanned, StoreError};

const WHAT: &str = "result of a scan";

/// Facts as their exceptions to the defaults of the rules, which both sides have.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FactsText<'a> {
    kind: Kind,
    over_defaults: bool,
    told: Cow<'a, [Cow<'a, Fact>]>,
    silent: Cow<'a, [OutcomeRow<'a>]>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScannedText<'a> {
    capability: Cow<'a, Capability>,
    pins: Cow<'a, Pins>,
    surfaces: Cow<'a, SurfaceInventory>,
    facts: FactsText<'a>,
    completeness: Cow<'a, Completeness>,
}

/// The text of what was found.
pub fn scanned_text(scanned: &[Scanned]) -> Result<String, StoreError> {
    let texts: Vec<ScannedText<'_>> = scanned
        .iter()
        .map(|one| {
            let Exceptions { kind, over_defaults, facts, outcomes } = one.facts.exceptions();
            ScannedText {
                capability: Cow::Borrowed(&one.capability),
                pins: Cow::Borrowed(&one.pins),
                surfaces: Cow::Borrowed(&one.surfaces),
                facts: FactsText { kind, over_defaults, told: facts.into(), silent: outcomes.into() },
                completeness: Cow::Borrowed(&one.completeness),
            }
        })
        .collect();
    written(&texts, WHAT)
}

/// What [`scanned_text`] was given. [`StoreError::Corrupt`] for any other text.
pub fn scanned_of_text(text: &str, rules: &'static RuleIndex) -> Result<Vec<Scanned>, StoreError> {
    let texts: Vec<ScannedText<'_>> = parse(text, WHAT)?;
    let restore = |text: ScannedText<'_>| {
        let FactsText { kind, over_defaults, told, silent } = text.facts;
        let exceptions = Exceptions { kind, over_defaults, facts: told.into_owned(), outcomes: silent.into_owned() };
        Scanned {
            capability: text.capability.into_owned(),
            pins: text.pins.into_owned(),
            surfaces: text.surfaces.into_owned(),
            facts: SparseFacts::restore(exceptions, rules.defaults(), rules),
            completeness: text.completeness.into_owned(),
        }
    };
    Ok(texts.into_iter().map(restore).collect())
}
