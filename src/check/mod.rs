//! `check`: the question before an install. Targets are read, answered by the store or by their registries, and judged; what
//! agents load already is judged where it lies.
//!
//! Nothing is installed, started or kept. [`crate::commands`] prints.

pub mod answer;
pub mod dataset;
pub mod found_here;
pub mod launch;
pub mod loaded;
pub mod loaded_here;
pub mod lock_file;
pub mod named_file;
pub mod published;
pub mod registries;
pub mod report_page;
mod runner_options;
pub mod stored;
pub mod target;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use capdex_dataset::scan_record::TargetRecord;
use capdex_model::appeal::Appeal;
use capdex_model::approved::ApprovedNames;
use capdex_model::ids::ListingKey;
use capdex_model::listing::Claim;
use capdex_model::purl::Purl;
use capdex_model::registries::registry_name;
use capdex_model::ruling::OperatorPolicy;
use capdex_model::score::Band;
use capdex_model::snapshot::Completeness;
use capdex_model::source_role::Ecosystem;
use capdex_model::time::AsOf;
use rayon::prelude::*;

use crate::appeals;
use crate::approval;
use crate::config::{Resolved, Schedule, SourceSection};
use crate::formats::JudgedCapability;
use crate::formats::place::InputPlace;
use crate::jobs::run;
use crate::judging::{self, JudgedInput};
use crate::progress::StageProgress;
use answer::{AnsweredBy, CheckAnswer, NOT_STORED, Refusal};
use dataset::DatasetAnswers;
use registries::{Question, Registries};
use stored::StoredAnswers;
use target::{CheckSubject, CheckTarget};

/// The kinds of sources that are asked.
const KINDS: [Ecosystem; 4] = [Ecosystem::Npm, Ecosystem::Pypi, Ecosystem::GitHub, Ecosystem::Mcp];

/// Tries of one address, unless the schedule says otherwise.
const MAX_TRIES: u32 = 3;

/// The means of an answer.
pub struct Checker<'a> {
    /// The schedule that says where registries are.
    pub resolved: Resolved,
    /// The store; none where there is none.
    pub store: Option<StoredAnswers>,
    /// A dataset, which is asked for what the store does not know.
    pub dataset: Option<DatasetAnswers>,
    /// True where nobody is asked.
    pub is_offline: bool,
    /// The pool for scanning and scoring.
    pub pool: &'a rayon::ThreadPool,
    /// The instant of the check.
    pub at: AsOf,
    /// True where no progress is shown.
    pub is_quiet: bool,
    /// The operator's rulings and votes beside those of the store.
    pub named: OperatorPolicy,
    /// The operator's own list of what may be used.
    pub approved: ApprovedNames,
    /// True where a finding that was overturned on appeal counts for nothing, as if the operator had set it aside.
    pub honours_appeals: bool,
}

/// One target with its judged capabilities, of which the package is the last.
pub struct CheckedTarget {
    /// The target.
    pub target: CheckTarget,
    /// What was found out, without the facts.
    pub record: Arc<TargetRecord>,
    /// Why nothing could be looked at; none where something was.
    pub refusal: Option<Refusal>,
    /// Whether it is on the operator's own list; unknown without one, and of files that are no package.
    pub approved: Claim<bool>,
    /// The capabilities.
    pub judged: Vec<JudgedCapability>,
    /// The paths as they are shown of files that are a capability each and have only the client in common, by the paths inside;
    /// empty for what is one thing.
    pub loose: BTreeMap<String, String>,
}

impl CheckedTarget {
    /// The band: its package's, which is the strictest of all.
    pub fn band(&self) -> Band {
        self.judged.last().map_or(Band::Unknown, JudgedCapability::acting_band)
    }

    /// True where all of it could be looked at and judged.
    pub fn is_complete(&self) -> bool {
        let is_whole = |judged: &JudgedCapability| judged.scanned.completeness == Completeness::Analysed;
        self.band() != Band::Unknown && self.judged.iter().all(is_whole)
    }
}

