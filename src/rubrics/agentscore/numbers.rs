//! AgentScore's numbers: `weights.toml` as types.
//!
//! The checks read their points here and nowhere else.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use capdex_model::fact::Severity;

use super::super::findings::Excuses;
use super::super::reads::Reads;

/// The text of the numbers file.
pub(super) const TEXT: &str = include_str!("weights.toml");

/// The numbers.
pub(super) static TABLE: LazyLock<AgentScoreNumbers> =
    LazyLock::new(|| toml::from_str(TEXT).expect("the compiled-in numbers parse, as tested"));

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentScoreNumbers {
    pub(super) checks_needed: usize,
    pub(super) allowed_from: i64,
    pub(super) risk: BTreeMap<CheckRisk, i64>,
    pub(super) code: Code,
    pub(super) abuse: Abuse,
    pub(super) deployer: Deployer,
    pub(super) permissions: Permissions,
    pub(super) deployment: Deployment,
    pub(super) model: AgentScoreModel,
    /// Risk to its title and how far the page says that it is covered.
    pub(super) owasp_mcp: BTreeMap<String, (String, String)>,
}

/// The risk that a check finds, mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum CheckRisk {
    Low,
    Moderate,
    Elevated,
    High,
    Critical,
}

impl CheckRisk {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "LOW",
            Self::Moderate => "MODERATE",
            Self::Elevated => "ELEVATED",
            Self::High => "HIGH",
            Self::Critical => "CRITICAL",
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Code {
    pub(super) reads: Reads,
    pub(super) excuses: Excuses,
    pub(super) penalties: BTreeMap<Severity, i64>,
    pub(super) verdict: PackageVerdict,
    pub(super) types: BTreeMap<String, Severity>,
    pub(super) patterns: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PackageVerdict {
    pub(super) allow_from: i64,
    pub(super) block_below: i64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Abuse {
    pub(super) types: Vec<String>,
    pub(super) reported: i64,
}

/// Steps of what an account shows: from so many on, so many points. In the order of the counts.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Deployer {
    pub(super) age_days: Vec<(i64, i64)>,
    pub(super) repositories: Vec<(i64, i64)>,
    pub(super) followers: Vec<(i64, i64)>,
    pub(super) organizations: Vec<(i64, i64)>,
    pub(super) stars: Vec<(i64, i64)>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Permissions {
    pub(super) any_critical: i64,
    pub(super) each_high: i64,
    pub(super) most_high: i64,
    pub(super) each_medium: i64,
    pub(super) most_medium: i64,
    pub(super) anomaly: i64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Deployment {
    pub(super) shipped: i64,
    pub(super) pinned: i64,
    pub(super) unpinned: i64,
    pub(super) image_digest: i64,
    pub(super) image_tag: i64,
    pub(super) loopback: i64,
    pub(super) https_authenticated: i64,
    pub(super) https_open: i64,
    pub(super) http_open: i64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentScoreModel {
    pub(super) known: i64,
    pub(super) named: i64,
    pub(super) none: Vec<String>,
    pub(super) providers: BTreeMap<String, Vec<String>>,
}
