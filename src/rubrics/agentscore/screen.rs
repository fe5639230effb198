//! `agentscore/agent`: the six checks over one agent that describes itself, and the same fail-closed decision.
//!
//! Source: the methodology page ("the unified screening endpoint"). It publishes the questions; the numbers of check 6 are ours,
//! in `screen.toml`. What is stated is believed as far as the page does, and what is not stated is never filled in.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use capdex_model::facts::SparseFacts;
use capdex_model::points::Points;
use capdex_model::score::{RubricRef, Score, ScoreText};

use super::super::findings::{Answered, Outcomes};
use super::super::terms::NO_RULES;
use super::super::text_digest;
use super::checks::{self, Check, CheckStatus, Permitted, open, risk_of};
use super::{ASKED, CodeChecks, PAGE, compute};

/// The schema of a request.
pub const REQUEST_SCHEMA: &str = "capdex.agent-screen/1";
/// The most tools that a request names.
const MOST_TOOLS: usize = 1000;
/// The most letters of one value.
const MOST_LETTERS: usize = 2000;

/// One agent, as it describes itself.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScreenRequest {
    /// [`REQUEST_SCHEMA`].
    pub schema: String,
    /// The name of the agent, for a person.
    pub agent: String,
    /// What it is for, in its own words; its tools are held against them.
    #[serde(default)]
    pub purpose: Option<String>,
    /// The account at the code host that says it built the agent.
    #[serde(default)]
    pub deployer: Option<String>,
    /// The model that it says it runs.
    #[serde(default)]
    pub model: Option<StatedModel>,
    /// Its code, as a target of `check`: `npm:…`, `pypi:…`, `github:…`.
    #[serde(default)]
    pub code: Option<String>,
    /// The names of the tools that it asks for. An empty list says that it asks for none.
    #[serde(default)]
    pub tools: Option<Vec<String>>,
    /// How it runs.
    #[serde(default)]
    pub deployment: Option<StatedDeployment>,
}

/// A model, as the agent names it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedModel {
    /// Its name.
    pub name: String,
    /// Its provider.
    #[serde(default)]
    pub provider: Option<String>,
}

/// How the agent says it runs.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatedDeployment {
    /// How it is reached.
    #[serde(default)]
    pub transport: Option<StatedTransport>,
    /// Where it runs.
    #[serde(default)]
    pub origin: Option<StatedOrigin>,
    /// True where a person is asked before it acts.
    #[serde(default)]
    pub human_in_loop: Option<bool>,
    /// True where it starts or steers other agents.
    #[serde(default)]
    pub orchestration: Option<bool>,
    /// True where it keeps what it learned for later conversations.
    #[serde(default)]
    pub persistence: Option<bool>,
}

/// How an agent is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StatedTransport {
    /// Standard input and output of a process.
    Stdio,
    /// HTTPS.
    Https,
    /// HTTP without encryption.
    Http,
}

/// Where an agent runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StatedOrigin {
    /// On the machine of whoever uses it.
    Local,
    /// Elsewhere.
    Remote,
}

/// What screening found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Screening {
    /// The published word; fail-closed.
    pub decision: ScreenDecision,
    /// The mean over the completed checks, with the six as its parts.
    pub score: Score,
}

/// The recommendation, mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum ScreenDecision {
    /// Nothing speaks against it.
    #[serde(rename = "ALLOW")]
    Allow,
    /// Fewer than three checks could be completed.
    #[serde(rename = "INSUFFICIENT DATA")]
    InsufficientData,
    /// A person looks first.
    #[serde(rename = "CAUTION")]
    Caution,
    /// Do not let it in.
    #[serde(rename = "BLOCK")]
    Block,
}

impl Screening {
    /// True where too little is known to decide.
    pub fn is_open(&self) -> bool {
        self.decision == ScreenDecision::InsufficientData
    }
}

impl ScreenDecision {
    /// The published word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "ALLOW",
            Self::InsufficientData => "INSUFFICIENT DATA",
            Self::Caution => "CAUTION",
            Self::Block => "BLOCK",
        }
    }

    /// The decision behind a grade. Any other word is that nothing is known.
    fn of(grade: &str) -> Self {
        let all = [Self::Allow, Self::Caution, Self::Block];
        all.into_iter().find(|one| one.as_str() == grade).unwrap_or(Self::InsufficientData)
    }
}