/// The schedule of a check: the tables of a file for the sources that are asked, and the ecosystems' own settings for those
/// that it does not name.
///
/// # Errors
/// A file that is no schedule.
pub fn schedule(config: Option<&Path>) -> anyhow::Result<Schedule> {
    let mut schedule = match config {
        Some(path) => Schedule::load(Some(path))?,
        // The compiled-in schedule is about its own packages.
        None => Schedule { name: "check".to_owned(), ..Schedule::default() },
    };
    // A person waits for the answer, and may ask again.
    schedule.http.max_tries.get_or_insert(MAX_TRIES);
    let is_asked = |kind: &str| KINDS.iter().any(|known| known.as_str() == kind);
    schedule.sources.retain(|id, section| is_asked(section.kind.as_deref().unwrap_or(id)));
    for kind in KINDS {
        schedule.sources.entry(kind.as_str().to_owned()).or_insert_with(SourceSection::default);
    }
    Ok(schedule)
}

impl Checker<'_> {
    /// Answers and judges targets, in their order.
    ///
    /// # Errors
    /// Errors of the store, and a client that cannot be set up.
    pub fn check(&self, targets: Vec<CheckTarget>, from: &Path) -> anyhow::Result<Vec<CheckedTarget>> {
        let questions: Vec<Result<Question, Refusal>> =
            targets.iter().map(|target| question(&self.resolved, &target.subject)).collect();
        let asked: BTreeSet<Question> = questions.iter().flatten().cloned().collect();
        let answers = self.answers(asked, &targets)?;
        let appeals = self.appeals(&answers)?;
        let honoured = appeals.iter().filter(|_| self.honours_appeals).flat_map(appeals::as_rulings).collect();
        let policy = self.policy()?.and(OperatorPolicy { votes: Vec::new(), rulings: honoured });
        let (at, policy, appeals) = (self.at, Arc::new(policy), Arc::new(appeals));
        let list = &self.approved;
        let judged = self.pool.install(|| {
            let asked: Vec<_> = targets.into_iter().zip(questions).collect();
            asked
                .into_par_iter()
                .map(|(target, question)| {
                    let answer = match &question {
                        Ok(question) => answers.get(question).cloned(),
                        Err(refusal) => Some(CheckAnswer::refused(&target.name, refusal.clone())),
                    };
                    let nobody = || CheckAnswer::refused(&target.name, Refusal::of("nobody was asked"));
                    let mut answer = answer.unwrap_or_else(nobody);
                    let listed = question.ok().map(|question| question.key.to_string());
                    let names = [answer.identity.as_str()].into_iter().chain(listed.as_deref());
                    let approved = list.has(names);
                    answer.scanned = approval::under_list(answer.scanned, &approved);
                    judged(target.clone(), (answer, approved), from, at, (&policy, &appeals))
                })
                .collect()
        });
        Ok(judged)
    }

    /// The operator's word: what is named for this check, and what the store holds.
    fn policy(&self) -> anyhow::Result<OperatorPolicy> {
        let stored = self.store.as_ref().map(StoredAnswers::policy).transpose()?.unwrap_or_default();
        Ok(stored.and(self.named.clone()))
    }

    /// The store's appeals about what was answered.
    fn appeals(&self, answers: &BTreeMap<Question, CheckAnswer>) -> anyhow::Result<Vec<Appeal>> {
        let Some(store) = &self.store else { return Ok(Vec::new()) };
        let identities: BTreeSet<&str> = answers.values().map(|answer| answer.identity.as_str()).collect();
        let mut appeals = Vec::new();
        for identity in identities {
            appeals.extend(store.appeals_about(identity)?);
        }
        Ok(appeals)
    }

    /// Answers of the store first, then of the dataset, then of the registries for what neither knows.
    fn answers(
        &self,
        asked: BTreeSet<Question>,
        targets: &[CheckTarget],
    ) -> anyhow::Result<BTreeMap<Question, CheckAnswer>> {
        let (mut answers, mut open) = (BTreeMap::new(), BTreeSet::new());
        for question in asked {
            let stored = match &self.store {
                Some(store) => store.answer(&question.key, question.commit.as_deref())?,
                None => None,
            };
            match stored {
                Some(answer) => drop(answers.insert(question, answer)),
                None => drop(open.insert(question)),
            }
        }
        if let Some(dataset) = self.dataset.as_ref().filter(|_| !open.is_empty()) {
            let known = dataset.answers(&open)?;
            open.retain(|question| !known.contains_key(question));
            answers.extend(known);
        }
        if self.is_offline {
            answers.extend(std::mem::take(&mut open).into_iter().map(|question| {
                let refused = CheckAnswer::refused(&question.key.to_string(), Refusal::of(NOT_STORED));
                (question, refused)
            }));
        }
        // A client reads certificates and opens a runtime: nothing that an answer of the store should wait for.
        if open.is_empty() {
            return Ok(answers);
        }
        let own = targets.iter().filter_map(|target| match &target.subject {
            CheckSubject::Endpoint { url, is_own: true } => Some(url.clone()),
            _ => None,
        });
        let reports = self.store.as_ref().map(StoredAnswers::reports).transpose()?.flatten();
        let registries = Registries::open(&self.resolved, &own.collect::<Vec<_>>(), reports, self.at)?;
        let progress = StageProgress::stage("check", u64::try_from(open.len()).ok(), self.is_quiet);
        let found = run::runtime()?.block_on(registries.answer(open, self.pool, &progress));
        progress.finish();
        answers.extend(found);
        Ok(answers)
    }
}

