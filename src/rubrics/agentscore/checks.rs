//! The six screening checks: what each could determine, what not, and its score where it is completed.
//!
//! Source: the methodology page; points are ours, as `page.md` says.

use serde::Deserialize;

use capdex_model::fact::{Outcome, Severity};
use capdex_model::facts::SparseFacts;
use capdex_model::points::Points;
use capdex_model::score::{ScorePart, ScoreText, ScoreTexts};
use capdex_model::time::Timestamp;

use super::super::findings::{self, Answered, MethodFinding, Outcomes};
use super::super::terms::{NO_RULES, distinct, push_looked, push_number};
use super::numbers::{CheckRisk, TABLE};

pub(super) const METADATA: &str = "measure-metadata";
pub(super) const MODEL: &str = "measure-model";
pub(super) const PERMISSIONS: &str = "measure-tool-permissions";
pub(super) const DEPLOYMENT: &str = "measure-deployment";

/// One check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) status: CheckStatus,
    /// The facts that it could determine, in words.
    pub(super) determined: ScoreText,
    /// The things that it could not determine.
    pub(super) undetermined: &'static str,
    /// What is missing where it is not completed, and how an operator supplies it; empty where nobody can.
    pub(super) supply: &'static str,
    /// The share of its questions that was answered.
    pub(super) answered: Answered,
    /// The rules that it rests on.
    pub(super) rules: ScoreTexts,
}

/// The state that a check reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckStatus {
    Completed { score: Points, risk: CheckRisk },
    NotDeterminable,
    NotApplicable,
}

impl Check {
    /// The score, where completed.
    pub(super) const fn score(&self) -> Option<Points> {
        match self.status {
            CheckStatus::Completed { score, .. } => Some(score),
            CheckStatus::NotDeterminable | CheckStatus::NotApplicable => None,
        }
    }

    /// The risk, where completed.
    pub(super) const fn risk(&self) -> Option<CheckRisk> {
        match self.status {
            CheckStatus::Completed { risk, .. } => Some(risk),
            CheckStatus::NotDeterminable | CheckStatus::NotApplicable => None,
        }
    }

    /// The check as a part of the score.
    pub(super) fn part(&self) -> ScorePart {
        // A person reads the note beside the number: an empty half would look like a fault.
        let determined = if self.determined.is_empty() { "nothing" } else { &self.determined };
        let mut note = String::with_capacity(96 + determined.len() + self.undetermined.len());
        match self.status {
            CheckStatus::Completed { risk, .. } => {
                note.push_str("completed, risk ");
                note.push_str(risk.as_str());
            }
            CheckStatus::NotDeterminable => note.push_str("not_determinable"),
            CheckStatus::NotApplicable => note.push_str("not_applicable"),
        }
        note.push_str("; determined: ");
        note.push_str(determined);
        note.push_str("; not determined: ");
        note.push_str(self.undetermined);
        ScorePart { name: self.name.into(), value: self.score(), coverage: self.answered.coverage(), note: note.into() }
    }

    /// The same check, for which an operator can supply what is missing in this way.
    pub(super) const fn supplied_by(mut self, supply: &'static str) -> Self {
        self.supply = supply;
        self
    }

    /// The same check of which only so much was answered.
    pub(super) fn of(mut self, answered: Answered) -> Self {
        self.answered = answered;
        self
    }

    pub(super) fn completed(mut self, score: Points, risk: CheckRisk, determined: impl Into<ScoreText>) -> Self {
        self.status = CheckStatus::Completed { score, risk };
        self.determined = determined.into();
        self.answered = ALL;
        self
    }
}

/// One question, answered.
const ALL: Answered = Answered { asked: 1, answered: 1 };
/// One question, not answered.
const NOTHING: Answered = Answered { asked: 1, answered: 0 };
/// The questions of the first check about the account that publishes: its name, age, repositories, contributions, stars
/// and organisations.
const ASKED_OF_DEPLOYER: usize = 6;

/// A check that nothing is known of yet; its status is that of its missing data.
pub(super) fn open(name: &'static str, status: CheckStatus, undetermined: &'static str, rules: ScoreTexts) -> Check {
    Check { name, status, determined: "".into(), undetermined, supply: "", answered: NOTHING, rules }
}

