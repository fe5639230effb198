//! Long runs of emoji, in which text can be hidden.

use crate::FactSink;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::subject::Subject;
use capdex_evidence::unicode::beyond_ascii;

/// The number of emoji in a row that SaferSkills asks for.
const LEAST: usize = 10;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let read = |role: FileRole| matches!(role, FileRole::Instruction | FileRole::Docs | FileRole::Manifest);
    for document in subject.documents().filter(|document| read(document.role) && !document.text.is_ascii()) {
        // One find for each file: the rest of a decorated text tells nothing more.
        if let Some((offset, count)) = first_run(&document.text) {
            facts.found(document.place(offset), &format!("{count} emoji in a row"));
        }
    }
}

/// The first run of enough emoji: where it begins, and how many there are.
fn first_run(text: &str) -> Option<(usize, usize)> {
    let (mut begins, mut count, mut end) = (0, 0, 0);
    for (offset, letter) in beyond_ascii(text) {
        // ASCII between two letters ends a run as any other letter does.
        if offset != end || !(is_emoji(letter) || joins(letter)) {
            // Broken off here and not counted on: the run that is found first is told.
            if count >= LEAST {
                break;
            }
            count = 0;
        }
        if is_emoji(letter) {
            if count == 0 {
                begins = offset;
            }
            count += 1;
        }
        end = offset + letter.len_utf8();
    }
    (count >= LEAST).then_some((begins, count))
}

const fn is_emoji(letter: char) -> bool {
    // Squares, circles and bars, of which people draw gauges and tables, are left out.
    matches!(letter, '\u{1F300}'..='\u{1F7DF}' | '\u{1F900}'..='\u{1FAFF}' | '\u{2702}'..='\u{27B0}')
        && !matches!(letter, '\u{1F7E0}'..='\u{1F7EB}' | '\u{1F532}'..='\u{1F53D}')
}

/// Characters between emoji that do not end a run.
const fn joins(letter: char) -> bool {
    matches!(letter, '\u{200D}' | '\u{FE0E}' | '\u{FE0F}')
}
