//! Named recipients: addresses that stand elsewhere and are named where something is sent: constants of the file, of another
//! file or of a JSON file of the package, what is put together from constants, and what a server answered.
//!
//! Nothing is evaluated: the last part of a name is looked up among the keys before constant addresses. Linear in the text.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::recipients::{MAX_ADDRESSES, Recipient, Use, addresses, is_comment, key_before, sending_call, use_of_key};
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::language::Language;

/// The number of times that the same name is looked at where the same is done with it: a name may stand for many
/// addresses.
pub(super) const MAX_USES: usize = 4;

/// Constant addresses by the name before each.
pub(super) type Constants = BTreeMap<String, BTreeSet<String>>;

/// A key, and the name that is its value: `bcc: AUDIT`, `Bcc = settings.archive`.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r#"([A-Za-z_$][\w$-]*)["'`]?\s*\]?\s*(?::|=|\()\s*\[?\s*((?:[A-Za-z_$][\w$]*\??\.){0,4})([A-Za-z_$][\w$]*)(?:\[["']([\w-]+)["']\])?"#,
    )
});
/// A name that is given what a server answers: `const rules = await (await fetch(…)).json()`.
static ANSWERED: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r"(?m)\b([A-Za-z_$][\w$]*)\s*=\s*(?:await\b[\s(]*){0,3}(?:fetch|axios(?:\.\w+)?|got|requests\.\w+|httpx\.\w+|urlopen|urllib\.\w+\.\w+)\s*\(",
    )
});

/// A name that is given an address in parts: a list with a domain that is joined, text that is decoded, `a + "@"`.
static PUT_TOGETHER: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r#"(?m)\b([A-Za-z_$][\w$]*)\s*=\s*(?:\[[^\]\n]{0,200}["'`][\w-]{0,60}[.@][\w.-]{0,60}["'`][^\]\n]{0,100}\]\s*\.(?:join|reverse|map)\b|(?:atob|Buffer\.from|base64\.\w+|bytes\.fromhex)\s*\(\s*b?["'`\[]|String\.fromCharCode\s*\(\s*\d|["'`]@["'`]\.join\s*\(|["'`][\w.+-]{1,60}["'`]\s*\+\s*["'`]@)"#,
    )
});

fn fixed(pattern: &str) -> Regex {
    capdex_evidence::expression::of(pattern)
}

/// The constant addresses of a program or a JSON file by the names before them that say nothing of a recipient.
pub(super) fn constants_of(document: &Document) -> Constants {
    let is_data = document.language == Language::Json && document.role != FileRole::Lock;
    let is_program = matches!(document.role, FileRole::Source | FileRole::Script);
    let mut constants = Constants::new();
    if !is_data && !is_program {
        return constants;
    }
    for address in addresses(document).take(MAX_ADDRESSES) {
        let key = key_before(&document.text, address.start()).map(|key| key.name);
        if let Some(key) = key.filter(|key| use_of_key(key).is_none()) {
            constants.entry(key).or_default().insert(address.as_str().to_lowercase());
        }
    }
    constants
}

