//! tool-name-nonstandard and tool-name-unusual: a tool's name looks like another one, or has characters outside the standard's.
//!
//! MCPBundles' page lets `/` and `:` stand beside what the standard allows, and asks nothing about length: so these are a rule
//! of their own, which carries no code of it.

use unicode_security::{GeneralSecurityProfile, MixedScript, skeleton};

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_evidence::tools::Tool;
use capdex_model::fact::{Confidence, Place, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let plain: Vec<&str> = subject.tools().map(|tool| tool.name.as_str()).filter(|name| name.is_ascii()).collect();
    for tool in subject.tools() {
        if let Some((severity, what)) = judgement(&tool.name, &plain) {
            tell(tool, severity, what, facts);
        }
    }
}

/// Names that are longer than the standard advises, or hold `/` or `:`.
pub(super) fn unusual(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for tool in subject.tools() {
        let holds = |letters: [char; 2]| tool.name.contains(letters);
        if tool.name.len() > 128 {
            tell(tool, Severity::Low, "is longer than 128 characters", facts);
        } else if holds(['/', ':']) && tool.name.bytes().all(is_allowed) {
            tell(tool, Severity::Low, "has characters outside the standard", facts);
        }
    }
}

fn tell(tool: &Tool, severity: Severity, what: &str, facts: &mut FactSink<'_>) {
    let place = Place { pointer: format!("{}/name", tool.place.pointer), ..tool.place.clone() };
    facts.found_as(severity, Confidence::High, place, &format!("{}: {what}", tool.name.escape_unicode_beyond_ascii()));
}

/// True for what MCPBundles' page allows in a name.
const fn is_allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b':')
}

/// Text with everything outside ASCII escaped, so that a reader sees what is there.
trait EscapeBeyondAscii {
    fn escape_unicode_beyond_ascii(&self) -> String;
}

impl EscapeBeyondAscii for str {
    fn escape_unicode_beyond_ascii(&self) -> String {
        let escaped = |letter: char| {
            if letter.is_ascii_graphic() || letter == ' ' {
                letter.to_string()
            } else {
                letter.escape_unicode().to_string()
            }
        };
        self.chars().map(escaped).collect()
    }
}

/// The tiers: hidden characters; mixed scripts or the skeleton of a plain name; another script; outside the standard.
fn judgement(name: &str, plain: &[&str]) -> Option<(Severity, &'static str)> {
    // Nearly every name ends here.
    if name.bytes().all(is_allowed) {
        return None;
    }
    if name.chars().any(is_hidden) {
        return Some((Severity::Critical, "holds invisible characters"));
    }
    if !name.is_ascii() {
        let bare: String = skeleton(name).collect();
        let letters: String = name.chars().filter(|letter| letter.is_alphabetic()).collect();
        // Compared with plain names only: two foreign names that are alike imitate nothing that a user knows.
        if plain.iter().any(|other| skeleton(other).eq(bare.chars())) {
            return Some((Severity::High, "looks like another tool of the same server"));
        }
        // Letters alone: digits and marks are of no script.
        if !letters.as_str().is_single_script() && !is_japanese_or_korean(name) {
            return Some((Severity::High, "mixes scripts"));
        }
        if letters.chars().any(|letter| letter.is_ascii_alphabetic())
            && letters.chars().any(|letter| !letter.identifier_allowed())
        {
            return Some((Severity::Medium, "holds unusual letters"));
        }
        return Some((Severity::Low, "is not ASCII"));
    }
    Some((Severity::Low, "has characters outside the standard"))
}

/// Latin letters beside East Asian ones are how those languages write technical names.
fn is_japanese_or_korean(name: &str) -> bool {
    name.chars().all(|letter| {
        letter.is_ascii() || matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}')
    })
}

/// Stricter than what `evidence::unicode` calls hidden: no name needs a joiner or a selector.
fn is_hidden(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
        || letter.is_control()
}
