//! agent-approval-removed: settings take the question away that stands between an agent and what it does.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use crate::questions::SETTINGS_OPENED;
use capdex_evidence::document::Document;
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;
use capdex_model::fact::{Confidence, Severity};

use super::setting::{Setting, Spot, Way, documents, is_client_settings, is_kept, of_client, of_handed, way_of};

/// A name and a value by which nobody is asked any more.
static OPENS: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(&format!(
        r#"(?P<name>[\w.]{{3,}})["'\]`]{{0,3}}[ \t]*(?:[:=]|=>|\bto\b)[ \t]*["'`]?(?P<value>{VALUES})\b"#
    ))
});

const VALUES: &str = "bypassPermissions|danger-full-access|never|always|yolo|all|true|True";

/// Names that say by themselves that nobody is asked.
static NAMES: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(concat!(
        r"(?i)^(?:allow_?all(?:_?tools|_?commands|_?permissions)?|(?:dangerously_?)?skip_?(?:all_?)?(?:confirmations?|permissions?|approvals?|dangerous_?mode_?permission_?prompt)",
        r"|auto_?(?:approve|accept|confirm)(?:_?(?:all|tools?|everything|edits_and_commands))?|yolo(?:_?mode)?|trust_?all(?:_?tools)?|disable_?sandbox)$",
    ))
});

pub(in super::super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for document in documents(subject, &SETTINGS_OPENED) {
        let found = if is_client_settings(subject, document) && subject.evidence.manifests.contains_key(&document.path)
        {
            of_client(subject, document)
        } else {
            of_handed(subject, document).unwrap_or_else(|| told(document))
        };
        for setting in found.iter().filter(|setting| opens(&setting.name, &setting.value)) {
            let severity = match setting.way {
                Way::Shipped | Way::Kept => Severity::High,
                _ => Severity::Low,
            };
            facts.found_as(setting.weigh(severity), Confidence::Medium, setting.place(), &setting.evidence());
        }
    }
}

/// True where a setting lets everything happen without a question.
fn opens(name: &str, value: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    match last {
        "defaultMode" | "permissionMode" => value == "bypassPermissions",
        "sandbox_mode" => value == "danger-full-access",
        "approvalMode" | "approval_mode" => value.eq_ignore_ascii_case("yolo"),
        _ => NAMES.is_match(last) && matches!(value, "true" | "True" | "all" | "always"),
    }
}

/// The settings that a text has somebody write to an agent's own files.
fn told(document: &Document) -> Vec<Setting<'_>> {
    /// A text that sets more than this is a list of names.
    const MOST: usize = 200;
    // On the lines alone on which such a name or value stands.
    let lines = SETTINGS_OPENED.lines(document);
    let said = lines.flat_map(|(start, line)| OPENS.captures_iter(line).map(move |found| (start, found)));
    let found = said.take(MOST).filter_map(|(start, found)| {
        let (name, value) = (found.name("name")?, found.name("value")?);
        let bytes: Range<usize> = start + name.start()..start + value.end();
        // Programs have switches of the same names, and read theirs from the same files.
        let way = way_of(document, &bytes).filter(|way| *way == Way::Kept && is_written(document, &bytes))?;
        let (name, value) = (name.as_str().into(), value.as_str().into());
        Some(Setting { document, name, value, spot: Spot::Bytes(bytes), way })
    });
    found.collect()
}

/// True where an agent's settings are written: by an order, or by a call of a program.
fn is_written(document: &Document, bytes: &Range<usize>) -> bool {
    static WRITES: LazyLock<Regex> = LazyLock::new(|| {
        capdex_evidence::expression::of(concat!(
            r#"(?i)\bwrite_?file|\bwriteFile(?:Sync)?\b|\.write(?:_text)?\(|\bopen\([^)\n]{0,120}["'](?:w|a)|json\.dump|\btee\b|<<|>>?\s*["']?[~$\w./-]*(?:settings|config)|\bjq\b|\bsed\s+-i"#,
            r#"|\b(?:add|put|set|write|append|insert|merge|copy|paste|create|update|replace|change|switch|configure|edit|save|enable|include)\b"#,
        ))
    });
    let text = document.text.as_str();
    let from = text.floor_char_boundary(bytes.start.saturating_sub(400));
    let before = text.get(from..bytes.start).unwrap_or_default();
    WRITES.is_match(before) && is_kept(document, bytes) && document.voice_at(bytes.start) != Voice::Human
}
