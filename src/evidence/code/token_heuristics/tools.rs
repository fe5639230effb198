//! Tools: the registrations of the SDKs by their names, and the texts that follow within a bounded number of tokens.

use super::UnparsedLanguage;
use super::texts::{Lookup, ToldText, value};
use super::tokens::{Placed, REACH, closing, is_path, mark, word};
use crate::tools::{Tool, UnreadParts};

/// The longest name that is taken for a tool's.
const MAX_NAME: usize = 128;

/// The words at which a registration may begin: nothing is looked at further on for others.
const NAMES: [&str; 20] = [
    "NewTool",
    "NewServerTool",
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
    "define_tool",
    "define",
    "class",
    "McpServerTool",
    "ToolSpecification",
];

/// The file in which a registration is looked for.
pub(super) struct ToolReader<'x> {
    pub(super) tokens: &'x [Placed<'x>],
    pub(super) language: UnparsedLanguage,
    pub(super) text: &'x str,
    pub(super) path: &'x str,
    pub(super) known: Lookup<'x>,
}

/// A name that is told, and a text where one stands.
type Told = (String, Option<ToldText>);

impl ToolReader<'_> {
    /// The tool that is registered at a token, with the offset of the token.
    pub(super) fn tool_at(&self, at: usize) -> Option<(usize, Tool)> {
        let tokens = self.tokens;
        // Almost every token ends here, before any bracket is matched.
        let name = word(tokens, at).filter(|name| NAMES.contains(name))?;
        let offset = tokens.get(at)?.0;
        let (name, description) = self.told(at, name)?;
        // Text with blanks is no name, so that the match was something else.
        let plain = !name.is_empty()
            && name.len() <= MAX_NAME
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-./:".contains(letter));
        let unread = UnreadParts { description: description.as_ref().is_some_and(|told| !told.whole), schema: false };
        let tool = Tool {
            // A text of which nothing is known is none.
            description: description.map(|told| told.text).filter(|text| text.chars().any(|letter| letter != '…')),
            unread,
            ..Tool::named(&name, self.path.to_owned())
        };
        plain.then_some((offset, tool))
    }

    fn told(&self, at: usize, name: &str) -> Option<Told> {
        use UnparsedLanguage::{CSharp, Go, Java, Kotlin, Php, Ruby, Rust};
        let tokens = self.tokens;
        let opens = mark(tokens, at + 1, b'(');
        let end = closing(tokens, at + 1);
        let before = at.checked_sub(1);
        let follows = |wanted: u8| before.is_some_and(|before| mark(tokens, before, wanted));
        Some(match (self.language, name) {
            (Go, "NewTool") if opens => {
                (self.name(at + 2)?, self.named(at, end, &["WithDescription"]).or_else(|| self.second(at)))
            }
            (Go, "NewServerTool") if opens => self.by_position(at)?,
            (Go, "Tool" | "ToolDefinition") if mark(tokens, at + 1, b'{') => {
                (self.name_of(at, end, "Name")?, self.named(at, end, &["Description"]))
            }
            (Go, "AddTool" | "RegisterTool" | "MustTool") if opens => self.by_position(at)?,
            (Rust, "tool" | "mcp_tool") if follows(b'[') && (opens || mark(tokens, at + 1, b']')) => {
                let end = if opens { end } else { at + 1 };
                let function = function_after(tokens, end, "fn")?;
                let said = self.named(at, end, &["description"]).or_else(|| self.comment_above(at));
                (self.name_of(at, end, "name").unwrap_or(function), said)
            }
            (Rust, "new") if is_path(tokens, at, "Tool") && opens => self.by_position(at)?,
            (Rust, "new") if is_path(tokens, at, "ToolBuilder") && opens => {
                (self.name(at + 2)?, self.named(at, at + REACH, &["description"]))
            }
            (Java | Kotlin, "Tool" | "McpTool") if follows(b'@') && opens => {
                let (method, _) = method_after(tokens, end)?;
                let said = self.named(at, end, &["description", "value"]).or_else(|| self.only(at, end));
                (self.name_of(at, end, "name").unwrap_or(method), said)
            }
            (Java | Kotlin, "builder") if word(tokens, at.checked_sub(2)?) == Some("Tool") => {
                (self.name_of(at, at + REACH, "name")?, self.named(at, at + REACH, &["description"]))
            }
            (Java | Kotlin, "Tool" | "addTool" | "registerTool" | "ToolSpecification") if opens => {
                match self.by_position(at) {
                    Some(found) => found,
                    None => (self.name_of(at, end, "name")?, Some(self.named(at, end, &["description"])?)),
                }
            }
            (Php, "Tool" | "McpTool") if follows(b'[') => {
                let end = if opens { end } else { at + 1 };
                let function = function_after(tokens, end, "function")?;
                (self.name_of(at, end, "name").unwrap_or(function), self.named(at, end, &["description"]))
            }
            (Php, "registerTool" | "addTool") if opens => self.by_position(at)?,
            (Php, "Tool") if word(tokens, before?) == Some("new") && opens => match self.by_position(at) {
                Some(found) => found,
                None => (self.name_of(at, end, "name")?, self.named(at, end, &["description"])),
            },
            // Ruby needs no parentheses, so the description is required: `tool "x"` may be anything.
            (Ruby, "tool") => (self.name(at + 1)?, Some(self.named(at, at + REACH, &["description"])?)),
            (Ruby, "register_tool") if opens => self.by_position(at)?,
            (Ruby, "define_tool") if opens => (self.name_of(at, end, "name")?, self.named(at, end, &["description"])),
            (Ruby, "define") if opens && word(tokens, at.checked_sub(2)?) == Some("Tool") => {
                (self.name_of(at, end, "name")?, self.named(at, end, &["description"]))
            }
            (Ruby, "class") => self.ruby_class(at)?,
            (CSharp, "McpServerTool" | "McpTool" | "Tool") if follows(b'[') || follows(b',') => {
                let (method, called) = method_after(tokens, attribute_end(tokens, at))?;
                // Behind the method's name stand those of its arguments.
                let said = self.named(at, called, &["Description"]).or_else(|| self.attribute_before(at));
                (if opens { self.name_of(at, end, "Name") } else { None }.unwrap_or(method), said)
            }
            _ => return None,
        })
    }

    fn value(&self, at: usize) -> Option<ToldText> {
        value(self.tokens, at, self.language, self.known)
    }

    /// The text at a token, where all of it is known.
    fn name(&self, at: usize) -> Option<String> {
        self.value(at).filter(|told| told.whole).map(|told| told.text)
    }

    /// The name, then the description.
    fn by_position(&self, at: usize) -> Option<Told> {
        Some((self.name(at + 2)?, self.second(at)))
    }

    /// The text of a call's second argument; a bare name that no text is known for is the handler.
    fn second(&self, at: usize) -> Option<ToldText> {
        let first = self.value(at + 2)?;
        let told = if mark(self.tokens, first.end, b',') { self.value(first.end + 1)? } else { return None };
        told.text.chars().any(|letter| letter != '…').then_some(told)
    }

    /// The text that is all of an annotation: `@Tool("…")`.
    fn only(&self, at: usize, end: usize) -> Option<ToldText> {
        self.value(at + 2).filter(|told| told.end == end)
    }

    fn name_of(&self, from: usize, end: usize, key: &str) -> Option<String> {
        self.named(from, end, &[key]).filter(|told| told.whole).map(|told| told.text)
    }

    /// The text that follows one of these words as `word = "…"`, `word: "…"`, `word => "…"` or `word("…")`.
    fn named(&self, from: usize, end: usize, words: &[&str]) -> Option<ToldText> {
        let tokens = self.tokens;
        for at in from..end.min(tokens.len()) {
            if !word(tokens, at).is_some_and(|found| words.contains(&found)) {
                continue;
            }
            let mut text = at + 1;
            while text < at + 3 && [b'=', b':', b'(', b'>'].iter().any(|open| mark(tokens, text, *open)) {
                text += 1;
            }
            // In `a.name == b` and `name: String` no text stands.
            let is_type = matches!(word(tokens, text), Some("String" | "string" | "str"));
            if text > at + 1
                && !is_type
                && let Some(told) = self.value(text)
            {
                return Some(told);
            }
        }
        None
    }

    /// `class Weigh < MCP::Tool` with `description "…"` in its body.
    fn ruby_class(&self, at: usize) -> Option<Told> {
        let tokens = self.tokens;
        let base = (at + 2..at + 8).find(|at| mark(tokens, *at, b'<'))?;
        let own = word(tokens, base.checked_sub(1)?)?;
        let mut last = base + 1;
        while mark(tokens, last + 1, b':') && mark(tokens, last + 2, b':') && word(tokens, last + 3).is_some() {
            last += 3;
        }
        if !word(tokens, last)?.ends_with("Tool") {
            return None;
        }
        // Its own words stand at the top of the body, before its methods.
        let body = last + 1;
        let end = (body..body + 4 * REACH).find(|at| matches!(word(tokens, *at), Some("def" | "class")));
        let end = end.unwrap_or(body + 4 * REACH).min(tokens.len());
        let said = |key: &str| {
            // A key of a schema (`description: "…"`) is none of these words.
            (body..end).filter(|at| word(tokens, *at) == Some(key)).find_map(|at| {
                let text = if mark(tokens, at + 1, b'(') { at + 2 } else { at + 1 };
                self.value(text)
            })
        };
        let name = said("tool_name").filter(|told| told.whole).map(|told| told.text);
        Some((name.unwrap_or_else(|| snake(own)), Some(said("description")?)))
    }

    /// The description of an attribute that stands before this one.
    fn attribute_before(&self, at: usize) -> Option<ToldText> {
        let tokens = self.tokens;
        let first = (at.saturating_sub(REACH)..at)
            .rev()
            .find(|at| [b';', b'{', b'}'].iter().any(|end| mark(tokens, *at, *end)))
            .map_or(at.saturating_sub(REACH), |end| end + 1);
        self.named(first, at, &["Description"])
    }

    /// The comment for documents (`///`) above an attribute.
    fn comment_above(&self, at: usize) -> Option<ToldText> {
        let (offset, _) = self.tokens.get(at)?;
        let above = self.text.get(..*offset)?.rsplit_once('\n')?.0;
        let mut lines: Vec<&str> =
            above.rsplit('\n').map_while(|line| line.trim().strip_prefix("///").map(str::trim)).collect();
        lines.reverse();
        (!lines.is_empty()).then(|| ToldText { text: lines.join("\n"), whole: true, end: at })
    }
}

/// A class's name as the SDK names its tool.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// The name after the next `fn`.
fn function_after(tokens: &[Placed<'_>], from: usize, keyword: &str) -> Option<String> {
    let at = (from..from + REACH).find(|at| word(tokens, *at) == Some(keyword))?;
    word(tokens, at + 1).map(str::to_owned)
}

/// The bracket that closes the attributes around a token.
fn attribute_end(tokens: &[Placed<'_>], at: usize) -> usize {
    let mut next = at;
    while next < at + 4 * REACH {
        if mark(tokens, next, b'(') {
            next = closing(tokens, next);
        } else if mark(tokens, next, b']') {
            return next;
        }
        next += 1;
    }
    at
}

/// The first word before a parenthesis, outside annotations and attributes: the method's name, and its token.
fn method_after(tokens: &[Placed<'_>], from: usize) -> Option<(String, usize)> {
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
            Some(name) if mark(tokens, at + 1, b'(') => return Some((name.to_owned(), at)),
            _ => at += 1,
        }
    }
    None
}