/// Constants that are named where an address is expected. Those of other files count where a copy goes, and so does what an
/// answer holds under a name of its own: a message that is only read has the keys of a message.
pub(super) fn named(document: &Document, own: &Constants, shared: &Constants) -> Vec<Recipient> {
    let text = document.text.as_str();
    let answers: BTreeSet<&str> =
        ANSWERED.captures_iter(text).filter_map(|found| Some(found.get(1)?.as_str())).collect();
    let made: BTreeSet<&str> =
        PUT_TOGETHER.captures_iter(text).filter_map(|found| Some(found.get(1)?.as_str())).collect();
    if own.is_empty() && shared.is_empty() && answers.is_empty() && made.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut uses: BTreeMap<(&str, Use), usize> = BTreeMap::new();
    for named in NAMED.captures_iter(text) {
        let part = |at: usize| named.get(at).map_or("", |part| part.as_str());
        let Some(used) = use_of_key(part(1)) else { continue };
        let (root, last) = (part(2).split(['?', '.']).next().unwrap_or_default(), part(3));
        let (root, last) = if part(4).is_empty() { (root, last) } else { (last, part(4)) };
        let of_others = || shared.get(last).filter(|_| used == Use::Copy && !root.is_empty() || is_constant(last));
        let is_answer = || used == Use::Copy && answers.contains(root) && use_of_key(last).is_none();
        let is_made = || used == Use::Copy && root.is_empty() && made.contains(last);
        let named_addresses: Vec<&str> = match own.get(last).or_else(of_others) {
            Some(addresses) => addresses.iter().map(String::as_str).collect(),
            None if is_answer() => vec!["an answer"],
            None if is_made() => vec!["computed"],
            None => continue,
        };
        let start = named.get(0).map_or(0, |whole| whole.start());
        let count = uses.entry((last, used)).or_default();
        if *count < MAX_USES && !is_comment(document, start) {
            *count += 1;
            let call = sending_call(text, start);
            let of_name = named_addresses.iter().map(|address| Recipient {
                address: (*address).to_owned(),
                used,
                call: call.clone(),
                file: document.path.clone(),
                offset: start,
            });
            found.extend(of_name);
        }
    }
    found
}

/// True for a name that is written as constants are: no other file has a variable of it by accident.
fn is_constant(name: &str) -> bool {
    name.len() > 2 && !name.contains(|letter: char| letter.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::super::recipients::recipients;
    use super::*;

    fn of(path: &str, text: &str, data: &str) -> Vec<(String, Use)> {
        let read = |path: &str, text: &str| Document::read(path, text.as_bytes(), &mut Vec::new());
        let shared = constants_of(&read("settings.json", data));
        let found = recipients(&read(path, text), &shared);
        found.into_iter().map(|found| (found.address, found.used)).collect()
    }

    #[test]
    fn a_copy_is_told_wherever_its_address_stands() {
        let data = "{\"mail\": {\"archive\": \"copies@collector.test\"}}";
        for text in [
            "letter.Bcc = settings.mail.archive;\nsend(letter);",
            "send({ to, bcc: settings.archive })",
            "msg[\"Bcc\"] = settings[\"archive\"]",
        ] {
            assert_eq!(of("a.js", text, data), [("copies@collector.test".into(), Use::Copy)], "{text}");
        }
        let answer = "const rules = await (await fetch(URL)).json();\nletter.Bcc = rules.copy;";
        assert_eq!(of("a.js", answer, "{}"), [("an answer".into(), Use::Copy)]);
    }

    #[test]
    fn an_address_in_parts_is_one() {
        for text in [
            "const keep = [\"post\", \"archive.test\"].join(String.fromCharCode(64));\nletter.Cc = keep;",
            "const keep = atob(\"Y29waWVz\");\nsend({ to, bcc: keep });",
            "keep = \"@\".join([\"post\", \"archive.test\"])\nmsg[\"Bcc\"] = keep",
            "const keep = \"post\" + \"@\" + HOST;\nsend({ bcc: keep });",
        ] {
            assert!(of("a.js", text, "{}").contains(&("computed".into(), Use::Copy)), "{text}");
        }
        for text in [
            "const all = [first, second].join(\", \");\nletter.Cc = all;",
            "const keep = atob(input);\nletter.Bcc = keep;",
            "const tag = [\"a.b\", to].join(\" \");\nletter.Tag = tag;",
        ] {
            assert_eq!(of("a.js", text, "{}"), [], "{text}");
        }
    }

    #[test]
    fn what_is_read_or_asked_for_is_no_copy() {
        let data = "{\"support\": \"help@acme-mail.test\"}";
        for text in [
            "const mail = await fetch(URL);\nreturn { to: mail.to, bcc: mail.bcc };",
            "send({ bcc: args.support, to: support })",
            "send({ bcc: process.env.COPY })",
        ] {
            let found = of("a.js", text, if text.contains("args") { "{}" } else { data });
            assert!(found.iter().all(|(_, used)| *used < Use::Copy), "{text}: {found:?}");
        }
    }
}
