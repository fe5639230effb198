//! `Request`: a request that a file makes to a place of somebody's, with what it gives to it, and where the address stands: in
//! the call, under a name, in another file, in the client that is asked.
//!
//! Linear in the text: each call is read once, to a bounded length.

use std::sync::LazyLock;

use regex::Regex;

use super::bases::{Bases, FileBases, Hosts, Scope, hosts_in, options_in};
use super::hosts;
use super::outbound_calls::{GIVES, MAX_CALLS, arguments_from};
use capdex_evidence::document::Document;
use capdex_evidence::expression;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::zones::ZoneKind;

/// A request to a place of somebody's.
#[derive(Debug)]
pub(super) struct Request<'a> {
    /// The host, lower-case.
    pub host: String,
    /// The byte at which its arguments begin.
    pub offset: usize,
    /// Its arguments.
    pub text: &'a str,
    /// True where it gives the host something beyond the address.
    pub gives: bool,
}

/// A call that asks a server, with what it is a method of.
static CALL: LazyLock<Regex> = LazyLock::new(|| {
    expression::of(
        r"(?:\b([A-Za-z_$][\w$]*)|(\)))?\s*\.\s*(fetch|post|put|patch|request|send|urlopen|sendBeacon|axios|got|ky|ofetch|Request|NewRequest|WebSocket)\s*\(|\b(fetch|post|put|patch|request|send|urlopen|sendBeacon|axios|got|ky|ofetch|Request|NewRequest|WebSocket)\s*\(",
    )
});
/// The distance back to the bracket that opens a call whose answer is asked: `create({ … }).post(`.
const CHAIN: usize = 300;
/// The longest address that is read, in bytes.
const ADDRESS: usize = 300;

/// True where a file is a program with a call that asks a server.
pub(super) fn asks(document: &Document) -> bool {
    matches!(document.role, FileRole::Source | FileRole::Script) && CALL.is_match(&document.text)
}

/// The requests of a file to hosts that are somebody's; none of one whose names were not read.
pub(super) fn requests<'a>(document: &'a Document, bases: &FileBases<'_>) -> Vec<Request<'a>> {
    let text = document.text.as_str();
    let Some(own) = bases.own(&document.path).filter(|_| asks(document)) else { return Vec::new() };
    let names = Names { own, shared: &bases.shared, scope: Scope::of(text) };
    let mut found = Vec::new();
    for call in CALL.captures_iter(text).take(MAX_CALLS) {
        let (Some(whole), Some(name)) = (call.get(0), call.get(3).or(call.get(4))) else { continue };
        // A comment asks nobody.
        if document.zone_at(name.start()) == ZoneKind::Comment {
            continue;
        }
        let arguments = arguments_from(text, whole.end());
        // Many libraries name the method or the body in an options object.
        let gives =
            matches!(name.as_str(), "post" | "put" | "patch" | "sendBeacon" | "WebSocket") || GIVES.is_match(arguments);
        let made = call.get(2).map_or("", |bracket| chained(text, bracket.start()));
        for (host, also) in names.asked(call.get(1).map_or("", |client| client.as_str()), made, arguments) {
            let host = host.trim_end_matches(['.', '-']).to_owned();
            if !hosts::is_nobodys(&host) {
                found.push(Request { host, offset: whole.end(), text: arguments, gives: gives || also });
            }
        }
    }
    found
}

/// What a file can call a place by.
struct Names<'a> {
    own: &'a Bases,
    shared: &'a Bases,
    scope: Scope<'a>,
}

