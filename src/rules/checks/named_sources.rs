//! Named sources: where the manifests among a capability's files have plugins and skills fetched from.

use capdex_evidence::manifest::{NamedSource, named_sources as of_manifest};
use capdex_evidence::subject::Subject;

/// Every named source, with the path of the manifest that names it.
pub(super) fn named_sources<'a>(subject: &Subject<'a>) -> impl Iterator<Item = (&'a str, NamedSource<'a>)> + use<'a> {
    let subject = *subject;
    let manifests = subject.capability.files.iter().filter_map(move |path| subject.evidence.manifests.get(path));
    manifests.flat_map(|manifest| of_manifest(manifest).into_iter().map(|source| (manifest.path.as_str(), source)))
}