impl ScreenRequest {
    /// Reads a request.
    ///
    /// # Errors
    /// Why it is none: no JSON, a key that is unknown or stands twice, another schema, or more than a request may hold.
    pub fn parse(text: &str) -> Result<Self, String> {
        let request: Self = serde_json::from_str(text).map_err(|why| why.to_string())?;
        if request.schema != REQUEST_SCHEMA {
            return Err(format!("schema: it is {:?}, and this program reads {REQUEST_SCHEMA:?}", request.schema));
        }
        let tools = request.tools.iter().flatten();
        if tools.clone().count() > MOST_TOOLS {
            return Err(format!("tools: a request names at most {MOST_TOOLS}"));
        }
        if tools.clone().any(|name| name.trim().is_empty()) {
            return Err("tools: a tool has no name".to_owned());
        }
        let distinct: BTreeSet<&String> = tools.clone().collect();
        if distinct.len() < tools.clone().count() {
            return Err("tools: a tool is named twice".to_owned());
        }
        let model = request.model.iter().flat_map(|model| [Some(&model.name), model.provider.as_ref()]).flatten();
        let single = [Some(&request.agent), request.purpose.as_ref(), request.deployer.as_ref(), request.code.as_ref()];
        if single.into_iter().flatten().chain(tools).chain(model).any(|text| text.chars().count() > MOST_LETTERS) {
            return Err(format!("a value has more than {MOST_LETTERS} letters"));
        }
        if request.agent.trim().is_empty() {
            return Err("agent: it has no name".to_owned());
        }
        Ok(request)
    }
}

/// The numbers of check 6.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScreenNumbers {
    version: String,
    deployment: DeploymentCosts,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeploymentCosts {
    stdio: i64,
    https: i64,
    http: i64,
    remote: i64,
    alone: i64,
    orchestration: i64,
    persistence: i64,
}

const TEXT: &str = include_str!("screen.toml");

static NUMBERS: LazyLock<ScreenNumbers> =
    LazyLock::new(|| toml::from_str(TEXT).expect("the compiled-in numbers parse, as tested"));

/// Screens an agent. `code` holds the facts of what its code is, which may be several things; none where nothing could be looked
/// at. `permitted` is the value of `measure-tool-permissions` over the tools that it asks for.
pub fn screen(request: &ScreenRequest, code: &[&SparseFacts], permitted: Option<&Value>) -> Screening {
    let looked = OfCode::of(code);
    let is_reported = looked.as_ref().is_some_and(|looked| looked.is_reported);
    let (code, abuse, account) = match looked {
        Some(OfCode { code, abuse, deployer, .. }) => (code, abuse, Some(deployer)),
        None => (checks::code(&[], NOBODY), checks::abuse(&[], NOBODY), None),
    };
    let checks = [
        deployer(request, account),
        model(request),
        code.supplied_by("its source: `code` with a package or a repository that can be fetched"),
        abuse,
        permissions(permitted),
        deployment(request),
    ];
    let mut score = compute(checks, is_reported);
    score.rubric = RubricRef {
        id: "agentscore/agent".into(),
        version: NUMBERS.version.clone().into(),
        text: text_digest(TEXT, PAGE),
    };
    Screening { decision: ScreenDecision::of(&score.grade), score }
}

/// No rule was asked.
const NOBODY: Answered = Answered { asked: 0, answered: 0 };

/// The checks that rest on the agent's code. Of several things in it the worst counts for each check.
struct OfCode {
    code: Check,
    abuse: Check,
    deployer: Check,
    is_reported: bool,
}

impl OfCode {
    fn of(all: &[&SparseFacts]) -> Option<Self> {
        let mut worst: Option<Self> = None;
        for facts in all {
            let outcomes = Outcomes::of(facts);
            // A rule that has not reported is a fault of ours, and a number would hide it.
            if outcomes.unreported(ASKED.of(facts.rules())).is_some() {
                return None;
            }
            let CodeChecks { code, abuse, is_reported } = CodeChecks::of(facts, &outcomes);
            let one = Self { code, abuse, deployer: checks::deployer(facts), is_reported };
            worst = Some(match worst {
                None => one,
                Some(other) => Self {
                    code: worse(other.code, one.code),
                    abuse: worse(other.abuse, one.abuse),
                    deployer: worse(other.deployer, one.deployer),
                    is_reported: other.is_reported || is_reported,
                },
            });
        }
        worst
    }
}

