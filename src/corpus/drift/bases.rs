//! Bases: the places for which names stand where requests are made: a constant, a key of a JSON file, a list, an object of
//! options, a client that was given its base address.
//!
//! Nothing is evaluated: names are looked up by their last part, in the file and in those that it imports. Linear in the
//! text.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::outbound_calls::{GIVES, arguments_from};
use capdex_evidence::document::Document;
use capdex_evidence::expression;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::language::Language;

/// Names that are read in one file, and places that one name may have: nobody writes so many by hand.
const MAX_NAMES: usize = 50_000;
const MAX_PLACES: usize = 50;

/// A name, and an address behind it: `BASE = "https://host"`, `"base": "https://host"`, `BASE = env.BASE ?? "https://host"`.
static BASE: LazyLock<Regex> = LazyLock::new(|| {
    expression::of(
        r#"(?i)([a-z_$][\w$]*)["'`]?\s*\]?\s*(?::\s*[\w.]+\s*)?(?:=>?|:)\s*(?:[^;\n={}"'`]*(?:["'`]\w*["'`]\s*[)\]]?\s*)?(?:\|\||\?\?|\bor\b|,)\s*)?f?["'`](?:https?|wss?)://([a-z0-9][a-z0-9.-]{0,252}|\[[0-9a-f:.]{2,45}\])"#,
    )
});
/// A name, and what looks like a host behind it.
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    expression::of(
        r#"(?i)([a-z_$][\w$]*)["'`]?\s*\]?\s*(?:=|:)\s*["'`]([a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.[a-z]{2,24})(?::\d+)?["'`]"#,
    )
});
/// A name and the list that it is given.
static LIST: LazyLock<Regex> =
    LazyLock::new(|| expression::of(r#"(?i)([a-z_$][\w$]*)["']?\s*[:=]\s*[\[(]([^\[\](){}]*)[\])]"#));
/// A name and the object that it is given, one level deep.
static OBJECT: LazyLock<Regex> =
    LazyLock::new(|| expression::of(r"(?i)([a-z_$][\w$]*)\s*=\s*\{((?:[^{}]|\{[^{}]*\})*)\}"));
/// A name that is given another: `const to = BASE;`, `for (const one of ALL)`, `ALL.map((one) =>`.
static ALIAS: LazyLock<Regex> = LazyLock::new(|| {
    expression::of(
        r"(?im)\b([a-z_$][\w$]*)(?:\s*=\s*|\s+(?:of|in)\s+)(?:[a-z_$][\w$]*\??\.)*([a-z_$][\w$]*)(?:\[[^\]\n]*\])?\s*(?:[;):]|$)|\b([a-z_$][\w$]*)\.(?:map|forEach|flatMap)\(\s*(?:async\s*)?\(?\s*([a-z_$][\w$]*)",
    )
});
/// A name that is given what a call makes.
static MADE: LazyLock<Regex> =
    LazyLock::new(|| expression::of(r"(?i)\b([a-z_$][\w$]*)\s*=\s*(?:(?:await|new)\s+)*[a-z_$][\w$.]*\("));
/// The base address of all that a client asks.
static CLIENT_BASE: LazyLock<Regex> = LazyLock::new(|| {
    expression::of(
        r#"(?i)\b(?:base_?ur[li]|prefix_?url)["']?\s*[:=]\s*(?:f?["'`](?:https?|wss?)://([a-z0-9][a-z0-9.-]{0,252})|(?:[a-z_$][\w$]*\.)*([a-z_$][\w$]*))"#,
    )
});
/// A client whose defaults are set.
static DEFAULTS: LazyLock<Regex> =
    LazyLock::new(|| expression::of(r"(?i)\b([a-z_$][\w$]*)\.defaults\.(base_?url\s*=[^;\n]*)"));
/// A host among the options of a request, with a scheme or without one.
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    expression::of(
        r#"(?i)\b(?:url|uri|href|hostname|host|base_?ur[li]|endpoint|origin)["']?\s*[:=]\s*f?["'`](?:(?:https?|wss?)://)?([a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)+)"#,
    )
});
static ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| expression::of(r#"(?i)["'`](?:https?|wss?)://([a-z0-9][a-z0-9.-]{0,252}|\[[0-9a-f:.]{2,45}\])"#));

/// The hosts of a name, lower-case; true where what stands beside the address is given to it.
pub(super) type Hosts = BTreeMap<String, bool>;

/// The places of names.
#[derive(Debug, Default)]
pub(super) struct Bases {
    names: BTreeMap<String, Hosts>,
    /// Names of what looks like a host: `HOST = "in.host"`. It is one where a request is written with a scheme before it.
    bare: BTreeMap<String, Hosts>,
    clients: BTreeMap<String, Hosts>,
}

impl Bases {
    /// The names of a program or a JSON file.
    pub(super) fn of(document: &Document) -> Self {
        let mut bases = Self::default();
        let is_program = matches!(document.role, FileRole::Source | FileRole::Script);
        if !is_program && (document.language != Language::Json || document.role == FileRole::Lock) {
            return bases;
        }
        let text = document.text.as_str();
        // What every find of an expression holds is asked of the whole text first: each begins at any word, which is slow.
        let has_address = ADDRESS.is_match(text);
        if has_address {
            for found in BASE.captures_iter(text).take(MAX_NAMES) {
                if let (Some(name), Some(host)) = (found.get(1), found.get(2)) {
                    put(&mut bases.names, name.as_str(), host.as_str(), false);
                }
            }
        }
        for found in BARE.captures_iter(text).take(MAX_NAMES) {
            if let (Some(name), Some(host)) = (found.get(1), found.get(2)) {
                put(&mut bases.bare, name.as_str(), host.as_str(), false);
            }
        }
        if !is_program {
            return bases;
        }
        if has_address {
            for found in LIST.captures_iter(text).take(MAX_NAMES) {
                let (Some(name), Some(list)) = (found.get(1), found.get(2)) else { continue };
                hosts_in(list.as_str()).for_each(|host| put(&mut bases.names, name.as_str(), host, false));
            }
        }
        if PLACE.is_match(text) {
            for found in OBJECT.captures_iter(text).take(MAX_NAMES) {
                let (Some(name), Some(object)) = (found.get(1), found.get(2)) else { continue };
                let gives = GIVES.is_match(object.as_str());
                options_in(object.as_str()).for_each(|host| put(&mut bases.names, name.as_str(), host, gives));
            }
        }
        if !bases.names.is_empty() {
            bases.read_aliases(text);
        }
        if CLIENT_BASE.is_match(text) {
            bases.read_clients(text);
        }
        bases
    }

    /// Adds those of another file.
    fn join(&mut self, other: &Self) {
        let maps =
            [(&mut self.names, &other.names), (&mut self.bare, &other.bare), (&mut self.clients, &other.clients)];
        for (into, of) in maps {
            for (name, hosts) in of {
                hosts.iter().for_each(|(host, gives)| put(into, name, host, *gives));
            }
        }
    }

    /// The hosts of a name; `bare` where a name of a host alone is one.
    fn of_name(&self, name: &str, bare: bool) -> Option<&Hosts> {
        self.names.get(name).or_else(|| self.bare.get(name).filter(|_| bare))
    }

    /// An alias of an alias is as far as hands go.
    fn read_aliases(&mut self, text: &str) {
        for _ in 0..2 {
            let aliases: Vec<(&str, Hosts)> = ALIAS
                .captures_iter(text)
                .take(MAX_NAMES)
                .filter_map(|found| {
                    let part = |at: usize| found.get(at).map(|part| part.as_str());
                    let (alias, name) = (part(1).or(part(4))?, part(2).or(part(3))?);
                    Some((alias, self.names.get(name)?.clone()))
                })
                .collect();
            for (alias, hosts) in aliases {
                hosts.iter().for_each(|(host, gives)| put(&mut self.names, alias, host, *gives));
            }
        }
    }

    fn read_clients(&mut self, text: &str) {
        let made = MADE.captures_iter(text).take(MAX_NAMES).filter_map(|found| {
            let (whole, name) = (found.get(0)?, found.get(1)?);
            Some((name.as_str(), self.client_base(arguments_from(text, whole.end()))?))
        });
        let set = DEFAULTS
            .captures_iter(text)
            .take(MAX_NAMES)
            .filter_map(|found| Some((found.get(1)?.as_str(), self.client_base(found.get(2)?.as_str())?)));
        let clients: Vec<(&str, Hosts)> = made.chain(set).collect();
        for (name, hosts) in clients {
            hosts.iter().for_each(|(host, gives)| put(&mut self.clients, name, host, *gives));
        }
    }

    /// The base address among the arguments with which a client is made.
    pub(super) fn client_base(&self, arguments: &str) -> Option<Hosts> {
        let found = CLIENT_BASE.captures(arguments)?;
        match (found.get(1), found.get(2)) {
            (Some(host), _) => Some(Hosts::from([(host.as_str().to_ascii_lowercase(), false)])),
            (_, Some(name)) => self.names.get(name.as_str()).cloned(),
            _ => None,
        }
    }
}

/// The places of the names of several files.
#[derive(Debug, Default)]
pub(super) struct FileBases<'a> {
    /// Those of each file, by its path.
    own: BTreeMap<&'a str, Bases>,
    /// Those of all of them.
    pub(super) shared: Bases,
}

