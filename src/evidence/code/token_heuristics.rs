//! Token heuristics: MCP tools and shell commands in Go, Rust, Java, Kotlin, PHP, Ruby and C#, from words and literals
//! alone.
//!
//! No grammar is read. Tools are told by the names that the SDKs give to a registration, and by the literals that
//! follow within a bounded number of tokens. Sources: the registration idioms that SpiderRating's extraction lists for
//! these languages.

use crate::document::Document;
use crate::tools::{Tool, ToolOrigin};
use capdex_model::fact::Place;

use super::taint::TaintedArguments;
use super::{Argument, Call, Findings, MAX_BYTES, SourceView, excerpt};

/// The number of tokens after a registration's name within which its texts may stand.
const REACH: usize = 60;

/// The longest name that is taken for a tool's.
const MAX_NAME: usize = 128;

/// A language that is read by words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum UnparsedLanguage {
    Go,
    Rust,
    Java,
    Kotlin,
    Php,
    Ruby,
    CSharp,
}

/// The language of a path; `None` for those that are not read here.
pub(super) fn language(path: &str) -> Option<UnparsedLanguage> {
    match path.rsplit_once('.').map(|(_, extension)| extension)? {
        // Go compiles no `_test.go` file into the program, so that no server serves its tools.
        "go" if !path.ends_with("_test.go") => Some(UnparsedLanguage::Go),
        "rs" => Some(UnparsedLanguage::Rust),
        "java" => Some(UnparsedLanguage::Java),
        "kt" | "kts" => Some(UnparsedLanguage::Kotlin),
        "php" => Some(UnparsedLanguage::Php),
        "rb" => Some(UnparsedLanguage::Ruby),
        "cs" => Some(UnparsedLanguage::CSharp),
        _ => None,
    }
}

/// Reads a document; `None` where it names neither a tool nor a command, or is too large.
pub(super) fn read(document: &Document, language: UnparsedLanguage) -> Option<SourceView> {
    let text = document.text.as_str();
    // Plain words first: most files of these languages name neither a tool nor a command.
    let worth = ["Tool", "tool", "exec", "Command"].iter().any(|word| text.contains(word));
    if !worth || text.len() > MAX_BYTES {
        return None;
    }
    let tokens = tokens(text, language);
    let mut findings = Findings::default();
    for index in 0..tokens.len() {
        if let Some(tool) = tool_at(&tokens, index, language, &document.path) {
            findings.tools.push(tool);
        }
        if let Some(call) = command_at(&tokens, index, language, text) {
            findings.keep_call(call.0, call.1);
        }
    }
    Some(super::view(document, findings, &mut Vec::new()))
}

#[derive(Debug, PartialEq)]
enum HeuristicToken<'a> {
    Word(&'a str),
    /// A literal, its escapes resolved as far as they are common.
    Text(String),
    Mark(u8),
}

type Placed<'a> = (usize, HeuristicToken<'a>);

fn word<'a>(tokens: &[Placed<'a>], at: usize) -> Option<&'a str> {
    match tokens.get(at) {
        Some((_, HeuristicToken::Word(word))) => Some(word),
        _ => None,
    }
}