/// Not applicable where the rule says so, else not determinable.
fn missing(outcomes: &Outcomes<'_>, rule: &str) -> CheckStatus {
    match outcomes.get(rule) {
        // A rule that could not look leaves the question open; only one that does not apply closes it.
        Some(Outcome::NotApplicable) => CheckStatus::NotApplicable,
        _ => CheckStatus::NotDeterminable,
    }
}

/// The band of a score.
pub(super) fn risk_of(score: Points) -> CheckRisk {
    // The thresholds stand in a map by name, so that the highest that is reached is searched for.
    let reached = TABLE.risk.iter().filter(|(_, lowest)| score >= Points::whole(**lowest));
    reached.max_by_key(|(_, lowest)| **lowest).map_or(CheckRisk::Critical, |(risk, _)| *risk)
}

/// What a listing and its entity state of the account behind it.
#[derive(Default, Deserialize)]
struct StatedAccount {
    owner: Option<bool>,
    account_created: Option<Timestamp>,
    account_repositories: Option<u64>,
    account_followers: Option<u64>,
    account_organizations: Option<u64>,
    stars: Option<u64>,
    pushed: Option<Timestamp>,
    published: Option<Timestamp>,
}

impl StatedAccount {
    /// The age of the account in days at its last work that somebody states: it does not grow by itself, so that a score
    /// holds until something happens.
    fn age_days(&self) -> Option<i64> {
        let last = self.pushed.max(self.published)?;
        Some(self.account_created?.days_until(last).max(0))
    }

    /// The answers to the questions of the check. Contributions nobody states.
    fn answered(&self) -> usize {
        let known = [
            self.owner.is_some(),
            self.age_days().is_some(),
            self.account_repositories.is_some(),
            self.account_organizations.is_some(),
            self.stars.is_some(),
        ];
        known.into_iter().filter(|known| *known).count()
    }
}

/// Check 1: the account behind the repository, where a source states its profile; a named publisher alone scores nothing.
pub(super) fn deployer(facts: &SparseFacts) -> Check {
    let undetermined = "contributions of the account; legal identity";
    let rules = ScoreTexts::Borrowed(&[ScoreText::Borrowed(METADATA)]);
    let stated = facts.value(METADATA).and_then(|value| StatedAccount::deserialize(value).ok()).unwrap_or_default();
    let mut check = open("deployer", CheckStatus::NotDeterminable, undetermined, rules).supplied_by(
        "the account behind its repository: set `signals` for GitHub, and let package and repository name each other",
    );
    let answered = Answered { asked: ASKED_OF_DEPLOYER, answered: stated.answered() };
    let Some(age) = stated.age_days() else {
        check.undetermined = "age, repositories, contributions and organisations of the account; legal identity";
        if let Some(named) = stated.owner {
            check.determined = if named { "a publisher is named" } else { "no publisher is named" }.into();
        }
        // An answered name still counts for coverage, though it gives no score.
        return check.of(answered);
    };
    let numbers = &TABLE.deployer;
    let counted = |count: Option<u64>| count.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    let shown = [
        ("age in days", &numbers.age_days, Some(age)),
        ("repositories", &numbers.repositories, counted(stated.account_repositories)),
        ("followers", &numbers.followers, counted(stated.account_followers)),
        ("organisations", &numbers.organizations, counted(stated.account_organizations)),
        ("stars", &numbers.stars, counted(stated.stars)),
    ];
    let (mut reached, mut possible, mut said) = (0, 0, String::with_capacity(96));
    for (what, steps, count) in shown {
        let Some(count) = count else { continue };
        let of = steps.iter().rev().find(|(from, _)| count >= *from).map_or(0, |(_, points)| *points);
        let most = steps.last().map_or(0, |(_, points)| *points);
        if !said.is_empty() {
            said.push_str(", ");
        }
        said.extend([what, " "]);
        Points::whole(count).push_to(&mut said);
        said.push_str(": ");
        Points::whole(of).push_to(&mut said);
        said.push_str(" of ");
        Points::whole(most).push_to(&mut said);
        reached += of;
        possible += most;
    }
    // What nobody states is left out; the age is always there, so that it is never a share of nothing.
    let score = Points::whole(reached).share(100, possible.max(1));
    check.completed(score, risk_of(score), said).of(answered)
}