impl<'a> FileBases<'a> {
    /// Reads one more file; once, however many capabilities have it.
    pub(super) fn add(&mut self, document: &'a Document) {
        if let Entry::Vacant(entry) = self.own.entry(&document.path) {
            self.shared.join(entry.insert(Bases::of(document)));
        }
    }

    /// Those of a file; none of one that was not read.
    pub(super) fn own(&self, path: &str) -> Option<&Bases> {
        self.own.get(path)
    }
}

fn put(into: &mut BTreeMap<String, Hosts>, name: &str, host: &str, gives: bool) {
    let hosts = into.entry(name.to_owned()).or_default();
    let host = host.to_ascii_lowercase();
    if hosts.len() < MAX_PLACES || hosts.contains_key(&host) {
        *hosts.entry(host).or_default() |= gives;
    }
}

/// The hosts of the addresses in a text, as they are written.
pub(super) fn hosts_in(text: &str) -> impl Iterator<Item = &str> {
    ADDRESS.captures_iter(text).filter_map(|found| Some(found.get(1)?.as_str()))
}

/// The hosts among the options of a request.
pub(super) fn options_in(text: &str) -> impl Iterator<Item = &str> {
    PLACE.captures_iter(text).filter_map(|found| Some(found.get(1)?.as_str()))
}