/// The worse of two answers to one check: completed before open, then by risk, then by score.
fn worse(one: Check, other: Check) -> Check {
    let place = |check: &Check| check.risk().zip(check.score()).map(|(risk, score)| (risk, std::cmp::Reverse(score)));
    if place(&other) > place(&one) { other } else { one }
}

/// Check 1: the account that is proved to own the code's repository, where it is the one that is named.
fn deployer(request: &ScreenRequest, account: Option<Check>) -> Check {
    let supply = "its account: `deployer`, and `code` whose repository a source states with its owner's profile";
    let nobody = open(
        "deployer",
        CheckStatus::NotDeterminable,
        "who is behind the account; private work; contributions",
        NO_RULES,
    );
    let Some(named) = request.deployer.as_deref() else { return nobody.supplied_by(supply) };
    let owner = request.code.as_deref().and_then(|code| code.strip_prefix("github:")?.split_once('/'));
    // Anybody may name somebody else's account.
    if owner.is_some_and(|(owner, _)| !owner.eq_ignore_ascii_case(named)) {
        let mut check = nobody;
        check.determined = "the named account does not own the repository".into();
        return check.supplied_by(supply);
    }
    account.unwrap_or(nobody).supplied_by(supply)
}

/// Check 2: the model that is named. An agent has one, so that none named is missing data.
fn model(request: &ScreenRequest) -> Check {
    let undetermined = "whether the named model is the one that runs";
    let check = open("model", CheckStatus::NotDeterminable, undetermined, NO_RULES).supplied_by("its model: `model`");
    match &request.model {
        Some(StatedModel { name, provider }) => checks::model_named(check, name, provider.as_deref()),
        None => check,
    }
}

/// Check 5: the tools that it asks for, against what it says it is for.
fn permissions(permitted: Option<&Value>) -> Check {
    let undetermined = "what the tools really do; tools that it does not name";
    let check =
        open("permissions", CheckStatus::NotDeterminable, undetermined, NO_RULES).supplied_by("its tools: `tools`");
    match permitted.and_then(|value| Permitted::deserialize(value).ok()) {
        Some(value) => checks::permitted(check, &value),
        None => check,
    }
}

/// Check 6: how it says it runs, completed where all five questions are answered.
fn deployment(request: &ScreenRequest) -> Check {
    let undetermined = "how it really runs, which nobody can check from here";
    let check = open("deployment", CheckStatus::NotDeterminable, undetermined, NO_RULES)
        .supplied_by("how it runs: `deployment` with transport, origin, human_in_loop, orchestration and persistence");
    let stated = request.deployment.clone().unwrap_or_default();
    let StatedDeployment {
        transport: Some(transport),
        origin: Some(origin),
        human_in_loop: Some(human_in_loop),
        orchestration: Some(orchestration),
        persistence: Some(persistence),
    } = stated
    else {
        let answers = [
            stated.transport.is_some(),
            stated.origin.is_some(),
            stated.human_in_loop.is_some(),
            stated.orchestration.is_some(),
            stated.persistence.is_some(),
        ];
        let answered = answers.into_iter().filter(|answered| *answered).count();
        return check.of(Answered { asked: answers.len(), answered });
    };
    let costs = &NUMBERS.deployment;
    let (way, of_way) = match (transport, origin) {
        (StatedTransport::Stdio, _) => ("stdio", costs.stdio),
        // Nobody else reads along on a line that does not leave the machine.
        (StatedTransport::Http, StatedOrigin::Local) => ("http on this machine", costs.https),
        (StatedTransport::Https, _) => ("https", costs.https),
        (StatedTransport::Http, StatedOrigin::Remote) => ("http", costs.http),
    };
    let lost = [
        (way, true, of_way),
        ("remote", origin == StatedOrigin::Remote, costs.remote),
        ("no person is asked", !human_in_loop, costs.alone),
        ("steers other agents", orchestration, costs.orchestration),
        ("remembers", persistence, costs.persistence),
    ];
    let taken = || lost.iter().filter(|(_, holds, _)| *holds);
    let score = Points::whole((100 - taken().map(|(.., cost)| cost).sum::<i64>()).max(0));
    let said: Vec<String> = taken().map(|(what, _, cost)| format!("{what} -{cost}")).collect();
    let said = format!("100, {}, all of it stated by the agent itself", said.join(", "));
    check.completed(score, risk_of(score), ScoreText::from(said))
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