/// Check 2: a declared model against the known providers. It does not apply where none is declared; where nobody could
/// look whether one is, it cannot be determined.
pub(super) fn model(facts: &SparseFacts, outcomes: &Outcomes<'_>) -> Check {
    let status = match outcomes.get(MODEL) {
        // Nothing declared is no missing data; the question stays open only where nobody could look.
        Some(Outcome::Unavailable) => CheckStatus::NotDeterminable,
        _ => CheckStatus::NotApplicable,
    };
    let check = open(
        "model",
        status,
        "whether the named model is the one that runs",
        ScoreTexts::Borrowed(&[ScoreText::Borrowed(MODEL)]),
    );
    let named = facts.value(MODEL).and_then(|value| value.get("model")).and_then(serde_json::Value::as_str);
    match named {
        Some(named) => model_named(check, named, None),
        None => check,
    }
}

/// The check of the model, where one is named; and its provider where somebody says who that is.
pub(super) fn model_named(check: Check, named: &str, stated: Option<&str>) -> Check {
    // Manifests spell one model in many ways; the providers' names are kept in small letters.
    let named = named.trim().to_ascii_lowercase();
    // `inherit` and `default` name nothing that could be checked.
    if TABLE.model.none.contains(&named) {
        return check;
    }
    // Gateways put the provider before the name: `openai/gpt-4`.
    let bare = named.rsplit('/').next().unwrap_or_default();
    let begins = |prefixes: &Vec<String>| prefixes.iter().any(|prefix| bare.starts_with(prefix.as_str()));
    let provider = TABLE.model.providers.iter().find(|(_, prefixes)| begins(prefixes)).map(|(provider, _)| provider);
    let (points, said) = match (provider, stated.map(|stated| stated.trim().to_ascii_lowercase())) {
        // Who says otherwise than the name does is not believed in either.
        (Some(provider), Some(stated)) if *provider != stated => {
            (TABLE.model.named, format!("a model of {provider} is named as one of another provider").into())
        }
        (Some(provider), _) => (TABLE.model.known, format!("a model of {provider} is named").into()),
        (None, _) => (TABLE.model.named, ScoreText::Borrowed("a model of no known provider is named")),
    };
    let score = Points::whole(points);
    check.completed(score, risk_of(score), said)
}

/// Check 3: 100 minus a penalty for each type of finding, at its worst.
pub(super) fn code(findings: &[MethodFinding<'_>], answered: Answered) -> Check {
    let mut check = open(
        "code",
        CheckStatus::NotDeterminable,
        "behaviour at run time; whether the build matches the reviewed source",
        NO_RULES,
    );
    // With no rule that could look, 100 points would be praise for nothing seen.
    if answered.answered == 0 {
        return check;
    }
    // Each type costs once, at its worst: a hundred matches of one pattern are one weakness.
    let worst = findings::distinct_by(findings.to_vec(), |finding| finding.code);
    let penalty = |finding: &MethodFinding<'_>| TABLE.code.penalties.get(&finding.severity).copied().unwrap_or(0);
    let lost: i64 = worst.iter().map(penalty).sum();
    // Penalties of many types add up to more than 100, and the scale ends at 0.
    let score = Points::whole((100 - lost).max(0));
    // The worst finding sets the least risk, whatever the sum says.
    let severest = worst.iter().map(|finding| finding.severity).max();
    let forced = match severest {
        Some(Severity::Critical) => CheckRisk::Critical,
        Some(Severity::High) => CheckRisk::High,
        _ => CheckRisk::Low,
    };
    // All rules are named, also those whose finding was not the worst of its type.
    check.rules = distinct(findings.iter().map(|finding| finding.rule));
    let mut said = String::with_capacity(128);
    said.push_str("package score 100");
    for finding in &worst {
        said.push_str(" - ");
        Points::whole(penalty(finding)).push_to(&mut said);
        said.extend([" ", finding.code, " (", finding.severity.as_str(), ")"]);
    }
    said.push_str(" = ");
    score.push_to(&mut said);
    said.extend([", ", risk_of(score).as_str(), ", ", package_verdict(score, severest), "; "]);
    push_looked(&mut said, answered);
    // The sum may be milder than the worst finding, and may be stricter: the worse of both counts.
    check.completed(score, risk_of(score).max(forced), said).of(answered)
}

/// A check of the code, with who published it where the registry says so.
pub(super) fn published_by(mut check: Check, facts: &SparseFacts) -> Check {
    let stated = facts.value(METADATA).and_then(|value| value.get("trusted_publisher"));
    let said = match stated.and_then(serde_json::Value::as_bool) {
        Some(true) => "published by a workflow that the registry trusts",
        Some(false) => "published by no workflow that the registry trusts",
        None => return check,
    };
    if check.score().is_some() {
        check.determined = format!("{}; {said}", &*check.determined).into();
    }
    check
}

/// The verdict that the package scanner gives beside its number.
pub(super) fn package_verdict(score: Points, worst: Option<Severity>) -> &'static str {
    let numbers = &TABLE.code.verdict;
    // A critical finding blocks whatever the score; so does a low score without one.
    if worst == Some(Severity::Critical) || score < Points::whole(numbers.block_below) {
        "block"
    } else if worst >= Some(Severity::Medium) || score < Points::whole(numbers.allow_from) {
        "warn"
    } else {
        "allow"
    }
}

