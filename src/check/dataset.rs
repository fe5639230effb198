//! What a dataset says of packages and repositories: the answer of whoever published it, for machines without a store.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use capdex_dataset::export::lookup::{DatasetLookup, KnownCapability, LookupKey};
use capdex_db::Scanned;
use capdex_model::ids::package_identity;
use capdex_model::release_line;
use capdex_model::source_role::Ecosystem;
use capdex_model::time::AsOf;

use super::answer::{AnsweredBy, CheckAnswer};
use super::registries::Question;
use super::stored::{self, FRESH_S};
use crate::jobs::same_version::is_same_version;

/// A dataset, as far as `check` asks it.
pub struct DatasetAnswers {
    dataset: DatasetLookup,
    at: AsOf,
    /// True where an old answer is better than none.
    is_offline: bool,
}

impl DatasetAnswers {
    /// Opens a dataset for questions.
    ///
    /// # Errors
    /// A folder that is no dataset.
    pub fn open(dir: &Path, at: AsOf, is_offline: bool) -> anyhow::Result<Self> {
        Ok(Self { dataset: DatasetLookup::open(dir, &capdex_rules::INDEX)?, at, is_offline })
    }

    /// What it knows of some questions. A version that is asked for by itself is answered by that version alone, the latest one only
    /// while the dataset is of the last day or nobody else can be asked.
    ///
    /// # Errors
    /// Tables that are damaged.
    pub fn answers(&self, questions: &BTreeSet<Question>) -> anyhow::Result<BTreeMap<Question, CheckAnswer>> {
        let asked = questions.iter().filter_map(|question| Some((identity(question)?, question)));
        let asked: Vec<(String, &Question)> = asked.collect();
        let names: BTreeSet<String> = asked.iter().map(|(name, _)| name.clone()).collect();
        let mut known: BTreeMap<String, Vec<KnownCapability>> = BTreeMap::new();
        for capability in self.dataset.capabilities(LookupKey::Package, &names)? {
            known.entry(capability.package.clone()).or_default().push(capability);
        }
        let answer = |(name, question): (String, &Question)| {
            let answer = self.answer(&name, question, known.get(&name)?)?;
            Some((question.clone(), answer))
        };
        Ok(asked.into_iter().filter_map(answer).collect())
    }

    /// Those of some capabilities that send something to a host; none where the dataset has no table of hosts.
    ///
    /// # Errors
    /// A table that is damaged.
    pub fn senders(&self, ids: &BTreeSet<String>) -> anyhow::Result<Option<BTreeSet<String>>> {
        self.dataset.senders(ids)
    }

    fn answer(&self, name: &str, question: &Question, known: &[KnownCapability]) -> Option<CheckAnswer> {
        let version = known.first()?.version.clone();
        let asked = line_of(question).or(question.commit.as_deref());
        let is_fresh = self.at.0.unix_seconds() - self.dataset.as_of().0.unix_seconds() <= FRESH_S;
        let counts = match asked {
            Some(asked) => version
                .as_deref()
                .is_some_and(|known| known == asked || is_same_version(&question.key.source, asked, known)),
            None => is_fresh || self.is_offline,
        };
        if !counts {
            return None;
        }
        let scanned = known.iter().map(scanned);
        let by = Some(AnsweredBy::Dataset(self.dataset.as_of()));
        let scanned = stored::as_scanned(name, scanned.collect());
        Some(CheckAnswer { scanned, identity: name.to_owned(), version, by, refusal: None })
    }
}

/// What a dataset knows of one capability, as if it had been scanned here.
pub fn scanned(known: &KnownCapability) -> Scanned {
    Scanned {
        capability: known.capability.clone(),
        // Only nights compare with them.
        pins: Default::default(),
        surfaces: Default::default(),
        facts: known.facts.clone(),
        completeness: known.completeness.clone(),
    }
}

/// The identity under which a dataset has the subject of a question; none for what it cannot have, such as an endpoint.
pub fn identity(question: &Question) -> Option<String> {
    let source = question.key.source.as_str();
    let is_known = [Ecosystem::Npm, Ecosystem::Pypi, Ecosystem::GitHub].iter().any(|known| known.as_str() == source);
    is_known.then(|| package_identity(source, release_line::package_of(&question.key.name), None))
}

/// The version that a question names; none for the latest, and for a tag, which moves.
pub fn line_of(question: &Question) -> Option<&str> {
    let line = release_line::of_name(&question.key.name).filter(|_| release_line::has_lines(&question.key.source));
    line.map(|(_, line)| line)
}
