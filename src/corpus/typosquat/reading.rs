//! `Reading`: a name as the words that are its own and the affixes around them.
//!
//! Two names with one core are alike where they are also alike around it. Where they share a vendor's word and each says
//! another kind of thing (`acme-sdk`, `mcp-acme`), they are two things for one vendor and no likeness.

use super::distance;
use super::name::{Name, without_digits, words};
use super::words::{Affixes, GLUED_AFTER, GLUED_BEFORE};

/// The least number of letters that must be left of a name without affixes.
const CORE_LEAST: usize = 4;
/// The name of the protocol in full: the words are one affix, as its short form is.
const SPELLED_OUT: [&str; 3] = ["model", "context", "protocol"];

/// One way to read a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// The own words without what parts them and without a version; the whole key where too little would be left.
    pub(super) core: String,
    /// The affixes around it; words for one thing are one.
    around: Affixes,
}

impl Reading {
    /// Reads a text in small Latin letters.
    fn of(latin: &str) -> Self {
        let (mut own, mut around, mut only) = (String::with_capacity(latin.len()), Affixes::default(), None);
        let mut is_first = true;
        for word in short_words(latin) {
            only = Some(word).filter(|_| is_first);
            is_first = false;
            match affix(word).or_else(|| misspelt(word)) {
                Some(affix) => around.add(affix),
                None => own.push_str(word),
            }
        }
        // A glued affix is only taken off where the word is the whole name.
        let (own, glued) = match only {
            Some(word) if word == own => unglued(word),
            _ => (own.as_str(), None),
        };
        glued.and_then(affix).into_iter().for_each(|affix| around.add(affix));
        let core = without_digits(own, CORE_LEAST);
        if core.chars().count() < CORE_LEAST {
            // Nothing stands around a name that is all its own.
            return Self { core: short_words(latin).collect(), around: Affixes::default() };
        }
        Self { core: core.to_owned(), around }
    }

    /// The readings of a name: as a whole, and without its scope where it has one.
    pub(super) fn all(name: &Name) -> impl Iterator<Item = Self> {
        let behind = name.scoped().map(|(_, base)| base);
        std::iter::once(name.latin.as_str()).chain(behind).map(Self::of)
    }

    /// True where the two are alike around their cores too: an affix in common, or only such as say nothing of the kind of
    /// thing.
    pub(super) fn is_formed_like(&self, other: &Self) -> bool {
        self.around.meets(other.around) || !(self.around.say_kind() || other.around.say_kind())
    }
}

/// The words of a text, the protocol's name in full as its short form.
fn short_words(latin: &str) -> impl Iterator<Item = &str> {
    let mut rest = words(latin);
    std::iter::from_fn(move || {
        let word = rest.next()?;
        if word == SPELLED_OUT[0] {
            let mut after = rest.clone();
            if SPELLED_OUT[1..].iter().all(|spelled| after.next() == Some(spelled)) {
                rest = after;
                return Some("mcp");
            }
        }
        Some(word)
    })
}

/// True where a word of a name says what kind of thing it is the name of.
pub(super) fn says_kind(word: &str) -> bool {
    affix(word).is_some_and(Affixes::say_kind)
}

/// The affix that a word is, with its number or plural taken off; words for one thing in one form.
fn affix(word: &str) -> Option<Affixes> {
    let one_form = |found: &str| match found {
        // The protocol's name and what speaks it are used for each other.
        "server" | "modelcontextprotocol" => Affixes::of("mcp"),
        found => Affixes::of(found),
    };
    if let Some(found) = one_form(word) {
        return Some(found);
    }
    let stem = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    // Most words have neither.
    let of_stem = Some(stem).filter(|stem| stem.len() < word.len()).and_then(one_form);
    of_stem.or_else(|| one_form(stem.strip_suffix('s')?))
}

/// The affix of servers that a word is almost: `mpc`, `servver`.
fn misspelt(word: &str) -> Option<Affixes> {
    const SERVER: &str = "server";
    // An edit leaves the beginning or the end as it is: hardly any word is compared.
    let may_be_near = word.len().abs_diff(SERVER.len()) <= 1 && (word.starts_with("se") || word.ends_with("er"));
    let is_near = may_be_near && distance::exact(word, SERVER) == 1;
    if is_near || matches!(word, "mpc" | "cmp") { Affixes::of("mcp") } else { None }
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
            let around = |affixes: Affixes| {
                ["mcp", "js"].into_iter().filter(move |word| affixes.meets(Affixes::of(word).unwrap()))
            };
            let last = Reading::all(&name).last();
            last.map(|reading| (reading.core, around(reading.around).collect::<String>())).unwrap_or_default()
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