/// Check 4: reports of abuse. Only a report completes it: that none was made proves nothing, and a list about somebody else
/// must change nothing.
pub(super) fn abuse(reports: &[MethodFinding<'_>], answered: Answered) -> Check {
    let mut check =
        open("abuse", CheckStatus::NotDeterminable, "reports that nobody made or that we do not hold", NO_RULES);
    check.rules = distinct(reports.iter().map(|report| report.rule));
    // No rule was asked: that must not read as "no reports".
    let lists = if answered.asked == 0 { NOTHING } else { answered };
    if !reports.is_empty() {
        let said = format!("{} reports", reports.len());
        return check.completed(Points::whole(TABLE.abuse.reported), CheckRisk::Critical, said).of(lists);
    }
    if answered.answered > 0 {
        check.determined = "no report that we hold names it, which proves nothing".into();
    }
    // That somebody looked is known, though it completes nothing.
    check.of(lists)
}

/// The value of `measure-tool-permissions`.
#[derive(Deserialize)]
pub(super) struct Permitted<'a> {
    #[serde(borrow)]
    tools: Vec<PermittedTool<'a>>,
    #[serde(borrow)]
    declared: Vec<&'a str>,
    /// True where the server declares a purpose for which reading is enough.
    #[serde(default)]
    only_reads: bool,
}

#[derive(Deserialize)]
struct PermittedTool<'a> {
    name: &'a str,
    class: Severity,
    purpose: &'a str,
}

/// Check 5: tools by the verbs of their names.
pub(super) fn permissions(facts: &SparseFacts, outcomes: &Outcomes<'_>) -> Check {
    let undetermined = "what the tools really do; what is expected of a purpose that it does not declare";
    let check = |status| {
        open("permissions", status, undetermined, ScoreTexts::Borrowed(&[ScoreText::Borrowed(PERMISSIONS)]))
            .supplied_by("its tools: list its endpoint, or write their names and schemas where they can be read")
    };
    // A value that cannot be read counts as missing data and stops no scoring.
    let Some(value) = facts.value(PERMISSIONS).and_then(|value| Permitted::deserialize(value).ok()) else {
        return check(missing(outcomes, PERMISSIONS));
    };
    permitted(check(CheckStatus::NotDeterminable), &value)
}

