//! plugin-moved: an extension tells its client to take all later versions from another place.

use crate::FactSink;
use capdex_evidence::manifest::ManifestKind;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for path in &subject.capability.files {
        let manifest = subject.evidence.manifests.get(path).filter(|found| found.kind == ManifestKind::PluginJson);
        if let Some(source) = manifest.and_then(|manifest| manifest.text("migratedTo")) {
            let place = Place { file: path.clone(), pointer: "/migratedTo".to_owned(), ..Place::default() };
            facts.found(place, source);
        }
    }
}
