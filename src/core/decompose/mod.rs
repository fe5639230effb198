//! Decomposing: which capabilities a bundle holds, and which of its files belong to each.
//!
//! Every file belongs to exactly one capability; what none claims belongs to the one `package` capability, which is
//! always there and always last. Must not judge anything.

use crate::bundle::Bundle;
use crate::capability::{Capability, Kind};
use crate::digest::Digest;
use crate::evidence::Evidence;
use crate::ids::{CapabilityId, slug_of};

/// Finds the capabilities of a bundle, sorted by (kind, path), the package's unclaimed rest last.
pub fn decompose(bundle: &Bundle, _evidence: &Evidence) -> Vec<Capability> {
    vec![capability(bundle, Kind::Package, "", &bundle.identity, bundle.files.keys().cloned().collect())]
}

/// Builds a capability from its anchor and the sorted paths of its files.
pub(crate) fn capability(bundle: &Bundle, kind: Kind, path: &str, name: &str, files: Vec<String>) -> Capability {
    let content = Digest::of_tree(
        files.iter().filter_map(|path| bundle.files.get(path).map(|file| (path.as_str(), file.digest))),
    );
    Capability {
        id: CapabilityId::of(&bundle.identity, kind, path),
        kind,
        path: path.to_owned(),
        name: name.to_owned(),
        slug: slug_of(&bundle.identity, kind, path),
        files,
        content,
    }
}
