//! Recipients: constant mail addresses in code to which something is sent. A copy to a stranger is so seen in a file
//! that is otherwise as it was.
//!
//! No mail library is known: keys, constants and the names of calls around an address tell, in any language. Linear in
//! the text but for a bounded look back from each address.

use std::sync::LazyLock;

use regex::{Match, Regex};

use super::named_recipients::{self, Constants};
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::zones::ZoneKind;

/// The use of an address, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Use {
    /// It stands in the code.
    Constant,
    /// It is among the arguments of a call that sends.
    Argument,
    /// It is the value of a key such as `to`.
    Direct,
    /// It is the value of a key that copies: `bcc`, `cc`, `forward`.
    Copy,
}

/// A constant address in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Recipient {
    /// The address; `computed` where it is put together at run time.
    pub address: String,
    /// The use.
    pub used: Use,
    /// The sending call around it, its last name; none where there is none.
    pub call: Option<String>,
    /// The file.
    pub file: String,
    /// The byte offset in its text.
    pub offset: usize,
}

/// The distance back at which a key is looked for, and a call.
const KEY_REACH: usize = 160;
const CALL_REACH: usize = 3000;
/// Addresses that are looked at in one file: nobody writes so many by hand.
pub(super) const MAX_ADDRESSES: usize = 2000;

static ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| fixed(r"[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}\b"));
/// The last key before the end of a text: `bcc: [a, "`, `Bcc = '`, `msg["Bcc"] = "`, `"Bcc": `.
static KEY: LazyLock<Regex> =
    LazyLock::new(|| fixed(r#"([A-Za-z_$][\w$-]*)["'`]?\s*\]?\s*(?::|=>|=)\s*(?:new\s+\w+\s*)?[\[({]?[^:=;{}]*$"#));
/// A setter or header call: `.bcc("`, `add_header("Bcc", "`, `headers.append("cc", "`.
static SETTER: LazyLock<Regex> = LazyLock::new(|| fixed(r#"([A-Za-z_-]+)["'`]?\s*[,(]\s*\[?\s*["'`]?$"#));
/// A key that copies, followed by something that is put together.
static COMPUTED: LazyLock<Regex> = LazyLock::new(|| {
    fixed(
        r#"(?i)["'`]?\b(bcc|blind_?copy|cc|forward_?to|copy_?to)["'`]?\]?\s*(?::|=)\s*\[?\s*(?:atob\s*\(|Buffer\.from\s*\(|String\.fromCharCode\s*\(|base64\.\w+\s*\(|bytes\.fromhex\s*\(|bytes\s*\(\s*\[|\[[^\]\n]{1,200}\]\.(?:join|map|reverse)|(?:"[^"\n]{1,60}"|'[^'\n]{1,60}')\s*(?:\+\s*["']|\.join\s*\()|[A-Za-z_$][\w$.]{0,60}\.join\s*\(\s*["'`]@|[A-Za-z_$][\w$.\[\]]{0,60}\s*\+\s*["'`]@|`\$\{[^}\n]{1,60}\}@)"#,
    )
});
/// What stands between a key and a constant beside which another recipient stands: `[to, `, `[to].concat(`, `[...to, `.
static BESIDE: LazyLock<Regex> =
    LazyLock::new(|| fixed(r#"\[\s*(?:\.\.\.)?[A-Za-z_$][\w$.]*\s*,|\.concat\s*\(|\+\s*["'`]\s*[,;]"#));
static SENDS: LazyLock<Regex> = LazyLock::new(|| {
    fixed(r"(?i)send|mail|post|fetch|request|notif|publish|forward|deliver|dispatch|upload|submit|transmit|webhook")
});

fn fixed(pattern: &str) -> Regex {
    capdex_evidence::expression::of(pattern)
}

/// The constant addresses in a document's code, outside comments; empty for files that are no program. `shared` are those
/// of the other files.
pub(super) fn recipients(document: &Document, shared: &Constants) -> Vec<Recipient> {
    if !matches!(document.role, FileRole::Source | FileRole::Script) {
        return Vec::new();
    }
    let text = document.text.as_str();
    let mut found = Vec::new();
    for address in addresses(document).take(MAX_ADDRESSES) {
        let key = key_before(text, address.start());
        let used = key.as_ref().and_then(|key| {
            let used = use_of_key(&key.name)?;
            // Whoever is written to gets it, and a stranger with him.
            let beside = text.get(key.end..address.start()).is_some_and(|between| BESIDE.is_match(between));
            Some(if beside { Use::Copy } else { used })
        });
        let call = sending_call(text, address.start());
        let used = used.unwrap_or(if call.is_some() { Use::Argument } else { Use::Constant });
        found.push(recipient(document, address.as_str(), used, call, address.start()));
    }
    let computed = COMPUTED.find_iter(text).filter(|computed| !is_comment(document, computed.start()));
    for computed in computed.take(MAX_ADDRESSES) {
        let call = sending_call(text, computed.start());
        found.push(recipient(document, "computed", Use::Copy, call, computed.start()));
    }
    found.extend(named_recipients::named(document, &named_recipients::constants_of(document), shared));
    found
}

/// The constant addresses in a text, outside comments. What does not count takes no place: a comment full of addresses hides
/// nothing that follows it.
pub(super) fn addresses(document: &Document) -> impl Iterator<Item = Match<'_>> {
    let text = document.text.as_str();
    let is_one = |start: usize, address: &str| is_address(text, start, address) && !is_comment(document, start);
    ADDRESS.find_iter(text).filter(move |found| is_one(found.start(), found.as_str()))
}

/// The call that sends around an offset; none where there is none.
pub(super) fn sending_call(text: &str, offset: usize) -> Option<String> {
    call_around(text, offset).filter(|call| SENDS.is_match(call))
}

fn recipient(document: &Document, address: &str, used: Use, call: Option<String>, offset: usize) -> Recipient {
    Recipient { address: address.to_lowercase(), used, call, file: document.path.clone(), offset }
}

pub(super) fn is_comment(document: &Document, offset: usize) -> bool {
    document.zone_at(offset) == ZoneKind::Comment
}

/// True where a match is a mail address of somebody: not part of a URL or a file name, no placeholder.
fn is_address(text: &str, start: usize, address: &str) -> bool {
    const FILES: [&str; 12] = ["png", "jpg", "jpeg", "gif", "svg", "webp", "js", "mjs", "ts", "css", "json", "py"];
    // Whole domains where no stranger can have an address. Names such as `mail.com` are providers, and a name under
    // another ending is anybody's.
    const PLACEHOLDERS: [&str; 12] = [
        "example.com",
        "example.net",
        "example.org",
        "example.edu",
        "yourdomain.com",
        "yourcompany.com",
        "your-domain.com",
        "your-company.com",
        "mydomain.com",
        "domain.com",
        "company.com",
        "users.noreply.github.com",
    ];
    let before = text.get(..start).and_then(|before| before.chars().next_back());
    let (Some((_, host)), false) = (address.split_once('@'), matches!(before, Some('/' | '@' | '%'))) else {
        return false;
    };
    let host = host.to_lowercase();
    let end = host.rsplit_once('.').map_or("", |(_, end)| end);
    let is_git = address.starts_with("git@");
    let is_password = before == Some(':') && is_in_url(text, start);
    !is_git
        && !is_password
        && !FILES.contains(&end)
        && !matches!(end, "example" | "invalid" | "localhost" | "local")
        && !PLACEHOLDERS.iter().any(|name| host == *name || host.ends_with(&format!(".{name}")))
}

/// True where the text before an offset is the beginning of a URL: `scheme://user:`.
fn is_in_url(text: &str, offset: usize) -> bool {
    let from = text.floor_char_boundary(offset.saturating_sub(KEY_REACH));
    let before = text.get(from..offset).unwrap_or_default();
    let ends = |letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | '`' | '<' | '(' | ',');
    before.rsplit(ends).next().is_some_and(|word| word.contains("://"))
}

/// A name that says what the value behind it is for.
pub(super) struct Key {
    /// The name.
    pub name: String,
    /// The byte behind it.
    pub end: usize,
}

/// The name before an offset that says what the value there is for.
pub(super) fn key_before(text: &str, offset: usize) -> Option<Key> {
    let from = text.floor_char_boundary(offset.saturating_sub(KEY_REACH));
    let before = text.get(from..offset)?;
    let of = |pattern: &Regex| {
        let name = pattern.captures(before)?.get(1)?;
        Some(Key { name: name.as_str().to_owned(), end: from + name.end() })
    };
    // A setter stands nearer than a key; one that says nothing of a recipient is just a call.
    of(&SETTER).filter(|key| use_of_key(&key.name).is_some()).or_else(|| of(&KEY))
}

pub(super) fn use_of_key(key: &str) -> Option<Use> {
    const COPIES: [&str; 20] = [
        "bcc",
        "cc",
        "bccs",
        "ccs",
        "bcclist",
        "cclist",
        "bccaddress",
        "bccaddresses",
        "ccaddress",
        "ccaddresses",
        "bccemail",
        "ccemail",
        "bccrecipients",
        "ccrecipients",
        "blindcopy",
        "copyto",
        "forwardto",
        "forwardingaddress",
        "mirrorto",
        "resentbcc",
    ];
    const DIRECT: [&str; 16] = [
        "to",
        "recipient",
        "recipients",
        "toaddress",
        "toaddresses",
        "toemail",
        "rcpt",
        "rcptto",
        "sendto",
        "replyto",
        "torecipients",
        "notify",
        "notifyemail",
        "toaddrs",
        "destination",
        "forward",
    ];
    let key: String = key.chars().filter(|letter| letter.is_ascii_alphanumeric()).collect();
    let key = key.to_ascii_lowercase();
    if COPIES.contains(&key.as_str()) { Some(Use::Copy) } else { DIRECT.contains(&key.as_str()).then_some(Use::Direct) }
}

/// The last name of the call whose brackets are open at an offset: `sendEmail` for `client.sendEmail({bcc: "`.
fn call_around(text: &str, offset: usize) -> Option<String> {
    const WORDS: [&str; 8] = ["if", "for", "while", "switch", "catch", "return", "function", "await"];
    let from = text.floor_char_boundary(offset.saturating_sub(CALL_REACH));
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    for at in (from..offset).rev() {
        match bytes.get(at) {
            Some(b')' | b']' | b'}') => depth += 1,
            Some(b'[' | b'{') => depth = depth.saturating_sub(1),
            Some(b'(') if depth > 0 => depth -= 1,
            Some(b'(') => {
                let before = text.get(from..at)?.trim_end();
                let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$';
                let name = before.rsplit(|letter: char| !is_part(letter)).next().unwrap_or_default();
                if !name.is_empty() && !WORDS.contains(&name) {
                    return Some(name.to_owned());
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, text: &str) -> Vec<(String, Use, Option<String>)> {
        let document = Document::read(path, text.as_bytes(), &mut Vec::new());
        recipients(&document, &Constants::new())
            .into_iter()
            .map(|found| (found.address, found.used, found.call))
            .collect()
    }

    #[test]
    fn a_copy_is_told_by_its_key_in_any_language() {
        for (path, text) in [
            ("a.js", r#"await client.sendEmail({ From: from, To: to, Bcc: "copies@collector.test", Subject: s })"#),
            ("a.ts", r#"const message = { to, "bcc": ['copies@collector.test'] };"#),
            ("a.py", "msg[\"Bcc\"] = \"copies@collector.test\"\nserver.send_message(msg)\n"),
            ("a.py", "mailer.send(to=to, bcc=[args.audit, 'copies@collector.test'])\n"),
            ("a.py", "message.add_header('Bcc', 'copies@collector.test')\n"),
            ("a.rb", "mail.bcc('copies@collector.test')\n"),
            ("a.go", "m.SetHeader(\"Cc\", \"copies@collector.test\")\n"),
            ("a.js", "const AUDIT = 'copies@collector.test';\nsend({ to: x, bcc: AUDIT });\n"),
            ("a.py", "server.send(\"Bcc:copies@collector.test\")\n"),
        ] {
            let found = of(path, text);
            assert!(
                found.iter().any(|(address, used, _)| address == "copies@collector.test" && *used == Use::Copy),
                "{text}: {found:?}"
            );
        }
        assert_eq!(
            of("a.js", r#"send({ bcc: atob("Y29waWVz") })"#),
            [("computed".into(), Use::Copy, Some("send".into()))]
        );
        assert_eq!(of("a.js", r#"send({ bcc: ["copies", "collector.test"].join("@") })"#).len(), 1);
    }

    #[test]
    fn only_domains_of_nobody_are_placeholders() {
        for address in ["x@mail.ru", "x@mail.com", "x@email.com", "x@company.test", "x@acme.io", "x@example.ru"] {
            assert_eq!(of("a.js", &format!("send({{ bcc: \"{address}\" }})")).len(), 1, "{address}");
        }
        assert_eq!(of("a.js", r#"link("mailto:me@acme-mail.test")"#)[0].0, "me@acme-mail.test");
        for address in ["x@example.com", "x@mail.example.org", "x@a.example", "x@yourdomain.com"] {
            assert!(of("a.js", &format!("send({{ bcc: \"{address}\" }})")).is_empty(), "{address}");
        }
    }

    #[test]
    fn a_name_with_many_addresses_is_not_multiplied_by_its_uses() {
        let addresses: Vec<String> = (0..300).map(|count| format!("'a{count}@collector.test'")).collect();
        let uses = "send({ bcc: LIST });\n".repeat(500);
        // A key is looked for nearby, so that each few addresses have their own.
        let text: String = addresses.chunks(3).map(|few| format!("LIST = [{}];\n", few.join(", "))).collect();
        assert_eq!(of("a.js", &format!("{text}{uses}")).len(), 300 + 300 * named_recipients::MAX_USES);
    }

    #[test]
    fn what_is_no_recipient_is_none() {
        for (path, text) in [
            ("a.js", "// Bcc: copies@collector.test\nsend({ bcc: args.bcc });"),
            ("a.js", r#"z.string().describe("such as bcc: someone@example.com")"#),
            ("a.js", r#"const icon = "logo@2x.png"; const remote = "git@forge.test:a/b.git";"#),
            ("a.js", r#"connect("postgres://user:word@db.collector.test/x")"#),
            ("README.md", "bcc: copies@collector.test"),
            ("a.js", r#"send({ bcc: options.bcc, cc: list.join(",") })"#),
        ] {
            assert!(of(path, text).is_empty(), "{text}: {:?}", of(path, text));
        }
        assert_eq!(of("a.js", r#"send({ bcc: args.bcc, from: "me@acme-mail.test" })"#)[0].1, Use::Argument);
        assert_eq!(of("a.js", r#"const author = "me@acme-mail.test";"#)[0].1, Use::Constant);
        assert_eq!(of("a.js", r#"send({ to: "help@acme-mail.test" })"#)[0].1, Use::Direct);
    }

    #[test]
    fn the_call_around_a_value_is_the_nearest_open_one() {
        let text = r#"server.tool("x", async (a) => { await client.sendEmail({ To: f(a), X: "#;
        assert_eq!(call_around(text, text.len()).as_deref(), Some("sendEmail"));
        assert_eq!(call_around("if (x) { y", 10), None);
    }
}