fn literal<'x>(tokens: &'x [Placed<'_>], at: usize) -> Option<&'x str> {
    match tokens.get(at) {
        Some((_, HeuristicToken::Text(text))) => Some(text),
        _ => None,
    }
}

fn mark(tokens: &[Placed<'_>], at: usize, wanted: u8) -> bool {
    matches!(tokens.get(at), Some((_, HeuristicToken::Mark(mark))) if *mark == wanted)
}

/// Literals joined by `+`, `.` (PHP) or nothing, from `at` on.
fn joined(tokens: &[Placed<'_>], at: usize) -> Option<String> {
    let mut text = literal(tokens, at)?.to_owned();
    let mut next = at + 1;
    // Without a bound a file of literals alone would cost the square of its length.
    while next < at + REACH {
        let more = if mark(tokens, next, b'+') { next + 1 } else { next };
        let Some(part) = literal(tokens, more) else { break };
        text.push_str(part);
        next = more + 1;
    }
    Some(text)
}

/// The literal that follows one of these words as `word = "…"`, `word: "…"`, `word => "…"` or `word("…")`.
fn named(tokens: &[Placed<'_>], from: usize, end: usize, words: &[&str]) -> Option<String> {
    for at in from..end.min(tokens.len()) {
        if word(tokens, at).is_some_and(|found| words.contains(&found)) {
            let mut value = at + 1;
            while value < at + 3 && [b'=', b':', b'(', b'>'].iter().any(|open| mark(tokens, value, *open)) {
                value += 1;
            }
            if let (true, Some(text)) = (value > at + 1, joined(tokens, value)) {
                return Some(text);
            }
        }
    }
    None
}

/// The token at which the bracket that opens at `open` closes, or the end of the search.
fn closing(tokens: &[Placed<'_>], open: usize) -> usize {
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

/// The words at which a registration may begin: nothing is looked at further on for others.
const NAMES: [&str; 16] = [
    "NewTool",
    "Tool",
    "ToolDefinition",
    "AddTool",
    "RegisterTool",
    "MustTool",
    "tool",
    "mcp_tool",
    "new",
    "McpTool",
    "builder",
    "addTool",
    "registerTool",
    "register_tool",
    "McpServerTool",
    "ToolSpecification",
];

fn tool_at(tokens: &[Placed<'_>], at: usize, language: UnparsedLanguage, path: &str) -> Option<(usize, Tool)> {
    // Almost every token ends here, before any bracket is matched.
    let name = word(tokens, at).filter(|name| NAMES.contains(name))?;
    let offset = tokens.get(at)?.0;
    let by_position = || {
        Some((
            literal(tokens, at + 2)?.to_owned(),
            mark(tokens, at + 3, b',').then(|| joined(tokens, at + 4)).flatten(),
        ))
    };
    let opens = mark(tokens, at + 1, b'(');
    let end = closing(tokens, at + 1);
    let (name, description) = match (language, name) {
        (UnparsedLanguage::Go, "NewTool") if opens => {
            (literal(tokens, at + 2)?.to_owned(), named(tokens, at, end, &["WithDescription"]))
        }
        (UnparsedLanguage::Go, "Tool" | "ToolDefinition") if mark(tokens, at + 1, b'{') => {
            (named(tokens, at, end, &["Name"])?, named(tokens, at, end, &["Description"]))
        }
        (UnparsedLanguage::Go, "AddTool" | "RegisterTool" | "MustTool") if opens => by_position()?,
        (UnparsedLanguage::Rust, "tool" | "mcp_tool") if mark(tokens, at.checked_sub(1)?, b'[') && opens => {
            let function = function_after(tokens, end, "fn")?;
            (named(tokens, at, end, &["name"]).unwrap_or(function), named(tokens, at, end, &["description"]))
        }
        (UnparsedLanguage::Rust, "new") if is_path(tokens, at, "Tool") && opens => by_position()?,
        (UnparsedLanguage::Rust, "new") if is_path(tokens, at, "ToolBuilder") && opens => {
            (literal(tokens, at + 2)?.to_owned(), named(tokens, at, at + REACH, &["description"]))
        }
        (UnparsedLanguage::Java | UnparsedLanguage::Kotlin, "Tool" | "McpTool")
            if mark(tokens, at.checked_sub(1)?, b'@') && opens =>
        {
            let method = method_after(tokens, end)?;
            (named(tokens, at, end, &["name"]).unwrap_or(method), named(tokens, at, end, &["description"]))
        }
        (UnparsedLanguage::Java | UnparsedLanguage::Kotlin, "builder")
            if word(tokens, at.checked_sub(2)?) == Some("Tool") =>
        {
            (named(tokens, at, at + REACH, &["name"])?, named(tokens, at, at + REACH, &["description"]))
        }
        (
            UnparsedLanguage::Java | UnparsedLanguage::Kotlin,
            "Tool" | "addTool" | "registerTool" | "ToolSpecification",
        ) if opens => match by_position() {
            Some(found) => found,
            None => (named(tokens, at, end, &["name"])?, Some(named(tokens, at, end, &["description"])?)),
        },
        (UnparsedLanguage::Php, "Tool" | "McpTool") if mark(tokens, at.checked_sub(1)?, b'[') && opens => {
            let function = function_after(tokens, end, "function")?;
            (named(tokens, at, end, &["name"]).unwrap_or(function), named(tokens, at, end, &["description"]))
        }
        (UnparsedLanguage::Php, "registerTool" | "addTool") if opens => by_position()?,
        (UnparsedLanguage::Php, "Tool") if word(tokens, at.checked_sub(1)?) == Some("new") && opens => by_position()?,
        // Ruby needs no parentheses, so the description is required: `tool "x"` may be anything.
        (UnparsedLanguage::Ruby, "tool") => {
            (literal(tokens, at + 1)?.to_owned(), Some(named(tokens, at, at + REACH, &["description"])?))
        }
        (UnparsedLanguage::Ruby, "register_tool") if opens => by_position()?,
        (UnparsedLanguage::CSharp, "McpServerTool" | "McpTool" | "Tool") if mark(tokens, at.checked_sub(1)?, b'[') => {
            let method = method_after(tokens, at)?;
            let description = named(tokens, at, at + REACH, &["Description"]);
            (if opens { named(tokens, at, end, &["Name"]) } else { None }.unwrap_or(method), description)
        }
        _ => return None,
    };
    // Text with blanks is no name, so that the match was something else.
    let plain = !name.is_empty()
        && name.len() <= MAX_NAME
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-./:".contains(letter));
    let tool = Tool {
        name,
        title: None,
        description,
        input_schema: None,
        output_schema: None,
        annotations: None,
        unread: Default::default(),
        origin: ToolOrigin::Source,
        place: Place { file: path.to_owned(), ..Place::default() },
    };
    plain.then_some((offset, tool))
}

/// `Tool::new`.
fn is_path(tokens: &[Placed<'_>], at: usize, owner: &str) -> bool {
    at >= 3 && mark(tokens, at - 1, b':') && word(tokens, at - 3) == Some(owner)
}

/// The name after the next `fn`.
fn function_after(tokens: &[Placed<'_>], from: usize, keyword: &str) -> Option<String> {
    let at = (from..from + REACH).find(|at| word(tokens, *at) == Some(keyword))?;
    word(tokens, at + 1).map(str::to_owned)
}

/// The first word before a parenthesis, outside annotations and attributes: the method's name.
fn method_after(tokens: &[Placed<'_>], from: usize) -> Option<String> {
    let mut at = from;
    while at < from + REACH {
        if mark(tokens, at, b'[') || mark(tokens, at, b'@') {
            let open = if mark(tokens, at, b'[') { at } else { at + 2 };
            at = if mark(tokens, open, b'[') || mark(tokens, open, b'(') { closing(tokens, open) + 1 } else { open };
            continue;
        }
        if mark(tokens, at, b']') || mark(tokens, at, b')') {
            at += 1;
            continue;
        }
        match word(tokens, at) {
            Some("McpServerTool" | "McpTool" | "Tool") if mark(tokens, at + 1, b'(') => {
                at = closing(tokens, at + 1) + 1
            }
            Some(name) if mark(tokens, at + 1, b'(') => return Some(name.to_owned()),
            _ => at += 1,
        }
    }
    None
}

/// A shell that is started with a command line: `exec.Command("sh", "-c", …)`, `Command::new("sh").arg("-c").arg(…)`,
/// `Runtime.getRuntime().exec(…)`, `shell_exec(…)`, `Process.Start("cmd", …)`. Kept under the name of the Python or
/// JavaScript call that does the same.
fn command_at<'a>(tokens: &[Placed<'a>], at: usize, language: UnparsedLanguage, text: &str) -> Option<(usize, Call)> {
    let name = word(tokens, at)?;
    let starts = match (language, name) {
        (UnparsedLanguage::Go, "Command" | "CommandContext") => word(tokens, at.checked_sub(2)?) == Some("exec"),
        (UnparsedLanguage::Rust, "new") => is_path(tokens, at, "Command"),
        (UnparsedLanguage::Php, "shell_exec" | "passthru" | "system" | "popen" | "proc_open") => true,
        (UnparsedLanguage::Ruby, "system") => true,
        (UnparsedLanguage::Java | UnparsedLanguage::Kotlin, "exec") => {
            word(tokens, at.checked_sub(4)?) == Some("getRuntime")
        }
        _ => return None,
    };
    if !starts || !mark(tokens, at + 1, b'(') {
        return None;
    }
    let end = closing(tokens, at + 1);
    // Go and Rust start programs without a shell: only `-c` makes the next argument a command line.
    let by_list = matches!(language, UnparsedLanguage::Go | UnparsedLanguage::Rust);
    // Rust adds arguments by further calls, behind the parenthesis.
    let reach = if language == UnparsedLanguage::Rust { at + 24 } else { end };
    let flag = (at..reach).find(|at| matches!(literal(tokens, *at), Some("-c" | "/c" | "/C" | "-lc")));
    let argument = if by_list { flag? + 1 } else { at + 2 };
    let argument = (argument..argument + 8).find(|at| {
        !matches!(tokens.get(*at), Some((_, HeuristicToken::Mark(_)))) && word(tokens, *at) != Some("arg")
    })?;
    let shape = match (literal(tokens, argument), word(tokens, argument)) {
        (Some(text), _)
            if mark(tokens, argument + 1, b'+')
                || (language == UnparsedLanguage::Php && text.contains('$'))
                || text.contains("#{") =>
        {
            Argument::Composed(format!("{text}{{}}"))
        }
        (Some(text), _) => Argument::Literal(text.to_owned()),
        (None, Some("fmt" | "format" | "String")) => Argument::Composed("{}".to_owned()),
        (None, Some(name)) => Argument::Name(name.to_owned()),
        _ => Argument::Other,
    };
    let start = tokens.get(at)?.0;
    let stop = tokens.get(end).map_or(text.len(), |(offset, _)| offset + 1);
    let call = Call {
        callee: "os.system".to_owned(),
        arguments: vec![shape],
        taint: TaintedArguments::default(),
        place: Place::default(),
        text: excerpt(text, start, stop.max(start)),
    };
    Some((start, call))
}

/// Words, literals and marks; comments are left out.
fn tokens(text: &str, language: UnparsedLanguage) -> Vec<Placed<'_>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
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
