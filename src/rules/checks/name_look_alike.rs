//! Names that are almost the name of something known.
//!
//! A weak sign and never a verdict: most names that are close to others belong to honest people.

use std::sync::LazyLock;

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_evidence::surfaces::push_lower;
use capdex_model::capability::Kind;
use capdex_model::fact::Place;
use capdex_model::ids::split_registry;

use super::name_known::{SCOPES, SERVER_PACKAGES, SKILL_NEIGHBOURS, SKILL_TARGETS};

/// Shorter names are too close to everything.
const SHORTEST: usize = 4;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let capability = subject.capability;
    let found = match capability.kind {
        // Skills imitate short product names, servers imitate packages: each is compared with its own list.
        Kind::Skill | Kind::Plugin => skill(&capability.name),
        _ => package(&capability.slug).or_else(|| bare(&capability.name)),
    };
    if let Some(known) = found {
        // A capability's path may be a folder, which no finding can point into.
        let file = if capability.files.binary_search(&capability.path).is_ok() { &capability.path } else { "" };
        let place = Place { file: file.to_owned(), ..Place::default() };
        facts.found(place, &format!("{} is almost {known}", capability.name));
    }
}

fn skill(name: &str) -> Option<&'static str> {
    let folded = fold(name);
    // One edit from a target and ordinary words of their own: `stack` is no imitation of `slack`.
    if SKILL_NEIGHBOURS.contains(&folded.as_str()) {
        return None;
    }
    almost(&folded, &FOLDED_TARGETS)
}

fn bare(name: &str) -> Option<&'static str> {
    almost(&fold(name.rsplit('/').next().unwrap_or(name)), &FOLDED_PACKAGES)
}

/// The scope and the name of an npm or PyPI package, as its slug (`npm:@scope/name#kind:path`) has them.
fn package(slug: &str) -> Option<&'static str> {
    let (identity, _) = split_registry(slug.split('#').next().unwrap_or_default());
    let (registry, name) = identity.split_once(':')?;
    // Elsewhere the part before a slash is an account and no scope.
    if !matches!(registry, "npm" | "pypi") {
        return None;
    }
    let scope = name.split_once('/').map_or("", |(scope, _)| scope);
    // Under a known publisher's scope nobody else can publish: whatever the name is, it is theirs.
    if SCOPES.contains(&scope) {
        return None;
    }
    almost(&fold(scope), &FOLDED_SCOPES).or_else(|| bare(name))
}

/// A known name, as it is written and folded, and how many letters it then has.
struct KnownName {
    name: &'static str,
    folded: String,
    length: usize,
}

type AllKnown = LazyLock<Vec<KnownName>>;

static FOLDED_TARGETS: AllKnown = LazyLock::new(|| all_known(&SKILL_TARGETS));
static FOLDED_PACKAGES: AllKnown = LazyLock::new(|| all_known(&SERVER_PACKAGES));
static FOLDED_SCOPES: AllKnown = LazyLock::new(|| all_known(&SCOPES));

fn all_known(names: &[&'static str]) -> Vec<KnownName> {
    let known = |name: &'static str| {
        let folded = fold(name);
        KnownName { name, length: folded.chars().count(), folded }
    };
    names.iter().map(|name| known(name)).collect()
}

/// The known name that a folded one is almost; none where it is one of them.
fn almost(folded: &str, known: &[KnownName]) -> Option<&'static str> {
    let length = folded.chars().count();
    // Being one of the known names, also of another list entry, ends the question.
    if length < SHORTEST || known.iter().any(|known| known.folded == folded) {
        return None;
    }
    // Made once for all known names.
    let drawn = redraw(folded);
    let ends = ends_of(folded);
    let is_alike = |known: &&KnownName| {
        // One edit leaves the first or the last letter as it is.
        let ends_alike = || std::iter::zip(ends, ends_of(&known.folded)).any(|(one, other)| one == other);
        let one_edit = known.length.abs_diff(length) <= 1 && ends_alike() && is_one_edit(folded, &known.folded);
        known.folded == drawn || (one_edit && !is_variant(folded, &known.folded))
    };
    // One edit adds one letter at most: longer names need no distance.
    known.iter().filter(|known| known.name.len() + 1 >= length).find(is_alike).map(|known| known.name)
}

/// The first and the last byte of a name.
fn ends_of(name: &str) -> [Option<&u8>; 2] {
    [name.as_bytes().first(), name.as_bytes().last()]
}

/// Lower case without what parts words: variants of these are everybody's.
fn fold(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    let letters = name.chars().filter(|letter| !matches!(letter, '-' | '_' | '.' | ' '));
    letters.for_each(|letter| push_lower(&mut folded, letter));
    folded
}