impl Names<'_> {
    /// The hosts that a call asks: those that are written there, those of a name, those of the client; `made` are the arguments
    /// with which a client is made on the spot.
    fn asked(&self, client: &str, made: &str, arguments: &str) -> Hosts {
        let address = address_of(arguments);
        let is_object = address.starts_with('{');
        let written: Vec<&str> = if is_object { options_in(address).collect() } else { hosts_in(address).collect() };
        if !written.is_empty() {
            return written.into_iter().map(|host| (host.to_ascii_lowercase(), false)).collect();
        }
        self.named(address)
            .or_else(|| self.scope.client(client, self.own, self.shared).cloned())
            .or_else(|| self.own.client_base(made))
            .unwrap_or_default()
    }

    /// The hosts of the name in an address; in an object of options, of those that say where to.
    fn named(&self, address: &str) -> Option<Hosts> {
        static OPTION: LazyLock<Regex> = LazyLock::new(|| {
            expression::of(
                r#"(?is)^\s*["']?((host|hostname)|url|uri|href|base_?ur[li]|endpoint|origin)["']?\s*(?::(.*)|\}?\s*)$"#,
            )
        });
        let Some(object) = address.strip_prefix('{') else { return self.of_value(address, false) };
        Parts(object).find_map(|part| {
            let option = OPTION.captures(part)?;
            // `{ url }` is short for `{ url: url }`.
            let value = option.get(3).or(option.get(1))?;
            self.of_value(value.as_str(), option.get(2).is_some())
        })
    }

    /// The hosts of the name in a value. A name of a host alone is one where a host is asked for or slashes stand before it:
    /// `id = "kit.first"` looks the same.
    fn of_value(&self, value: &str, is_host: bool) -> Option<Hosts> {
        static BEHIND_SLASHES: LazyLock<Regex> =
            LazyLock::new(|| expression::of(r#"//(?:\$?\{|["'`]\s*\+)\s*([A-Za-z_$][\w$.]*)"#));
        let host = BEHIND_SLASHES.captures(value).and_then(|found| names_in(found.get(1)?.as_str()).into_iter().next());
        names_in(value).into_iter().find_map(|of| {
            let bare = is_host || host.as_ref() == Some(&of);
            self.scope.places((&of.0, &of.1), bare, self.own, self.shared).cloned()
        })
    }
}

/// The argument that says where to: the one that is named so, or the first behind a method.
fn address_of(arguments: &str) -> &str {
    static NAMED: LazyLock<Regex> = LazyLock::new(|| expression::of(r"(?i)^\s*(?:url|uri|endpoint)\s*=[^=]"));
    static METHOD: LazyLock<Regex> =
        LazyLock::new(|| expression::of(r#"^\s*(?:["'`][A-Za-z]{3,7}["'`]|http\.Method\w+)\s*$"#));
    let mut parts = Parts(arguments);
    let first = parts.next().unwrap_or_default();
    let named = Parts(arguments).find(|part| NAMED.is_match(part));
    let address =
        named.unwrap_or_else(|| if METHOD.is_match(first) { parts.next().unwrap_or_default() } else { first });
    let address = address.trim_start();
    address.get(..address.floor_char_boundary(ADDRESS)).unwrap_or(address)
}

/// The arguments of a call, one after another.
struct Parts<'a>(&'a str);

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.0.is_empty() {
            return None;
        }
        let (mut depth, mut open) = (0_usize, None);
        for (at, byte) in self.0.bytes().enumerate() {
            match (open, byte) {
                (Some(mark), _) if mark == byte => open = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'' | b'`') => open = Some(byte),
                (None, b'(' | b'[' | b'{') => depth += 1,
                (None, b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                (None, b',') if depth == 0 => {
                    let (part, rest) = self.0.split_at(at);
                    self.0 = rest.get(1..).unwrap_or_default();
                    return Some(part);
                }
                _ => {}
            }
        }
        Some(std::mem::take(&mut self.0))
    }
}

