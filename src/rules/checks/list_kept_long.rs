//! list-kept-long: a server lets clients keep its list of tools for more than a day.

use serde_json::Value;

use crate::FactSink;
use capdex_evidence::manifest::ManifestKind;
use capdex_evidence::recorded::ListKind;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;

/// A day, in milliseconds.
const DAY: u64 = 24 * 60 * 60 * 1000;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for path in &subject.capability.files {
        let manifest = subject.evidence.manifests.get(path).filter(|found| found.kind == ManifestKind::ToolsList);
        let Some(manifest) = manifest else { continue };
        for list in manifest.recorded.lists.iter().filter(|list| list.kind == ListKind::Tools) {
            let around = list.pointer.rsplit_once('/').map_or("", |(around, _)| around);
            let kept = manifest.value.pointer(around).and_then(|answer| answer.get("ttlMs")).and_then(Value::as_u64);
            if let Some(kept) = kept.filter(|kept| *kept > DAY) {
                let place = Place { file: path.clone(), pointer: format!("{around}/ttlMs"), ..Place::default() };
                facts.found(place, &format!("ttlMs {kept}"));
            }
        }
    }
}
