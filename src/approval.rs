//! The operator's own list of what may be used, asked about what is judged outside of nights.

use capdex_corpus::identity;
use capdex_db::Scanned;
use capdex_model::approved::ApprovedNames;
use capdex_model::bundle::Bundle;
use capdex_model::capability::Kind;
use capdex_model::listing::Claim;

/// Whether the list names files of this machine: by the manifests that stand in their root, or by their folder.
pub fn of_bundle(list: &ApprovedNames, bundle: &Bundle) -> Claim<bool> {
    if list.is_none() {
        return Claim::Unknown;
    }
    let manifests = bundle.files.iter().filter_map(|(path, file)| identity::named_by(path, &file.bytes));
    let of_root = manifests.filter(|named| named.folder.is_empty());
    let names: Vec<String> = of_root.map(|named| format!("{}:{}", named.ecosystem, named.name)).collect();
    list.has(names.iter().chain([&bundle.identity]).map(String::as_str))
}

/// What was scanned, under another list than that of its night: as it is where no list was given.
pub fn under_list(scanned: Vec<Scanned>, approved: &Claim<bool>) -> Vec<Scanned> {
    let is_alone = scanned.len() == 1;
    let under = |one: Scanned| {
        // A package whose files all belong to capabilities is told of with them.
        let is_rest = one.capability.kind == Kind::Package && one.capability.files.is_empty() && !is_alone;
        if is_rest { one } else { Scanned { facts: capdex_rules::under_list(one.facts, approved), ..one } }
    };
    scanned.into_iter().map(under).collect()
}