/// The letters that signs, and two letters side by side, are drawn like.
fn redraw(folded: &str) -> String {
    let mut drawn = String::with_capacity(folded.len());
    for letter in folded.chars() {
        let letter = match letter {
            '0' => 'o',
            '1' => 'l',
            '3' => 'e',
            '5' => 's',
            letter => letter,
        };
        let joined = match letter {
            'n' if drawn.ends_with('r') => Some('m'),
            'v' if drawn.ends_with('v') => Some('w'),
            _ => None,
        };
        if joined.is_some() {
            drawn.pop();
        }
        drawn.push(joined.unwrap_or(letter));
    }
    drawn
}

/// The rest of two names without the letters that both begin and end with.
fn apart<'a>(one: &'a str, other: &'a str) -> (&'a str, &'a str) {
    let same = length_of_same(one.chars().zip(other.chars()));
    let (one, other) = (one.get(same..).unwrap_or_default(), other.get(same..).unwrap_or_default());
    let same = length_of_same(one.chars().rev().zip(other.chars().rev()));
    let cut = |name: &'a str| name.get(..name.len() - same).unwrap_or_default();
    (cut(one), cut(other))
}

/// The length in bytes of the first pairs that are the same twice.
fn length_of_same(letters: impl Iterator<Item = (char, char)>) -> usize {
    letters.take_while(|(one, other)| one == other).map(|(letter, _)| letter.len_utf8()).sum()
}

/// A plural or a numbered one of two names that are one edit apart: a name that people give on purpose.
fn is_variant(name: &str, target: &str) -> bool {
    let (added, longer, shorter) = match apart(name, target) {
        (added, "") => (added, name, target),
        ("", added) => (added, target, name),
        _ => return false,
    };
    // Second versions and plurals are how people name their own variants.
    added.bytes().all(|letter| letter.is_ascii_digit()) || (added == "s" && longer.starts_with(shorter))
}

/// True where one letter more, less or other, or two neighbours in the other order, make one name the other.
fn is_one_edit(one: &str, other: &str) -> bool {
    strsim::osa_distance(one, other) == 1
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_edit_is_one_edit() {
        let edit = is_one_edit;
        assert!(edit("slac", "slack"));
        assert!(edit("slcak", "slack"));
        assert!(edit("slock", "slack"));
        assert!(edit("xslack", "slack"));
        assert!(!edit("slack", "slack"));
        assert!(!edit("lcask", "slack"));
        assert!(!edit("sla", "slack"));
        assert!(!edit("", "ab"));
        assert!(edit("a", ""));
        assert!(!edit("", ""));
    }

    proptest! {
        #[test]
        fn an_edit_is_what_making_every_edit_gives(one in "[abé]{0,5}", other in "[abé]{0,5}") {
            let letters: Vec<char> = one.chars().collect();
            let mut edited = BTreeSet::new();
            for at in 0..=letters.len() {
                let (before, behind) = letters.split_at(at);
                let mut add = |new: &[char], behind: &[char]| _ = edited.insert([before, new, behind].concat());
                let without = behind.get(1..);
                for letter in ['a', 'b', 'é'] {
                    add(&[letter], behind);
                    without.into_iter().for_each(|rest| add(&[letter], rest));
                }
                without.into_iter().for_each(|rest| add(&[], rest));
                if let [first, second, rest @ ..] = behind {
                    add(&[*second, *first], rest);
                }
            }
            let is_edited = one != other && edited.contains(&other.chars().collect::<Vec<char>>());
            prop_assert_eq!(is_one_edit(&one, &other), is_edited);
            let ends_alike = std::iter::zip(ends_of(&one), ends_of(&other)).any(|(one, other)| one == other);
            prop_assert!(ends_alike || !is_edited || letters.len() < SHORTEST);
        }

        #[test]
        fn signs_are_redrawn_one_after_the_other(name in "[rnvmwé01359]{0,12}") {
            let single = name.replace('0', "o").replace('1', "l").replace('3', "e").replace('5', "s");
            prop_assert_eq!(redraw(&name), single.replace("rn", "m").replace("vv", "w"));
        }
    }

    #[test]
    fn a_variant_is_a_plural_or_a_numbered_one() {
        assert!(is_variant("cards", "card"));
        assert!(is_variant("card", "cards"));
        assert!(is_variant("car2d", "card"));
        assert!(is_variant("classs", "class"));
        assert!(!is_variant("cardx", "card"));
        assert!(!is_variant("scard", "card"));
        assert!(!is_variant("cark", "card"));
        assert!(!is_variant("cadr", "card"));
        assert!(!is_variant("cardé", "card"));
    }

    #[test]
    fn packages_are_known_by_scope_and_name() {
        assert_eq!(package("npm:@modelcontextprotcol/server-x#package:"), Some("@modelcontextprotocol"));
        assert_eq!(package("npm:@modelcontextprotocol/server-filesystm#package:"), None);
        assert_eq!(package("pypi:mcp-server-fetc#package:"), Some("mcp-server-fetch"));
        assert_eq!(package("npm:mcp-server-git2#package:"), None);
        assert_eq!(package("npm:context-mcp#package:"), None);
        assert_eq!(package("folder:fastmc#package:"), None);
    }
}
