//! What agents of this machine load, judged where it lies, as `scan` judges files.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use capdex_crawlers::folder::{self, FolderInput, FolderOptions};
use capdex_dataset::scan_record::TargetRecord;
use capdex_model::bundle::Bundle;
use capdex_model::input::{Alias, LeftOut};
use capdex_model::ruling::OperatorPolicy;
use capdex_model::time::AsOf;
use rayon::prelude::*;

use super::loaded_here::{LoadedHere, LooseFiles};
use super::target::{CheckSubject, CheckTarget};
use super::{CheckedTarget, Checker};
use crate::approval;
use crate::formats::place::InputPlace;
use crate::judging::{self, JudgedInput};

/// Who gave the bytes, in the formats for programs.
const DISK: &str = "disk";

impl Checker<'_> {
    /// Judges skills and plugins as a whole each, and files that stand alone by client.
    ///
    /// # Errors
    /// Errors of the store, which holds the operator's word.
    pub fn judge_loaded(&self, here: LoadedHere, from: &Path) -> anyhow::Result<Vec<CheckedTarget>> {
        let (policy, at, list) = (Arc::new(self.policy()?), self.at, &self.approved);
        let LoadedHere { folders, loose, .. } = here;
        let judged = self.pool.install(|| {
            let folders = folders.into_par_iter().map(|(path, shown)| {
                let read = folder::read(&path, &FolderOptions::default());
                let FolderInput { name, files, aliases, left_out, gaps, .. } =
                    read.unwrap_or_else(|error| FolderInput::unread(&path, &error));
                let mut bundle = Bundle { gaps, ..Bundle::local(format!("folder:{name}"), files) };
                bundle.claims.repository_signals.approved = approval::of_bundle(list, &bundle);
                let place = InputPlace::of(&path, from, false);
                judged(&bundle, place, (shown, aliases, left_out), &policy, at)
            });
            let loose = loose.into_par_iter().map(|one| {
                let LooseFiles { root, shown, files, places } = one;
                let bundle = Bundle::local(format!("folder:{shown}"), files);
                let place = InputPlace::of(&root, from, false);
                let judged = judged(&bundle, place, (shown, Vec::new(), Vec::new()), &policy, at);
                CheckedTarget { loose: places, ..judged }
            });
            folders.chain(loose).collect()
        });
        Ok(judged)
    }
}

fn judged(
    bundle: &Bundle,
    place: InputPlace,
    (shown, aliases, left_out): (String, Vec<Alias>, Vec<LeftOut>),
    policy: &Arc<OperatorPolicy>,
    at: AsOf,
) -> CheckedTarget {
    let record = Arc::new(TargetRecord {
        name: shown.clone(),
        purl: None,
        version: None,
        answered_by: Some(DISK),
        asked_at: None,
        found_in: None,
    });
    let input = JudgedInput {
        name: shown.clone(),
        place,
        aliases,
        left_out,
        contents: Arc::default(),
        target: Some(Arc::clone(&record)),
        policy: Arc::clone(policy),
        appeals: Arc::default(),
    };
    let judged = judging::judge(bundle, &input, at);
    let approved = bundle.claims.repository_signals.approved.clone();
    let target = CheckTarget { name: shown, subject: CheckSubject::Loaded, found_in: None };
    CheckedTarget { target, record, refusal: None, approved, judged, loose: BTreeMap::new() }
}