/// The question that a subject is to the sources of the schedule.
///
/// # Errors
/// Why it is none.
pub fn question(resolved: &Resolved, subject: &CheckSubject) -> Result<Question, Refusal> {
    let of = |kind: Ecosystem, name: &str| ListingKey::new(kind.as_str(), name);
    match subject {
        CheckSubject::Package { key, registry: None } => Ok(Question { key: key.clone(), commit: None }),
        CheckSubject::Package { key, registry: Some(registry) } => {
            let named = registry_name(&format!("https://{registry}"));
            let run = resolved
                .sources
                .iter()
                .find(|(_, run)| run.kind == key.source && registry_name(&run.settings.base_url) == named);
            let why = || {
                Refusal::of(format!("no table of the schedule asks the registry {registry}; name one with --config"))
            };
            run.map(|(id, _)| Question { key: ListingKey::new(id, key.name.clone()), commit: None }).ok_or_else(why)
        }
        CheckSubject::Repository { name, commit } => {
            Ok(Question { key: of(Ecosystem::GitHub, name), commit: commit.clone() })
        }
        CheckSubject::Endpoint { url, .. } => Ok(Question { key: of(Ecosystem::Mcp, url), commit: None }),
        CheckSubject::Unjudgeable(why) => Err(Refusal::of(why.clone())),
        CheckSubject::Loaded => Err(Refusal::of("it lies on this machine, and no source is asked for it")),
    }
}

/// Judges what was found out about a target.
fn judged(
    target: CheckTarget,
    (answer, approved): (CheckAnswer, Claim<bool>),
    from: &Path,
    at: AsOf,
    (policy, appeals): (&Arc<OperatorPolicy>, &Arc<Vec<Appeal>>),
) -> CheckedTarget {
    let CheckAnswer { scanned, identity, version, by, refusal } = answer;
    let purl = by.and_then(|_| Purl::of_identity(&identity, version.as_deref())).map(|purl| purl.to_string());
    let record = Arc::new(TargetRecord {
        name: target.name.clone(),
        purl,
        version,
        answered_by: by.map(|by| match by {
            AnsweredBy::Store(_) => "store",
            AnsweredBy::Dataset(_) => "dataset",
            AnsweredBy::Registry => "registry",
        }),
        asked_at: match by {
            Some(AnsweredBy::Store(asked)) => asked.map(|asked| asked.to_string()),
            Some(AnsweredBy::Dataset(asked)) => Some(asked.to_string()),
            _ => None,
        },
        found_in: target.found_in.clone(),
    });
    let input = JudgedInput {
        name: target.name.clone(),
        // As an archive has it: the name is of one version, and what is inside stays.
        place: InputPlace::of(Path::new(&target.name), from, true),
        aliases: Vec::new(),
        left_out: Vec::new(),
        contents: Arc::default(),
        target: Some(Arc::clone(&record)),
        policy: Arc::clone(policy),
        appeals: Arc::clone(appeals),
    };
    let mut judged = judging::judge_scanned(scanned, &input, at);
    // The reason itself says more than that something was not looked at.
    if let (Some(refusal), Some(package)) = (&refusal, judged.last_mut()) {
        package.verdict.reason.clone_from(&refusal.reason);
    }
    CheckedTarget { target, record, refusal, approved, judged, loose: BTreeMap::new() }
}
