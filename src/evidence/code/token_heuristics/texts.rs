//! Texts: what an expression of literals and named constants says.

use super::UnparsedLanguage;
use super::tokens::{Placed, REACH, closing, literal, mark, word};

/// Stands in a text for a part that could not be told.
const UNTOLD: &str = "…";

/// A text, as far as it could be told.
#[derive(Debug)]
pub(super) struct ToldText {
    /// The text, `…` for every part that could not be told.
    pub(super) text: String,
    /// True where all of it is known.
    pub(super) whole: bool,
    /// The token behind it.
    pub(super) end: usize,
}

/// The text for a name, where one is known.
pub(super) type Lookup<'x> = &'x dyn Fn(&str) -> Option<String>;

/// The text that begins at a token: literals and names that are joined by `+`, `.` (PHP) or nothing; none where neither
/// stands there.
pub(super) fn value(
    tokens: &[Placed<'_>],
    at: usize,
    language: UnparsedLanguage,
    known: Lookup<'_>,
) -> Option<ToldText> {
    let mut told = ToldText { text: String::new(), whole: true, end: at };
    let mut next = at;
    // Without a bound a file of literals alone would cost the square of its length.
    while next < at + REACH {
        let before = next;
        match piece(tokens, next, language, known, &mut told) {
            Some(behind) => next = behind,
            None if before == at => return None,
            // What is joined to a text and is neither literal nor name.
            None => {
                told.text.push_str(UNTOLD);
                told.whole = false;
                break;
            }
        }
        // `"…".trimIndent()` is the text that it trims.
        while mark(tokens, next, b'.') && literal(tokens, before).is_some() && word(tokens, next + 1).is_some() {
            next = if mark(tokens, next + 2, b'(') { closing(tokens, next + 2) + 1 } else { next + 2 };
        }
        told.end = next;
        let joins = mark(tokens, next, b'+') || (language == UnparsedLanguage::Php && mark(tokens, next, b'.'));
        if joins {
            next += 1;
        } else if literal(tokens, next).is_none() || literal(tokens, before).is_none() {
            break;
        }
    }
    Some(told)
}

/// Adds one literal, name or call to a text; gives the token behind it.
fn piece(
    tokens: &[Placed<'_>],
    at: usize,
    language: UnparsedLanguage,
    known: Lookup<'_>,
    told: &mut ToldText,
) -> Option<usize> {
    // C#'s `$"…{x}…"` and `@"…"`.
    let filled = language == UnparsedLanguage::CSharp && mark(tokens, at, b'$');
    let at = if filled || (language == UnparsedLanguage::CSharp && mark(tokens, at, b'@')) { at + 1 } else { at };
    if let Some(text) = literal(tokens, at) {
        let opens = match language {
            UnparsedLanguage::Ruby => "#{",
            UnparsedLanguage::Kotlin => "${",
            UnparsedLanguage::Php => "{$",
            _ => "{",
        };
        let fills = filled || !matches!(language, UnparsedLanguage::CSharp) && opens != "{";
        told.whole &= !(fills && text.contains(opens));
        told.text.push_str(text);
        return Some(at + 1);
    }
    let mut name = word(tokens, at)?;
    let mut next = at + 1;
    let mut dotted = false;
    // `texts.Add`, `Texts::ADD`: the last name is the constant's.
    loop {
        let behind = if mark(tokens, next, b'.') {
            next + 1
        } else if mark(tokens, next, b':') && mark(tokens, next + 1, b':') {
            next + 2
        } else {
            break;
        };
        let Some(member) = word(tokens, behind) else { break };
        (name, next, dotted) = (member, behind + 1, true);
    }
    if mark(tokens, next, b'(') {
        // `fmt.Sprintf("…")`, `strings.TrimSpace("…")`: what is written is told, and more may be.
        told.text.push_str(literal(tokens, next + 1).unwrap_or(UNTOLD));
        told.whole = false;
        return Some(closing(tokens, next) + 1);
    }
    // A field of some object is no constant, whatever is called like it.
    let field = dotted && matches!(name, "Name" | "name" | "Description" | "description");
    match known(name).filter(|_| !field) {
        Some(text) => told.text.push_str(&text),
        None => {
            told.text.push_str(UNTOLD);
            told.whole = false;
        }
    }
    Some(next)
}
