//! The path of each page, from the root of the site. The service answers under the same paths.
//!
//! Names are made of digests and of our own ids, never of text that strangers wrote.

use capdex_model::appeal::AppealId;
use capdex_model::digest::Digest;
use capdex_model::ids::CapabilityId;

/// Hex digits of a capability's id in its page's name: too many for anybody to make two that are alike.
pub(crate) const ID_DIGITS: usize = 32;

/// The short id by which the site names a capability.
pub(crate) fn short(id: &CapabilityId) -> String {
    id.0.hex().chars().take(ID_DIGITS).collect()
}

/// The page of a capability.
pub(crate) fn capability(id: &CapabilityId) -> String {
    let short = short(id);
    // Folders of two digits: hundreds of thousands of files in one folder are slow on many file systems.
    format!("c/{}/{short}.html", short.get(..2).unwrap_or_default())
}

/// The short name of a package's page: of its identity, which is a stranger's text.
pub(crate) fn short_of_package(identity: &str) -> String {
    Digest::of(identity.as_bytes()).hex().chars().take(ID_DIGITS).collect()
}

/// The page of a package, by its identity.
pub(crate) fn package(identity: &str) -> String {
    let short = short_of_package(identity);
    format!("p/{}/{short}.html", short.get(..2).unwrap_or_default())
}

/// A file of packages for the search.
pub(crate) fn packages(number: usize) -> String {
    format!("data/packages-{number}.js")
}

/// The page of a rule.
pub(crate) fn rule(id: &str) -> String {
    format!("rule/{id}.html")
}

/// The page of a rubric.
pub(crate) fn rubric(id: &str) -> String {
    // The slash in an id would make a folder of its own.
    format!("rubric/{}.html", id.replace('/', "-"))
}

/// The page of an appeal.
pub(crate) fn appeal(id: &AppealId) -> String {
    format!("appeal/{id}.html")
}

/// A page of the directory by name, by its key.
pub(crate) fn names(key: &str) -> String {
    format!("names/{key}.html")
}

/// A file of ranks, by the digits that its ids begin with.
pub(crate) fn ranks(shard: &str) -> String {
    format!("data/ranks-{shard}.js")
}

/// The file with the capabilities in which a rule found something.
pub(crate) fn found(rule: &str) -> String {
    format!("data/found-{rule}.js")
}

/// The directory with those alone.
pub(crate) fn directory_of_rule(rule: &str) -> String {
    format!("directory.html#rule={rule}")
}

/// A page of a list: the first has the bare name.
pub(crate) fn part(name: &str, number: usize) -> String {
    if number <= 1 { format!("{name}.html") } else { format!("{name}-{number}.html") }
}

/// A file of rows of the directory.
pub(crate) fn rows(number: usize) -> String {
    format!("data/rows-{number}.js")
}

/// The name of one event of drift on the page of its capability.
pub(crate) fn drift_anchor(key: &str) -> String {
    anchor("drift", key)
}

/// The name of an alert on its page.
pub(crate) fn alert_anchor(key: &str) -> String {
    anchor("alert", key)
}

fn anchor(what: &str, key: &str) -> String {
    // Keys hold names of strangers, so an anchor is made of their digest.
    let digits: String = Digest::of(key.as_bytes()).hex().chars().take(16).collect();
    format!("{what}-{digits}")
}
