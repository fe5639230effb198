//! The description layer: seven signals for each tool, or the points of a SKILL.md, as five dimensions.
//!
//! Reads the values of `measure-tool-descriptions` and `measure-skill-description`; the signals are found there, the
//! numbers are here. Source: the public engine, version 0.3.4.

use serde::Deserialize;
use serde_json::Value;

use capdex_model::points::{self, Points};

use super::numbers::{Dimensions, ENGINE};

/// The measured signals of a server's tools.
#[derive(Debug, Deserialize)]
pub(super) struct Tools<'a> {
    /// One entry for each tool whose description could be read.
    #[serde(borrow)]
    pub(super) tools: Vec<ToolSignals<'a>>,
}

/// The measured signals of one tool.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct ToolSignals<'a> {
    #[serde(default)]
    pub(super) name: &'a str,
    pub(super) action_verb: bool,
    pub(super) scenario: bool,
    pub(super) parameters: bool,
    pub(super) returns: bool,
    pub(super) examples: bool,
    pub(super) errors: bool,
    /// Code points.
    pub(super) length: u64,
    /// The largest share of words with a sibling tool, as (common, of the smaller set).
    pub(super) overlap: Option<(u64, u64)>,
    /// (unique words with content, unique words longer than one letter, unique words, words); none for short texts.
    pub(super) density: Option<(u64, u64, u64, u64)>,
}

/// The measured signals of a SKILL.md.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct SkillSignals {
    title: bool,
    purpose: bool,
    verb: bool,
    requirements: bool,
    binaries: bool,
    file_access: bool,
    effects: bool,
    undo: bool,
    examples: bool,
    limits: bool,
    steps: bool,
    scope: bool,
    when: bool,
    length: u64,
}

/// The five dimensions of a server, from the value of the measure; none where it holds no tool.
pub(super) fn of_tools(value: &Value) -> Option<Dimensions> {
    of_signals(&tools_of(value))
}

/// The tools of the value of the measure.
pub(super) fn tools_of(value: &Value) -> Vec<ToolSignals<'_>> {
    // An unreadable value is no tool, and the layer then has no data.
    Tools::deserialize(value).map(|measured| measured.tools).unwrap_or_default()
}

