//! Names that are almost the name of something known.
//!
//! A lead and never a verdict: most names that are close to others belong to honest people.

use std::sync::LazyLock;

use crate::capability::Kind;
use crate::fact::Place;
use crate::rules::{FactSink, Subject};

use super::card_rule::card_rule;
use super::name_known::{SCOPES, SERVER_PACKAGES, SKILL_NEIGHBOURS, SKILL_TARGETS};

card_rule!(
    /// Names that are almost the name of something known.
    NameLookAlike,
    TEXT,
    check
);

/// Shorter names are too close to everything.
const SHORTEST: usize = 4;

fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let capability = subject.capability;
    let found = match capability.kind {
        Kind::Skill | Kind::Plugin => skill(&capability.name),
        _ => package(&capability.slug).or_else(|| bare(&capability.name)),
    };
    if let Some(known) = found {
        let file = if capability.files.binary_search(&capability.path).is_ok() { &capability.path } else { "" };
        let place = Place { file: file.to_owned(), ..Place::default() };
        facts.found(place, &format!("{} is almost {known}", capability.name));
    }
}

fn skill(name: &str) -> Option<&'static str> {
    let folded = fold(name);
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
    let identity = slug.split('#').next().unwrap_or_default();
    let (registry, name) = identity.split_once(':')?;
    if !matches!(registry, "npm" | "pypi") {
        return None;
    }
    let scope = name.split_once('/').map_or("", |(scope, _)| scope);
    if SCOPES.contains(&scope) {
        return None;
    }
    almost(&fold(scope), &FOLDED_SCOPES).or_else(|| bare(name))
}

/// A known name, as it is written and folded.
struct Known {
    name: &'static str,
    folded: String,
    letters: Vec<char>,
}

type AllKnown = LazyLock<Vec<Known>>;

static FOLDED_TARGETS: AllKnown = LazyLock::new(|| all_known(&SKILL_TARGETS));
static FOLDED_PACKAGES: AllKnown = LazyLock::new(|| all_known(&SERVER_PACKAGES));
static FOLDED_SCOPES: AllKnown = LazyLock::new(|| all_known(&SCOPES));

fn all_known(names: &[&'static str]) -> Vec<Known> {
    let known = |name: &&'static str| Known { name, folded: fold(name), letters: folds_to(name).collect() };
    names.iter().map(known).collect()
}

/// The known name that a folded one is almost; none where it is one of them.
fn almost(folded: &str, known: &[Known]) -> Option<&'static str> {
    let letters: Vec<char> = folded.chars().take(LONGEST).collect();
    if letters.len() < SHORTEST || known.iter().any(|known| known.folded == folded) {
        return None;
    }
    let drawn = redraw(folded);
    let alike = known.iter().find(|known| {
        known.name.len() + 1 >= letters.len()
            && (known.folded == drawn
                || (is_one_edit(&letters, &known.letters) && !is_variant(&letters, &known.letters)))
    });
    alike.map(|known| known.name)
}

/// No known name is longer; one that is cut to this is none of them.
const LONGEST: usize = 64;

/// Lower case without what parts words: variants of these are everybody's.
fn fold(name: &str) -> String {
    folds_to(name).collect()
}

fn folds_to(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|letter| !matches!(letter, '-' | '_' | '.' | ' ')).flat_map(char::to_lowercase)
}

/// The letters that signs are drawn like.
fn redraw(folded: &str) -> String {
    let single: String = folded
        .chars()
        .map(|letter| match letter {
            '0' => 'o',
            '1' => 'l',
            '3' => 'e',
            '5' => 's',
            letter => letter,
        })
        .collect();
    single.replace("rn", "m").replace("vv", "w")
}

/// A plural or a numbered one: a name that people give on purpose.
fn is_variant(name: &[char], target: &[char]) -> bool {
    let (longer, shorter) = if name.len() > target.len() { (name, target) } else { (target, name) };
    let same = longer.iter().zip(shorter).take_while(|(a, b)| a == b).count();
    let added = longer.get(same).filter(|_| longer.len() > shorter.len());
    added.is_some_and(|letter| letter.is_ascii_digit() || (*letter == 's' && same == shorter.len()))
}

