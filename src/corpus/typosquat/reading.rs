//! `Reading`: a name as the words that are its own and the affixes around them.
//!
//! Two names with one core are alike where they are also alike around it. Where they share a vendor's word and each says
//! another kind of thing (`acme-sdk`, `mcp-acme`), they are two things for one vendor and no likeness.

use super::distance;
use super::name::{Name, without_digits, words};
use super::words::{AFFIXES, GLUED_AFTER, GLUED_BEFORE, KINDS};

/// The least number of letters that must be left of a name without affixes.
const CORE_LEAST: usize = 4;
/// The name of the protocol in full: the words are one affix, as its short form is.
const SPELLED_OUT: [&str; 3] = ["model", "context", "protocol"];

/// One way to read a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading<'a> {
    /// The own words without what parts them and without a version; the whole key where too little would be left.
    pub(super) core: String,
    /// The affixes around it, in one form each.
    pub(super) around: Vec<&'a str>,
}

impl<'a> Reading<'a> {
    /// Reads a text in small Latin letters.
    fn of(latin: &'a str) -> Self {
        let all: Vec<&str> = words(latin).collect();
        let (mut own, mut around, mut short) = (Vec::new(), Vec::new(), String::new());
        let mut rest = all.as_slice();
        while let Some((word, after)) = rest.split_first() {
            if rest.starts_with(&SPELLED_OUT) {
                around.push("mcp");
                short.push_str("mcp");
                rest = rest.get(SPELLED_OUT.len()..).unwrap_or_default();
                continue;
            }
            short.push_str(word);
            match affix(word).or_else(|| misspelt(word)) {
                Some(affix) => around.push(affix),
                None => own.push(*word),
            }
            rest = after;
        }
        let joined = match own.as_slice() {
            [] => String::new(),
            // A glued affix is only taken off where the word is the whole name.
            [one] if all.len() == 1 => {
                let (core, glued) = unglued(one);
                around.extend(glued.and_then(affix));
                core.to_owned()
            }
            own => own.concat(),
        };
        let core = without_digits(&joined, CORE_LEAST);
        if core.chars().count() < CORE_LEAST {
            // Nothing stands around a name that is all its own.
            return Self { core: short, around: Vec::new() };
        }
        Self { core: core.to_owned(), around }
    }

    /// The readings of a name: as a whole, and without its scope where it has one.
    pub(super) fn all(name: &'a Name) -> impl Iterator<Item = Self> {
        let behind = name.scoped().map(|(_, base)| base);
        std::iter::once(name.latin.as_str()).chain(behind).map(Self::of)
    }

    /// True where the two are alike around their cores too: an affix in common, or only such as say nothing of the kind of
    /// thing.
    pub(super) fn is_formed_like(&self, other: &Self) -> bool {
        let mut all = self.around.iter().chain(&other.around);
        self.around.iter().any(|word| other.around.contains(word)) || !all.any(|word| is_kind(word))
    }
}

/// True where a word of a name says what kind of thing it is the name of.
pub(super) fn says_kind(word: &str) -> bool {
    affix(word).is_some_and(is_kind)
}

fn is_kind(word: &str) -> bool {
    KINDS.binary_search(&word).is_ok()
}

/// The affix that a word is, with its number or plural taken off; words for one thing in one form.
fn affix(word: &str) -> Option<&str> {
    let stem = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let forms = [word, stem, stem.strip_suffix('s').unwrap_or(stem)];
    let found = forms.into_iter().find(|form| AFFIXES.binary_search(form).is_ok())?;
    // The protocol's name and what speaks it are used for each other.
    Some(if matches!(found, "server" | "modelcontextprotocol") { "mcp" } else { found })
}

/// The affix of servers that a word is almost: `mpc`, `servver`.
fn misspelt(word: &str) -> Option<&'static str> {
    let is_near = |affix: &str| word.len().abs_diff(affix.len()) <= 1 && distance::exact(word, affix) == 1;
    (matches!(word, "mpc" | "cmp") || is_near("server")).then_some("mcp")
}

fn unglued(word: &str) -> (&str, Option<&'static str>) {
    let is_long = |rest: &str| rest.chars().count() >= CORE_LEAST;
    let after = GLUED_AFTER.iter().filter_map(|affix| Some((word.strip_suffix(affix)?, Some(*affix))));
    let before = GLUED_BEFORE.iter().filter_map(|affix| Some((word.strip_prefix(affix)?, Some(*affix))));
    after.chain(before).find(|(rest, _)| is_long(rest)).unwrap_or((word, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name::read(text).expect("a name")
    }

    #[test]
    fn a_scope_and_a_spelled_out_protocol_are_read_away() {
        let read = |text: &str| {
            let name = name(text);
            Reading::all(&name).last().map(|reading| (reading.core, reading.around.join(" "))).unwrap_or_default()
        };
        assert_eq!(read("@upstash/context7-mcp"), ("context".into(), "mcp".into()));
        assert_eq!(read("firecrawl-model-context-protocol"), ("firecrawl".into(), "mcp".into()));
        assert_eq!(read("exa-model-context-protocol-server"), ("examcpserver".into(), String::new()));
        assert_eq!(read("@upstash/context7-mpc"), ("context".into(), "mcp".into()));
        assert_eq!(read("postmark-mcps"), ("postmark".into(), "mcp".into()));
        assert_eq!(read("mcp-server"), ("mcpserver".into(), String::new()));
        assert_eq!(read("ethetsjs"), ("ethets".into(), "js".into()));
    }

    #[test]
    fn two_things_for_one_vendor_are_formed_unlike() {
        let alike = |one: &str, other: &str| {
            let (one, other) = (name(one), name(other));
            let of = |name| Reading::all(name).next().expect("one reading");
            of(&one).is_formed_like(&of(&other))
        };
        assert!(alike("postmark-mcp-server", "postmark-mcp"));
        assert!(alike("node-mongoose-pkg", "mongoose"));
        assert!(!alike("clickhouse-io", "mcp-clickhouse"));
        assert!(!alike("stripe-mcp", "stripe"));
    }
}
