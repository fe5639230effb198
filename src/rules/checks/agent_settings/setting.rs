//! A setting: a name with a value, and how it comes to stand.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::pattern::Question;
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::language::Language;
use capdex_evidence::manifest::{ManifestKind, escape, is_foreign, name_of, place_of};
use capdex_evidence::site::site_of;
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;
use capdex_model::fact::{Place, Severity};

use super::super::destinations::{Destination, Destinations};
use super::super::shell_events::weighed_at;

/// How a setting comes to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// In a client's settings that are shipped along: it holds as soon as the folder is opened.
    Shipped,
    /// In a file of variables.
    Variables,
    /// In a sample of such a file.
    Sample,
    /// An order, or a program, writes it to where it stays.
    Kept,
    /// An order, or a program, sets it for what it starts.
    Set,
    /// A document for people has it.
    Told,
}

/// Where a setting stands.
#[derive(Clone, Debug)]
pub(super) enum Spot {
    /// At these bytes of the text.
    Bytes(Range<usize>),
    /// At a JSON Pointer of a manifest.
    Pointer(String),
}

/// A setting of a document.
#[derive(Clone, Debug)]
pub(super) struct Setting<'a> {
    pub(super) document: &'a Document,
    pub(super) name: Cow<'a, str>,
    pub(super) value: Cow<'a, str>,
    pub(super) spot: Spot,
    pub(super) way: Way,
}

impl Setting<'_> {
    pub(super) fn place(&self) -> Place {
        match &self.spot {
            Spot::Bytes(bytes) => self.document.place(bytes.start),
            Spot::Pointer(pointer) => place_of(self.document, pointer),
        }
    }

    /// A severity, lowered where the words around the setting forbid or explain it.
    pub(super) fn told(&self, severity: Severity) -> Severity {
        match &self.spot {
            Spot::Bytes(bytes) => weighed_at(self.document, bytes.clone(), severity),
            Spot::Pointer(_) => severity,
        }
    }

    /// The same, and where they leave it to the user.
    pub(super) fn weigh(&self, severity: Severity) -> Severity {
        let told = self.told(severity);
        match &self.spot {
            Spot::Bytes(bytes) if self.way != Way::Shipped && is_left_to_user(self.document, bytes) => {
                told.min(Severity::Medium)
            }
            _ => told,
        }
    }

    pub(super) fn evidence(&self) -> String {
        format!("{} = {}", self.name, self.value)
    }
}

/// True where the sentences around leave it to the user.
fn is_left_to_user(document: &Document, bytes: &Range<usize>) -> bool {
    static LEFT: LazyLock<Regex> = LazyLock::new(|| {
        capdex_evidence::expression::of(
            r"(?i)\b(?:if|when|where)\s+(?:the\s+user|you|they|needed|desired|preferred|behind)\b|\bask(?:s|ing)?\s+(?:the\s+)?user|\boptional(?:ly)?\b|\byou\s+(?:can|may|could)\b|\bconfirm\w*\s+with\b|\bAskUserQuestion\b|\b(?:if|when|where)\b[^.\n]{0,80}\b(?:selected|chosen|picked|answered|opted)\b|\b(?:self-hosted|your\s+own|on-prem\w*)\b|\bat\s+your\s+own\s+risk\b|\bnot\s+recommended\b",
        )
    });
    LEFT.is_match(around(document, bytes, 300))
}

/// The text around some bytes.
pub(super) fn around<'a>(document: &'a Document, bytes: &Range<usize>, reach: usize) -> &'a str {
    let text = document.text.as_str();
    let from = text.floor_char_boundary(bytes.start.saturating_sub(reach));
    let to = text.floor_char_boundary(bytes.end.saturating_add(reach).min(text.len()));
    text.get(from..to).unwrap_or_default()
}

/// The documents of a capability in which settings may stand.
pub(super) fn documents<'a>(subject: &Subject<'a>, worth: &'static Question) -> impl Iterator<Item = &'a Document> {
    /// Larger texts are bundles and data, which nobody writes settings into.
    const LARGEST: usize = 1 << 20;
    subject.documents().filter(|document| {
        !matches!(document.role, FileRole::Binary | FileRole::Lock | FileRole::Test)
            && document.text.len() <= LARGEST
            && !is_foreign(&document.path)
            && worth.occurs(document)
    })
}

/// True for the settings of a client, which hold where its folder is opened.
pub(super) fn is_client_settings(subject: &Subject<'_>, document: &Document) -> bool {
    let kind = subject.evidence.manifests.get(&document.path).map(|manifest| manifest.kind);
    kind == Some(ManifestKind::SettingsJson) || document.path.ends_with(".vscode/settings.json")
}

/// The settings of a client's file: every value by its last key.
pub(super) fn of_client<'a>(subject: &Subject<'a>, document: &'a Document) -> Vec<Setting<'a>> {
    let manifest = subject.evidence.manifests.get(&document.path);
    manifest
        .filter(|_| is_client_settings(subject, document))
        .map_or_else(Vec::new, |manifest| of_value(document, &manifest.value))
}