/// The names in an address, each with what its first part is: `settings`, `base` for `settings.api.base` and for
/// `settings["base"]`. Of a literal only what is put into it has names.
fn names_in(address: &str) -> Vec<(String, String)> {
    static INDEX: LazyLock<Regex> = LazyLock::new(|| expression::of(r#"\[\s*["'](\w+)["']\s*\]"#));
    static NAME: LazyLock<Regex> = LazyLock::new(|| expression::of(r"([A-Za-z_$][\w$]*)((?:\??\.[A-Za-z_$][\w$]*)*)"));
    let address = INDEX.replace_all(address, ".$1");
    let (mut plain, mut open, mut inside) = (String::with_capacity(address.len()), None, 0_usize);
    for letter in address.chars() {
        match (open, letter) {
            (None, '"' | '\'' | '`') => open = Some(letter),
            (Some(_), '{') => inside += 1,
            (Some(_), '}') => inside = inside.saturating_sub(1),
            (Some(mark), _) if mark == letter && inside == 0 => open = None,
            (None, _) => plain.push(letter),
            (Some(_), _) if inside > 0 => plain.push(letter),
            _ => continue,
        }
        if open.is_some() && inside == 0 {
            plain.push(' ');
        }
    }
    let found = NAME.captures_iter(&plain).filter_map(|name| {
        let (first, rest) = (name.get(1)?.as_str(), name.get(2)?.as_str());
        let last = rest.rsplit('.').next().filter(|last| !last.is_empty());
        Some(last.map_or_else(|| (String::new(), first.to_owned()), |last| (first.to_owned(), last.to_owned())))
    });
    found.collect()
}

/// The arguments of the call that ends with a bracket; empty where it begins far before.
fn chained(text: &str, bracket: usize) -> &str {
    let from = bracket.saturating_sub(CHAIN);
    let mut depth = 0_usize;
    for (at, byte) in text.as_bytes().get(from..bracket).unwrap_or_default().iter().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' if depth == 0 => return text.get(from + at + 1..bracket).unwrap_or_default(),
            b'(' => depth -= 1,
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, others: &[(&str, &str)]) -> Vec<(String, bool)> {
        let read = |path: &str, text: &str| Document::read(path, text.as_bytes(), &mut Vec::new());
        let path = if text.contains("import requests") || text.contains("self.") { "a.py" } else { "a.js" };
        let documents: Vec<Document> =
            std::iter::once(&(path, text)).chain(others).map(|(path, text)| read(path, text)).collect();
        let mut bases = FileBases::default();
        documents.iter().for_each(|document| bases.add(document));
        requests(&documents[0], &bases).into_iter().map(|request| (request.host, request.gives)).collect()
    }

    #[test]
    fn a_request_that_gives_is_told_from_one_that_asks() {
        let text = "fetch('https://a.test/x');\nfetch('https://b.test/x', {method: 'POST', body: x});\nfetch('https://a.example.com/');\n";
        assert_eq!(of(text, &[]), [("a.test".to_owned(), false), ("b.test".to_owned(), true)]);
    }

    #[test]
    fn a_place_is_read_wherever_it_stands() {
        for text in [
            "const BASE = 'https://b.test';\nfetch(`${BASE}/in`, {method: 'POST', body: x});",
            "const BASE: string = process.env.BASE ?? 'https://b.test';\nfetch(BASE + '/in', {method: 'POST', body: x});",
            "const BASE = 'https://b.test';\nconst to = BASE;\nfetch(new URL('/in', to), {method: 'POST', body: x});",
            "const ALL = ['https://b.test/1'];\nfor (const one of ALL) fetch(one, {method: 'POST', body: x});",
            "const ALL = ['https://b.test/1'];\nALL.map((one) => fetch(one, {method: 'POST', body: x}));",
            "const ALL = ['https://b.test/1'];\nfetch(ALL[0], {method: 'POST', body: x});",
            "const o = {hostname: 'b.test', method: 'POST', headers: {a: 1}};\nhttps.request(o, done);",
            "https.request({hostname: 'b.test', method: 'POST'}, done);",
            "axios({url: 'https://b.test/in', method: 'post', data: x});",
            "const HOST = 'b.test';\nfetch(`https://${HOST}/in`, {method: 'POST', body: x});",
            "const HOST = 'b.test';\nfetch('https://' + HOST + '/in', {method: 'POST', body: x});",
            "const at = 'b.test';\nhttps.request({path: '/in', hostname: at, method: 'POST'}, done);",
            "const url = 'https://b.test/in';\naxios({method: 'post', url, data: x});",
            "class A {\n  constructor() { this.base = 'https://b.test'; }\n  go() { return fetch(`${this.base}/in`, {method: 'POST', body: x}); }\n}",
            "const at = {base: 'https://b.test'};\nfetch(at.base + '/in', {method: 'POST', body: x});",
            "const http = axios.create({timeout: 1, baseURL: 'https://b.test'});\nhttp.post('/in', x);",
            "const BASE = 'https://b.test';\nthis.http = axios.create({baseURL: BASE});\nthis.http.post('/in', x);",
            "axios.create({baseURL: 'https://b.test'}).post('/in', x);",
            "axios.defaults.baseURL = 'https://b.test';\naxios.post('/in', x);",
            "import requests\nURL = 'https://b.test'\nrequests.post(json=x, url=f'{URL}/in')",
            "import requests\nURL = os.getenv('URL', 'https://b.test')\nrequests.request('POST', URL + '/in', data=x)",
            "self.http = httpx.Client(base_url='https://b.test')\nself.http.post('/in', json=x)",
        ] {
            assert_eq!(of(text, &[]), [("b.test".to_owned(), true)], "{text}");
        }
    }

    #[test]
    fn a_place_is_read_in_another_file_that_is_imported() {
        let json = ("settings.json", "{\"api\": {\"base\": \"https://b.test\"}}");
        let module = ("places.js", "export const BASE = 'https://b.test';");
        let client = ("client.js", "export const http = axios.create({baseURL: 'https://b.test'});");
        for (text, other) in [
            ("import settings from './settings.json';\nfetch(settings.api.base, {method: 'POST', body: x});", json),
            ("const at = require('./settings.json').api;\nfetch(`${at.base}/in`, {method: 'POST', body: x});", json),
            (
                "const at = JSON.parse(readFileSync('settings.json'));\nfetch(at['base'], {method: 'POST', body: x});",
                json,
            ),
            ("import { BASE } from './places.js';\nfetch(`${BASE}/in`, {method: 'POST', body: x});", module),
            ("import {\n  other,\n  BASE as at,\n} from './places.js';\nfetch(at, {method: 'POST', body: x});", module),
            ("const { BASE: at } = require('./places.js');\nfetch(at, {method: 'POST', body: x});", module),
            ("import * as places from './places.js';\nfetch(places.BASE, {method: 'POST', body: x});", module),
            ("import { http } from './client.js';\nhttp.post('/in', x);", client),
        ] {
            assert_eq!(of(text, &[other]), [("b.test".to_owned(), true)], "{text}");
        }
    }

    #[test]
    fn what_only_has_the_name_of_a_place_is_none() {
        let other = ("package.json", "{\"homepage\": \"https://b.test\", \"url\": \"https://b.test\"}");
        for text in [
            "const BASE = 'https://b.test';\nlog(`${BASE}`);",
            "const url = 'https://b.test';\nfetch(args.url, {method: 'POST', body: x});",
            "const base = 'https://b.test';\nhttp.post('/v1/base', x);",
            "export const go = (url, body) => fetch(url, {method: 'POST', body});",
            "const file = 'data.json';\nfetch('./' + file);",
            "const BASE = 'http://localhost:80';\nfetch(BASE);",
            "const id = 'kit.first';\nrequest({id, name: id, url: args.url, body: x});",
            "const id = 'kit.first';\nfetch(`https://${args.host}/${id}`, {method: 'POST', body: x});",
            "const docs = 'https://b.test';\nsend({text: docs, body: x});",
        ] {
            assert_eq!(of(text, &[other]), [], "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([a-z.]{0,6}|[(){}\\[\\]\"'`,:=$ ]{0,4}|fetch\\(|https://b\\.test|é){0,40}") {
            of(&text, &[("a.js", &text)]);
        }
    }
}
