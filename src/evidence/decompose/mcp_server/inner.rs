//! A `package.json` inside a package that makes no second package: a build's copy of the outer one, or a mark that tells
//! how the modules of a folder are written.
//!
//! Source: the documentation of Node.js on nested `package.json` files, and packages of npm, as of 2026-11.

use std::collections::BTreeMap;

use crate::manifest::{Manifest, ManifestKind, around, folder_of, name_of};

/// Folders that a build writes into.
const BUILT: [&str; 8] = ["dist", "build", "out", "esm", "cjs", "commonjs", "bundle", "bundled"];

/// The folders whose `package.json` belongs to the package around them, with the folder of that package.
pub(in crate::decompose) fn inner_manifests<'a>(manifests: &[&'a Manifest]) -> BTreeMap<&'a str, &'a str> {
    let packages = manifests.iter().filter(|manifest| manifest.kind == ManifestKind::PackageJson);
    let packages: BTreeMap<&str, &Manifest> = packages.map(|manifest| (folder_of(&manifest.path), *manifest)).collect();
    let mut parts = BTreeMap::new();
    // Outer folders come before inner ones, so that a part of a part is one of the whole.
    for (folder, manifest) in &packages {
        let Some(nearest) = around(folder).skip(1).find(|outer| packages.contains_key(outer)) else { continue };
        let whole = parts.get(nearest).copied().unwrap_or(nearest);
        let is_part = packages.get(whole).is_some_and(|package| belongs(manifest, nearest, package));
        if is_part {
            parts.insert(*folder, whole);
        }
    }
    parts
}

/// True for a manifest that is part of an outer package: it has no name and needs nothing, has the outer one's name, or
/// lies where a build of that package writes.
fn belongs(manifest: &Manifest, nearest: &str, whole: &Manifest) -> bool {
    let name = manifest.text("name");
    let has = |key: &str| manifest.value.get(key).is_some();
    let is_mark = name.is_none() && !has("dependencies") && !has("bin");
    let is_copy = name.is_some() && name == whole.text("name");
    let folders = around(folder_of(&manifest.path)).take_while(|folder| *folder != nearest);
    let is_built = || folders.into_iter().all(|folder| BUILT.contains(&name_of(folder)));
    is_mark || is_copy || is_built()
}