/// The five dimensions of a server's tools; none without tools.
pub(super) fn of_signals(tools: &[ToolSignals<'_>]) -> Option<Dimensions> {
    if tools.is_empty() {
        return None;
    }
    let count = tools.len() as f64;
    let share = |has: fn(&ToolSignals<'_>) -> bool| tools.iter().filter(|tool| has(tool)).count() as f64 / count;
    let alone = tools.len() == 1;
    // Rounded before the mean is taken, as the engine does; the last decimal depends on it.
    let disambiguation: f64 = tools.iter().map(|tool| round(disambiguation(tool, alone), 2)).sum::<f64>() / count;
    let mean: f64 = tools.iter().map(|tool| tool_score(tool, alone)).sum::<f64>() / count;
    let mapping = &ENGINE.mapping;
    let intent = share(|tool| tool.action_verb) * mapping.intent_action_verb
        + share(|tool| tool.scenario) * mapping.intent_scenario;
    let capability =
        share(|tool| tool.examples) * mapping.capability_examples + disambiguation * mapping.capability_disambiguation;
    Some(Dimensions {
        intent_clarity: intent * 10.0,
        permission_scope: share(|tool| tool.parameters) * 10.0,
        // The engine gives every server a floor here, so that only the top is cut.
        side_effects: (share(|tool| tool.errors) * 10.0 + mapping.side_effects_floor).min(10.0),
        capability_disclosure: capability * 10.0,
        operational_boundaries: mean,
    })
}

/// The score of one tool between 0 and 10, one decimal. `alone` where the server has no other.
pub(super) fn tool_score(tool: &ToolSignals<'_>, alone: bool) -> f64 {
    let weights = &ENGINE.signals;
    let worth = |has: bool, weight: f64| if has { weight } else { 0.0 };
    let raw = worth(tool.action_verb, weights.action_verb)
        + worth(tool.scenario, weights.scenario)
        + worth(tool.parameters, weights.parameters)
        + worth(tool.returns, weights.returns)
        + worth(tool.examples, weights.examples)
        + worth(tool.errors, weights.errors)
        + disambiguation(tool, alone) * weights.disambiguation
        + length_factor(tool.length) * weights.length;
    round((raw * density_factor(tool.density)).min(10.0), 1)
}

/// The distance of a tool from its siblings, between 0 and 1.
pub(super) fn disambiguation(tool: &ToolSignals<'_>, alone: bool) -> f64 {
    let numbers = &ENGINE.tool;
    if alone {
        return numbers.single_tool_disambiguation;
    }
    match tool.overlap {
        Some((common, of)) if of > 0 => {
            let overlap = common as f64 / of as f64;
            // Siblings of one server share words by nature; only more than that blurs them.
            if overlap > numbers.overlap_tolerated { (1.0 - overlap).max(0.0) } else { 1.0 }
        }
        _ => 1.0,
    }
}

fn length_factor(length: u64) -> f64 {
    let numbers = &ENGINE.tool;
    // The steps stand shortest first: the first that is not reached decides.
    let short = numbers.lengths.iter().find(|(below, _)| length < *below);
    let long = if length > numbers.long { numbers.long_factor } else { 1.0 };
    short.map_or(long, |(_, factor)| *factor)
}

fn density_factor(density: Option<(u64, u64, u64, u64)>) -> f64 {
    let numbers = &ENGINE.tool;
    // Short texts have no measured density and are not judged by it.
    let Some((content, long, unique, words)) = density else { return 1.0 };
    if long == 0 || words == 0 {
        return numbers.density_floor;
    }
    // The worse of both: filler words and repetition are two ways to pad a text.
    let combined = (content as f64 / long as f64).min(unique as f64 / words as f64);
    let reached = numbers.densities.iter().find(|(least, _)| combined >= *least);
    reached.map_or(numbers.density_floor, |(_, factor)| *factor)
}

/// The five dimensions of a skill, from the value of the measure.
pub(super) fn of_skill(value: &Value) -> Option<Dimensions> {
    let signals = SkillSignals::deserialize(value).ok()?;
    let points = &ENGINE.skill;
    let worth = |has: bool, points: f64| if has { points } else { 0.0 };
    let effects = if signals.effects { points.effects } else { points.no_effects };
    let length = (signals.length as f64 / points.length_divisor).min(points.length_points);
    Some(Dimensions {
        intent_clarity: worth(signals.title, points.title)
            + worth(signals.purpose, points.purpose)
            + worth(signals.verb, points.verb),
        permission_scope: worth(signals.requirements, points.requirements)
            + worth(signals.binaries, points.binaries)
            + worth(signals.file_access, points.file_access),
        side_effects: (effects
            + worth(signals.undo, points.undo)
            + worth(signals.length > points.long_enough, points.long_enough_points))
        .min(10.0),
        capability_disclosure: worth(signals.examples, points.examples)
            + worth(signals.limits, points.limits)
            + worth(signals.steps, points.steps),
        operational_boundaries: worth(signals.scope, points.scope) + worth(signals.when, points.when) + length,
    })
}

/// The layer: the weighted dimensions, one decimal.
pub(super) fn composite(values: &Dimensions, weights: &Dimensions) -> Points {
    let sum = values.intent_clarity * weights.intent_clarity
        + values.permission_scope * weights.permission_scope
        + values.side_effects * weights.side_effects
        + values.capability_disclosure * weights.capability_disclosure
        + values.operational_boundaries * weights.operational_boundaries;
    Points::round_from(round(sum.clamp(0.0, 10.0), 1))
}

/// Rounds to some decimals, half to even on the exact binary value, as the reference does.
pub(super) fn round(value: f64, decimals: u32) -> f64 {
    match points::rounded(value, decimals).zip(points::scale(decimals)) {
        // The quotient of two whole numbers is the float nearest to it, as the parsed text of it is.
        Some((units, scale)) => (units as f64 / scale as f64).copysign(value),
        None => format!("{value:.*}", decimals as usize).parse().unwrap_or(0.0),
    }
}