/// The names of a file that come from others, and those that are its own objects.
#[derive(Default)]
pub(super) struct Scope<'a> {
    /// The name in the other file, by the name here.
    imported: BTreeMap<&'a str, &'a str>,
    objects: BTreeSet<&'a str>,
}

impl<'a> Scope<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        static CLAUSE: LazyLock<Regex> = LazyLock::new(|| {
            expression::of(
                r#"(?m)\bimport\b([^;"'`()=]*)\bfrom\b|\{([^{}()=;]*)\}\s*=|^\s*from\s+[\w.]+\s+import\s+(\([^)]*\)|[^\n]*)|^\s*import\s+([\w., ]+)"#,
            )
        });
        static WORD: LazyLock<Regex> =
            LazyLock::new(|| expression::of(r"([A-Za-z_$][\w$]*)(?:(?:\s+as\s+|\s*:\s*)([A-Za-z_$][\w$]*))?"));
        static LOADED: LazyLock<Regex> = LazyLock::new(|| {
            expression::of(
                r"\b([A-Za-z_$][\w$]*)\s*=\s*(?:[^;\n=]*\W)?(?:require|import|parse|readFile\w*|read_?[jJ]son\w*|loads?|safe_load)\s*\(",
            )
        });
        static OWN: LazyLock<Regex> = LazyLock::new(|| {
            expression::of(r"\b(?:class|enum)\s+([A-Za-z_$][\w$]*)|\b([A-Za-z_$][\w$]*)\s*=\s*(?:[\w.]+\(\s*)?\{")
        });
        let mut scope = Self::default();
        for clause in CLAUSE.captures_iter(text).take(MAX_NAMES) {
            let Some(names) = (1..=4).find_map(|at| clause.get(at)) else { continue };
            for word in WORD.captures_iter(names.as_str()) {
                let Some(name) = word.get(1) else { continue };
                let here = word.get(2).unwrap_or(name);
                scope.imported.insert(here.as_str(), name.as_str());
            }
        }
        for loaded in LOADED.captures_iter(text).take(MAX_NAMES).filter_map(|found| found.get(1)) {
            scope.imported.insert(loaded.as_str(), loaded.as_str());
        }
        let own = OWN.captures_iter(text).take(MAX_NAMES).filter_map(|found| found.get(1).or(found.get(2)));
        scope.objects.extend(own.map(|name| name.as_str()));
        scope
    }

    /// The hosts of a name, written with what stands before its last part: `settings.` of `settings.base`.
    pub(super) fn places<'b>(
        &self,
        (root, name): (&str, &str),
        bare: bool,
        own: &'b Bases,
        shared: &'b Bases,
    ) -> Option<&'b Hosts> {
        if root.is_empty() {
            let of_other = || shared.of_name(self.imported.get(name)?, bare);
            return own.of_name(name, bare).or_else(of_other);
        }
        let is_own = matches!(root, "this" | "self" | "cls") || self.objects.contains(root);
        let of_other = || self.imported.contains_key(root).then(|| shared.of_name(name, bare)).flatten();
        is_own.then(|| own.of_name(name, bare)).flatten().or_else(of_other)
    }

    /// The hosts that a client asks.
    pub(super) fn client<'b>(&self, name: &str, own: &'b Bases, shared: &'b Bases) -> Option<&'b Hosts> {
        own.clients.get(name).or_else(|| shared.clients.get(*self.imported.get(name)?))
    }
}