/// The check of the tools, where they are known.
pub(super) fn permitted(check: Check, value: &Permitted<'_>) -> Check {
    let count = |class| value.tools.iter().filter(|tool| tool.class == class).count() as i64;
    let (critical, high, medium) = (count(Severity::Critical), count(Severity::High), count(Severity::Medium));
    // Who declares to read and has tools that delete or send is not what he declares.
    let beyond = value.tools.iter().find(|tool| value.only_reads && tool.class >= Severity::High);
    let anomaly = if beyond.is_some() { TABLE.permissions.anomaly } else { 0 };
    let lost = permission_points(critical, high, medium) + anomaly;
    let undeclared: Vec<&str> = value
        .tools
        .iter()
        // A dangerous tool that the server announces is its purpose; one that it hides is not.
        .filter(|tool| tool.class == Severity::Critical && !value.declared.contains(&tool.purpose))
        .map(|tool| tool.name)
        .collect();
    // A declared critical tool is `HIGH` at most, or every terminal server would be blocked.
    let risk = match (undeclared.is_empty(), critical + high, medium) {
        (false, _, _) => CheckRisk::Critical,
        (true, 1.., _) => CheckRisk::High,
        (true, _, 1..) => CheckRisk::Elevated,
        _ => CheckRisk::Low,
    };
    let score = Points::whole((100 - lost).max(0));
    let mut said = String::with_capacity(96);
    said.push_str("100 - ");
    Points::whole(lost).push_to(&mut said);
    said.push_str(" = ");
    score.push_to(&mut said);
    said.push_str(" for ");
    push_number(&mut said, value.tools.len());
    said.push_str(" tools");
    for (before, count, class) in [(": ", critical, " critical"), (", ", high, " high"), (", ", medium, " medium")] {
        said.push_str(before);
        Points::whole(count).push_to(&mut said);
        said.push_str(class);
    }
    if let Some(first) = undeclared.first() {
        said.extend(["; ", first, " does what the server does not declare"]);
    }
    if let Some(beyond) = beyond {
        said.extend(["; anomaly: ", beyond.name, " does more than read, which is all that the server declares"]);
    }
    check.completed(score, risk, said)
}

/// The cost of so many tools of each class. A tool of a worse class never costs less than it would in a milder one.
fn permission_points(critical: i64, high: i64, medium: i64) -> i64 {
    let numbers = &TABLE.permissions;
    let first = if critical > 0 { numbers.any_critical } else { 0 };
    // Only the first critical tool has a price of its own; the others count as high.
    let high = high + (critical - 1).max(0);
    // High tools beyond their cap are counted as medium: a riskier tool never costs less.
    let full = high.min(numbers.most_high / numbers.each_high.max(1));
    let medium = medium + high - full;
    first + full * numbers.each_high + (medium * numbers.each_medium).min(numbers.most_medium)
}

/// The value of `measure-deployment`.
#[derive(Deserialize)]
struct Deployed {
    launches: Vec<LaunchKind>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum LaunchKind {
    Shipped,
    Pinned,
    Unpinned,
    ImageDigest,
    ImageTag,
    Loopback,
    HttpsAuthenticated,
    HttpsOpen,
    HttpOpen,
}

/// Check 6: the riskiest way to launch that a manifest declares.
pub(super) fn deployment(facts: &SparseFacts, outcomes: &Outcomes<'_>) -> Check {
    let undetermined = "how it really runs; human oversight and orchestration, which nobody declares";
    let check = open(
        "deployment",
        missing(outcomes, DEPLOYMENT),
        undetermined,
        ScoreTexts::Borrowed(&[ScoreText::Borrowed(DEPLOYMENT)]),
    )
    .supplied_by(
        "how it is launched: a server.json, a client's configuration in its README, or a command in its manifest",
    );
    let launches = facts.value(DEPLOYMENT).and_then(|value| Deployed::deserialize(value).ok());
    let launches = launches.map(|value| value.launches).unwrap_or_default();
    // Of several ways to launch, a user may take the riskiest.
    let Some(lowest) = launches.iter().map(launch_points).min() else { return check };
    let score = Points::whole(lowest);
    check.completed(score, risk_of(score), format!("{} declared ways to launch", launches.len()))
}

fn launch_points(launch: &LaunchKind) -> i64 {
    let numbers = &TABLE.deployment;
    match launch {
        LaunchKind::Shipped => numbers.shipped,
        LaunchKind::Pinned => numbers.pinned,
        LaunchKind::Unpinned => numbers.unpinned,
        LaunchKind::ImageDigest => numbers.image_digest,
        LaunchKind::ImageTag => numbers.image_tag,
        LaunchKind::Loopback => numbers.loopback,
        LaunchKind::HttpsAuthenticated => numbers.https_authenticated,
        LaunchKind::HttpsOpen => numbers.https_open,
        LaunchKind::HttpOpen => numbers.http_open,
    }
}