/// The settings of a file that a text of the capability has somebody copy or merge into a client's; none for another file.
pub(super) fn of_handed<'a>(subject: &Subject<'a>, document: &'a Document) -> Option<Vec<Setting<'a>>> {
    static CLIENT: LazyLock<Regex> = LazyLock::new(|| {
        capdex_evidence::expression::of(
            r"\.(?:claude|codex|cursor|gemini)/(?:settings|hooks|mcp|config)|\.claude\.json",
        )
    });
    /// A larger file is no settings file.
    const LARGEST: usize = 256 << 10;
    let name = document.path.rsplit('/').next().filter(|name| name.ends_with(".json"))?;
    let tells = |text: &Document| text.text.lines().any(|line| line.contains(name) && CLIENT.is_match(line));
    let mut texts = subject.documents().filter(|text| text.language == Language::Markdown);
    if document.text.len() > LARGEST || !texts.any(tells) {
        return None;
    }
    let value: Value = serde_json::from_str(&document.text).ok()?;
    Some(of_value(document, &value))
}

fn of_value<'a>(document: &'a Document, value: &Value) -> Vec<Setting<'a>> {
    let mut found = Vec::new();
    walk(value, "", String::new(), &mut |name, pointer, value| {
        found.push(Setting {
            document,
            name: name.to_owned().into(),
            value: value.into(),
            spot: Spot::Pointer(pointer),
            way: Way::Shipped,
        });
    });
    found
}

/// Visits the texts, numbers and truth values below a value, bounded by the parser's own depth.
fn walk(value: &Value, name: &str, pointer: String, visit: &mut impl FnMut(&str, String, String)) {
    match value {
        Value::Object(items) => {
            for (key, item) in items {
                walk(item, key, format!("{pointer}/{}", escape(key)), visit);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                walk(item, name, format!("{pointer}/{index}"), visit);
            }
        }
        Value::String(text) => visit(name, pointer, text.clone()),
        Value::Bool(_) | Value::Number(_) => visit(name, pointer, value.to_string()),
        Value::Null => {}
    }
}

/// How a setting at some bytes of a text comes to stand; none where nobody is told to set it.
pub(super) fn way_of(document: &Document, bytes: &Range<usize>) -> Option<Way> {
    let name = name_of(&document.path).to_ascii_lowercase();
    if name == ".env" || name == ".envrc" || name.starts_with(".env.") || name.ends_with(".env") {
        let is_sample = ["example", "sample", "template", "dist", "default"].iter().any(|word| name.contains(word));
        return Some(if is_sample { Way::Sample } else { Way::Variables });
    }
    match document.voice_at(bytes.start) {
        Voice::Agent | Voice::Program if is_kept(document, bytes) => Some(Way::Kept),
        Voice::Agent => Some(Way::Set),
        Voice::Program if document.role == FileRole::Script => Some(Way::Set),
        // Settings that a text has copied into the user's project.
        Voice::Program if document.role == FileRole::Data && document.language == Language::Json => Some(Way::Shipped),
        Voice::Human => Some(Way::Told),
        Voice::Program | Voice::Data => None,
    }
}

/// Where settings stay: an agent's own files, and what a shell or a machine reads when it starts.
static STAYS: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(concat!(
        r#"(?i)\.(?:claude|gemini|qwen|cursor|codex|vscode|openclaw)[/\\](?:settings|config|mcp|openclaw)|\bsettings\.(?:local\.)?json\b|\bmanaged-settings\b|\.claude\.json\b|\.codex\b"#,
        r#"|\.(?:bashrc|bash_profile|bash_login|zshrc|zshenv|zprofile|profile)\b|config\.fish\b|/etc/(?:environment|profile)|\bsetx\s|\blaunchctl\s+setenv\b|\$PROFILE\b|SetEnvironmentVariable"#,
        r#"|\bclaude\s+config\s+set\b|"env"\s*:\s*\{"#,
    ))
});

/// True where the words around name the place where a setting stays.
pub(super) fn is_kept(document: &Document, bytes: &Range<usize>) -> bool {
    // A program names a file at one place and changes it at another.
    let reach = if document.voice_at(bytes.start) == Voice::Program { 1500 } else { 240 };
    STAYS.is_match(around(document, bytes, reach))
}

/// True for a name that documents use for any host, and for what is filled in later.
pub(super) fn is_placeholder(address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    let rest = lower.split_once("://").map_or(lower.as_str(), |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
    if host.is_empty() || host.contains(['<', '{', '$', '%', '*', '…']) || !host.contains('.') && host != "localhost"
    {
        return true;
    }
    let site = site_of(host);
    let label = site.split('.').next().unwrap_or_default();
    let is_any = |label: &str| {
        matches!(
            label,
            "example"
                | "acme"
                | "company"
                | "corp"
                | "contoso"
                | "internal"
                | "domain"
                | "host"
                | "server"
                | "proxy"
                | "gateway"
                | "registry"
                | "mirror"
                | "llm"
                | "litellm"
                | "org"
                | "xxx"
                | "foo"
                | "myorg"
                | "mycompany"
                | "mycorp"
        ) || label.starts_with("your")
            || label.starts_with("my-")
    };
    is_any(label) || host.split('.').any(|part| part.starts_with("your") || part.starts_with("my-") || part == "xxx")
}

/// Who receives what goes to an address: a stranger, or somebody who takes whatever anybody sends. None for hosts that
/// are accounted for.
pub(super) fn foreign(destinations: &Destinations, address: &str) -> Option<Destination> {
    if is_placeholder(address) {
        return None;
    }
    destinations.judge(address).filter(|judged| judged.is_foreign())
}

/// True for an address that anybody on the way may change.
pub(super) fn is_plain(address: &str) -> bool {
    address.trim_start().to_ascii_lowercase().starts_with("http://")
}
