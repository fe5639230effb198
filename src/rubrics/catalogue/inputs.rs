//! That every published code fires on its own inputs and is silent on their near misses, or that there can be none.
//!
//! The inputs are data, one file for each method: `inputs/<method>.toml`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use capdex_evidence::Evidence;
use capdex_evidence::decompose::decompose;
use capdex_evidence::subject::Subject;
use capdex_model::bundle::{Bundle, BundleFile};
use capdex_model::fact::Severity;
use capdex_model::facts::SparseFacts;
use capdex_model::listing::Claims;

use super::all;
use crate::findings::{CodedRule, Method, coded_facts};
use crate::{agentscore, mcpbundles, saferskills, spiderrating};

/// The inputs of one code.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CodeInputs {
    /// On each of these it fires.
    #[serde(default)]
    fires: Vec<Input>,
    /// On each of these it is silent.
    #[serde(default)]
    silent: Vec<Input>,
    /// Why there can be none.
    none: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    files: BTreeMap<String, String>,
    #[serde(default)]
    claims: Claims,
}

/// One method: its family, its inputs, what it reads, its severities, and the codes that come from no rule.
struct Walked {
    family: &'static str,
    inputs: &'static str,
    method: Method<'static>,
    published: fn(&str) -> Option<Severity>,
    besides: fn(&SparseFacts) -> Vec<&'static str>,
}

fn methods() -> [Walked; 4] {
    let (saferskills, of_saferskills) = saferskills::method();
    let nothing = |_: &SparseFacts| Vec::new();
    [
        Walked {
            family: "spiderrating",
            inputs: include_str!("inputs/spiderrating.toml"),
            method: spiderrating::method(),
            published: spiderrating::published,
            besides: spiderrating::codes_of_name,
        },
        Walked {
            family: "saferskills",
            inputs: include_str!("inputs/saferskills.toml"),
            method: saferskills,
            published: of_saferskills,
            besides: nothing,
        },
        Walked {
            family: "mcpbundles",
            inputs: include_str!("inputs/mcpbundles.toml"),
            method: mcpbundles::method(),
            published: mcpbundles::published,
            besides: nothing,
        },
        Walked {
            family: "agentscore",
            inputs: include_str!("inputs/agentscore.toml"),
            method: agentscore::method(),
            published: agentscore::published,
            besides: nothing,
        },
    ]
}

impl Walked {
    /// The codes that fire on an input, each with its worst severity.
    fn fired(&self, input: &Input) -> BTreeMap<&'static str, Severity> {
        let file = |(path, text): (&String, &String)| (path.clone(), BundleFile::new(text.clone().into_bytes()));
        let mut bundle = Bundle::local("folder:input", input.files.iter().map(file).collect());
        bundle.claims = input.claims.clone();
        let evidence = Evidence::gather(&bundle);
        let capabilities = decompose(&bundle, &evidence);
        let subject = |capability| Subject { capability, evidence: &evidence, claims: &bundle.claims, gaps: &[] };
        let mut fired = BTreeMap::new();
        for facts in capdex_rules::evaluate(&capabilities.iter().map(subject).collect::<Vec<_>>()) {
            for (fact, meta, codes) in coded_facts(&facts, self.family) {
                // Each code by itself: a rule with several codes counts under one, and answers for all.
                let each = codes.iter().map(std::slice::from_ref);
                let rules = each.filter_map(|code| CodedRule::of(meta, code, self.published, |_| 0));
                for found in rules.filter_map(|rule| rule.finding(fact, facts.kind, &self.method)) {
                    let worst = fired.entry(found.code).or_insert(found.severity);
                    *worst = found.severity.max(*worst);
                }
            }
            for code in (self.besides)(&facts) {
                fired.insert(code, (self.published)(code).unwrap_or(Severity::Medium));
            }
        }
        fired
    }
}

#[test]
fn every_published_code_fires_on_its_own_inputs_and_is_silent_on_their_near_misses() {
    let mut wrong = Vec::new();
    for walked in methods() {
        let family = walked.family;
        let inputs: BTreeMap<String, CodeInputs> = toml::from_str(walked.inputs).expect("the inputs parse");
        let catalogue = all().iter().find(|catalogue| catalogue.id == family).expect("a catalogue");
        let published: BTreeSet<&str> = catalogue.entries.iter().map(|entry| entry.code.as_str()).collect();
        let named: BTreeSet<&str> = inputs.keys().map(String::as_str).collect();
        assert_eq!(named, published, "{family}: one entry for each published code");
        for (code, CodeInputs { fires, silent, none }) in &inputs {
            if let Some(reason) = none {
                assert!(fires.is_empty() && silent.is_empty() && reason.len() > 20, "{family} {code}");
                continue;
            }
            assert!(!fires.is_empty() && !silent.is_empty(), "{family} {code}: inputs of both sorts");
            for (number, input) in fires.iter().enumerate() {
                match (walked.fired(input).get(code.as_str()), (walked.published)(code)) {
                    (None, _) => wrong.push(format!("{family} {code}: silent on its input {number}")),
                    (Some(severity), Some(published)) if *severity != published => {
                        wrong.push(format!("{family} {code}: {} on its input {number}", severity.as_str()));
                    }
                    _ => {}
                }
            }
            let fire = silent.iter().enumerate().filter(|(_, input)| walked.fired(input).contains_key(code.as_str()));
            wrong.extend(fire.map(|(number, _)| format!("{family} {code}: fires on its near miss {number}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
