//! Tokens: the words, literals and marks of a language that no parser is there for.

use super::UnparsedLanguage;

/// The number of tokens after a registration's name within which its texts may stand.
pub(super) const REACH: usize = 60;

#[derive(Debug, PartialEq)]
pub(super) enum HeuristicToken<'a> {
    Word(&'a str),
    /// A literal, its escapes resolved as far as they are common.
    Text(String),
    Mark(u8),
}

pub(super) type Placed<'a> = (usize, HeuristicToken<'a>);

pub(super) fn word<'a>(tokens: &[Placed<'a>], at: usize) -> Option<&'a str> {
    match tokens.get(at) {
        Some((_, HeuristicToken::Word(word))) => Some(word),
        _ => None,
    }
}

pub(super) fn literal<'x>(tokens: &'x [Placed<'_>], at: usize) -> Option<&'x str> {
    match tokens.get(at) {
        Some((_, HeuristicToken::Text(text))) => Some(text),
        _ => None,
    }
}

pub(super) fn mark(tokens: &[Placed<'_>], at: usize, wanted: u8) -> bool {
    matches!(tokens.get(at), Some((_, HeuristicToken::Mark(mark))) if *mark == wanted)
}

/// The token at which the bracket that opens at `open` closes, or the end of the search.
pub(super) fn closing(tokens: &[Placed<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    // A bounded look keeps the pass linear where brackets never close.
    for at in open..(open + 4 * REACH).min(tokens.len()) {
        match tokens.get(at) {
            Some((_, HeuristicToken::Mark(b'(' | b'{' | b'['))) => depth += 1,
            Some((_, HeuristicToken::Mark(b')' | b'}' | b']'))) => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    open + REACH
}

/// `Tool::new`.
pub(super) fn is_path(tokens: &[Placed<'_>], at: usize, owner: &str) -> bool {
    at >= 3 && mark(tokens, at - 1, b':') && word(tokens, at - 3) == Some(owner)
}

/// Words, literals and marks; comments are left out.
pub(super) fn tokens(text: &str, language: UnparsedLanguage) -> Vec<Placed<'_>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    // The end of the line that opens a heredoc, and that of the heredoc.
    let mut skipped = None;
    while let Some(byte) = bytes.get(at) {
        if let Some((_, end)) = skipped.filter(|(line, _)| at >= *line) {
            (at, skipped) = (end, None);
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        if rest.starts_with(b"<<")
            && skipped.is_none()
            && let Some(heredoc) = heredoc(text, at, language)
        {
            tokens.push((at, HeuristicToken::Text(heredoc.value)));
            at = heredoc.opened;
            skipped = Some((heredoc.line, heredoc.end));
            continue;
        }
        // `#[…]` is an attribute of PHP and no comment.
        let hash = matches!(language, UnparsedLanguage::Ruby | UnparsedLanguage::Php)
            && *byte == b'#'
            && !rest.starts_with(b"#[");
        if (rest.starts_with(b"//") && language != UnparsedLanguage::Ruby) || hash {
            at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        } else if rest.starts_with(b"/*") {
            at += text.get(at + 2..).and_then(|rest| rest.find("*/")).map_or(rest.len(), |end| end + 4);
        } else if byte.is_ascii_alphabetic() || *byte == b'_' {
            let length =
                rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').unwrap_or(rest.len());
            let raw = language == UnparsedLanguage::Rust
                && length == 1
                && *byte == b'r'
                && matches!(rest.get(1), Some(b'#' | b'"'));
            if raw && let Some((value, next)) = raw_string(text, at + 1) {
                tokens.push((at, HeuristicToken::Text(value)));
                at = next;
                continue;
            }
            tokens.push((at, HeuristicToken::Word(text.get(at..at + length).unwrap_or_default())));
            at += length;
        } else if let Some((value, next)) = string_at(text, at, language) {
            tokens.push((at, HeuristicToken::Text(value)));
            at = next;
        } else {
            if byte.is_ascii_punctuation() {
                tokens.push((at, HeuristicToken::Mark(*byte)));
            }
            at += 1;
        }
    }
    tokens
}

/// Rust's `#"…"#`, from its hashes on.
fn raw_string(text: &str, at: usize) -> Option<(String, usize)> {
    let rest = text.get(at..)?;
    let hashes = rest.bytes().take_while(|byte| *byte == b'#').take(16).count();
    let body = rest.get(hashes..)?.strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let end = body.find(&close)?;
    Some((body.get(..end)?.to_owned(), at + hashes + 1 + end + close.len()))
}

/// A literal that begins here, and where the text goes on after it.
fn string_at(text: &str, at: usize, language: UnparsedLanguage) -> Option<(String, usize)> {
    let rest = text.get(at..)?;
    let triple = matches!(language, UnparsedLanguage::Java | UnparsedLanguage::Kotlin | UnparsedLanguage::CSharp)
        && rest.starts_with("\"\"\"");
    if triple {
        let body = rest.get(3..)?;
        let end = body.find("\"\"\"").unwrap_or(body.len());
        return Some((body.get(..end)?.trim().to_owned(), (at + 6 + end).min(text.len())));
    }
    let quote = rest.bytes().next()?;
    let is_raw = language == UnparsedLanguage::Go && quote == b'`';
    let opens = quote == b'"'
        || is_raw
        || (quote == b'\'' && matches!(language, UnparsedLanguage::Php | UnparsedLanguage::Ruby));
    if !opens {
        // A character or a lifetime: nothing in it opens a literal.
        let character = quote == b'\'' && rest.starts_with("'\"'");
        return character.then(|| (String::new(), at + 3));
    }
    let mut value = String::new();
    let mut letters = rest.char_indices().skip(1);
    while let Some((offset, letter)) = letters.next() {
        match letter {
            '\\' if !is_raw => match letters.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                Some((_, other)) => value.push(other),
                None => break,
            },
            // An open literal ends with its line, so that a stray quotation mark does not swallow the file.
            '\n' if matches!(
                language,
                UnparsedLanguage::Go | UnparsedLanguage::Java | UnparsedLanguage::Kotlin | UnparsedLanguage::CSharp
            ) && !is_raw =>
            {
                return Some((value, at + offset));
            }
            letter if letter as u32 == u32::from(quote) => return Some((value, at + offset + 1)),
            other => value.push(other),
        }
    }
    Some((value, text.len()))
}

/// A text that stands on the lines below the one that opens it.
struct Heredoc {
    value: String,
    /// The end of the mark that opens it.
    opened: usize,
    /// The end of that line.
    line: usize,
    /// The end of the text with its own mark.
    end: usize,
}

/// `<<~TEXT` of Ruby and `<<<TEXT` of PHP.
fn heredoc(text: &str, at: usize, language: UnparsedLanguage) -> Option<Heredoc> {
    let marks: &[&str] = match language {
        UnparsedLanguage::Ruby => &["<<~", "<<-"],
        UnparsedLanguage::Php => &["<<<"],
        _ => return None,
    };
    let rest = text.get(at..)?;
    let after = marks.iter().find_map(|mark| rest.strip_prefix(mark))?;
    let label = after.trim_start_matches([' ', '\'', '"']);
    let length = label.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(label.len());
    let word = label.get(..length).filter(|word| !word.is_empty())?;
    let mut opened = at + (rest.len() - label.len()) + length;
    opened += usize::from(text.get(opened..).is_some_and(|rest| rest.starts_with(['\'', '"'])));
    let line = opened + text.get(opened..)?.find('\n')?;
    let mut lines: Vec<&str> = Vec::new();
    let mut end = line + 1;
    for body in text.get(end..)?.split_inclusive('\n') {
        let said = body.trim();
        // PHP may go on behind the mark: `TEXT);`.
        let closes =
            said.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_alphanumeric()));
        if closes {
            end += body.find(word).unwrap_or_default() + word.len();
            let indent = |line: &&str| line.len() - line.trim_start().len();
            let least = lines.iter().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or_default();
            let cut: Vec<&str> = lines.iter().map(|line| line.get(least..).unwrap_or_default().trim_end()).collect();
            return Some(Heredoc { value: cut.join("\n"), opened, line, end });
        }
        lines.push(body);
        end += body.len();
    }
    None
}