/// Whether one letter more, less or other, or two neighbours in the other order, make one name the other.
fn is_one_edit(one: &[char], other: &[char]) -> bool {
    let (longer, shorter) = if one.len() >= other.len() { (one, other) } else { (other, one) };
    if longer.len() > shorter.len() + 1 {
        return false;
    }
    let same = longer.iter().zip(shorter).take_while(|(a, b)| a == b).count();
    let (Some(long_rest), Some(short_rest)) = (longer.get(same..), shorter.get(same..)) else { return false };
    match (long_rest, short_rest) {
        ([_, long @ ..], short) if longer.len() == shorter.len() + 1 => long == short,
        ([a, b, long @ ..], [c, d, short @ ..]) if longer.len() == shorter.len() && a == d && b == c => long == short,
        ([_, long @ ..], [_, short @ ..]) if longer.len() == shorter.len() => long == short,
        _ => false,
    }
}

const TEXT: &str = r#"
id = "name-look-alike"
version = 1
title = "The name is almost the name of something known"
why = "Who types or picks the wrong one of two names gets the other's code. Names one letter apart have been registered for that."
fix = "Nothing to fix if the name is yours: say in the description what it is not."
cannot_see = "Names that are known to fewer people, names with a known one inside, and whether the two have one owner."
severity = "low"
confidence = "low"
kinds = ["skill", "mcp_server", "plugin", "package"]
lifecycle = "stable"
cites = ["SAFE-T1004", "SAFE-T1006", "owasp-mcp:MCP04", "owasp-ast:AST04"]
[codes]
spiderrating = ["TS-W007"]
saferskills = ["SS-MCP-SUPPLY-CHAIN-TYPOSQUAT-01"]

[[examples.fires]]
note = "a letter left out"
files = { "skills/whatsap/SKILL.md" = "---\nname: whatsap\ndescription: Sends messages.\n---\nSend it." }

[[examples.fires]]
note = "two letters in the other order"
files = { "skills/a/SKILL.md" = "---\nname: gogole-search\ndescription: Searches.\n---\nSearch." }

[[examples.fires]]
note = "a digit drawn like a letter"
files = { "skills/a/SKILL.md" = "---\nname: disc0rd\ndescription: Posts.\n---\nPost it." }

[[examples.fires]]
note = "a package"
files = { "package.json" = '{"name": "postmrk-mcp", "dependencies": {"@modelcontextprotocol/sdk": "1"}, "bin": "a.js"}', "a.js" = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\nnew McpServer({name: 'a'});\n" }

[[examples.silent]]
note = "the known one itself"
files = { "skills/slack/SKILL.md" = "---\nname: slack\ndescription: Posts.\n---\nPost it." }

[[examples.silent]]
note = "the same with other separators"
files = { "skills/a/SKILL.md" = "---\nname: open_claw\ndescription: Helps.\n---\nHelp." }

[[examples.silent]]
note = "an ordinary word"
files = { "skills/a/SKILL.md" = "---\nname: stack\ndescription: Stacks.\n---\nStack." }

[[examples.silent]]
note = "a known name with more to it"
files = { "skills/a/SKILL.md" = "---\nname: discord-bot\ndescription: Posts.\n---\nPost it." }

[[examples.silent]]
note = "a plural"
files = { "skills/a/SKILL.md" = "---\nname: calendars\ndescription: Shows days.\n---\nShow." }
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_edit_is_one_edit() {
        let edit =
            |one: &str, other: &str| is_one_edit(&one.chars().collect::<Vec<_>>(), &other.chars().collect::<Vec<_>>());
        assert!(edit("slac", "slack") && edit("slcak", "slack") && edit("slock", "slack") && edit("xslack", "slack"));
        assert!(!edit("slack", "slack") && !edit("lcask", "slack") && !edit("sla", "slack") && !edit("", "ab"));
        assert!(edit("a", "") && !edit("", ""));
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
