//! Source: the imports and calls of source files, with the shape of the calls' arguments. JavaScript, TypeScript and
//! Python are parsed; a lexer reads other languages, and the tools that they register. Those of the parsed languages are
//! told by `program`, since a registration's parts stand in several files.
//!
//! Nothing is run. Declaration files (`.d.ts`, `.pyi`) are not read. Nor are files without any of the words in
//! `WORTH_READING` (vendored libraries, data tables), which register no tool and make no call that is kept. Text that
//! is larger than [`MAX_BYTES`] or nested deeper than the parsers can bear becomes a gap.

use std::sync::LazyLock;

use regex::bytes::Regex;

use capdex_model::fact::Place;
use capdex_model::snapshot::{Gap, GapReason};

use super::document::Document;
use super::language::Language;
use super::notebook::is_notebook;
use super::surfaces::SourceSurface;
use super::tools::Tool;

mod fenced;
mod javascript;
mod known_calls;
pub(crate) mod literal;
mod nesting;
mod notebook;
mod python;
mod secrets;
pub mod sinks;
mod sources;
mod taint;
mod token_heuristics;
pub(crate) mod zod;

pub use fenced::{Fenced, fenced};
pub(crate) use javascript::with_program;
pub(crate) use literal::properties_of;
pub(crate) use secrets::{hands_out_token, is_secret_name, is_token_service, prints_work};
pub use secrets::{is_issuer, secret_paths};
pub use taint::{TaintSources, TaintedArguments};
pub(crate) use token_heuristics::Constants;

/// The largest file that is parsed.
pub const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The stack on which a file is parsed: a base, and so much for each level that the nesting bound counts. Reserved,
/// not touched, unless a file is really that deep.
const STACK_BASE_BYTES: usize = 64 * 1024 * 1024;
const STACK_STEP_BYTES: usize = 24 * 1024;

/// The longest text of a call, in code points.
const TEXT_LENGTH: usize = 120;

/// The imports, calls and tools of one source file, as far as they can be told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceView {
    /// The modules that it imports, as written: `@modelcontextprotocol/sdk/server/mcp.js`, `mcp.server.fastmcp`.
    /// Sorted, each once.
    pub imports: Vec<String>,
    /// Calls and constructions worth knowing, in the order of the text. Reads of the environment stand among them as
    /// calls of `process.env` or `os.environ`. Their argument is the variable's name as a literal, or the name of the
    /// call that takes all of it (`JSON.stringify`). It is missing where all of it is used in another way. Other events
    /// stand among them under a word of their own. `throw`, `return` and `compare` stand for a followed value that is
    /// thrown, returned or compared. `merge` is one that becomes a key or is merged into an object, and
    /// `connection.write` one that is written to a connection. `console.log` stands for a secret that is printed,
    /// `handed:` before a name for a call of another module that is given one. `hidden-name` is a name in pieces.
    pub calls: Vec<Call>,
    /// The MCP tools that it registers, in the order of the text. Those of a parsed language are put here by
    /// `program::registrations`.
    pub tools: Vec<Tool>,
    /// The prompts, resources and instructions of servers that it registers, in the order of the text; put here by
    /// `program::registrations`.
    pub surfaces: Vec<SourceSurface>,
    /// True where a parser read it; a lexer reads other languages.
    pub is_parsed: bool,
}

/// A call or construction.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The callee as dotted names, import aliases resolved: `child_process.exec`, `eval`, `os.system`, `fetch`. A
    /// method of an unknown object has `*` for it: `*.query`.
    pub callee: String,
    /// The shape of each argument; Python's keyword arguments stand together as the last.
    pub arguments: Vec<Argument>,
    /// The taint sources that reach it, as far as this file shows.
    pub taint: TaintedArguments,
    /// The place at which the call begins.
    pub place: Place,
    /// The first 120 code points of the call's text.
    pub text: String,
    /// True where nothing is done with its result and its failure is passed over in silence: `try: f() except: pass`,
    /// `f().catch(() => {})`.
    pub is_aside: bool,
    /// True where nothing is done with its result, whatever becomes of its failure.
    pub is_unused: bool,
}

/// The shape of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A string that is wholly literal, with its value; a list of literals joined by spaces. Constants of the same
    /// file are resolved.
    Literal(String),
    /// Text put together at run time: a template with expressions, a concatenation, an f-string, a joined path, a
    /// list that is not wholly literal. Holds the literal pieces joined by `{}`.
    Composed(String),
    /// Keyword arguments or object properties whose values are literals: `shell=True`, `{shell: true}`.
    Named(Vec<(String, String)>),
    /// A bare name or member access, aliases resolved.
    Name(String),
    /// The result of another call, by its callee.
    Result(String),
    /// Anything else.
    Other,
}

/// The walks over one file at most: each follows data through one more function that stands above its caller. Files
/// written by people get more than bundles, in which one more finds nothing that is meant.
const fn walks(text: &str) -> usize {
    if text.len() <= 64 << 10 { 4 } else { 2 }
}

/// The findings of a parser, with byte offsets instead of places.
#[derive(Default)]
struct Findings {
    imports: Vec<String>,
    calls: Vec<(usize, Call)>,
    tools: Vec<(usize, Tool)>,
    /// True where constants were not followed to their end.
    exhausted: bool,
    /// True where there were more calls than are kept.
    flooded: bool,
}

/// The most calls that are kept of one file: far more than source written by people has, bundles included.
const MAX_CALLS: usize = 20_000;

impl Findings {
    fn keep_call(&mut self, offset: usize, call: Call) {
        if self.calls.len() < MAX_CALLS {
            self.calls.push((offset, call));
        } else {
            // Told as a gap, so that a file padded with calls is not called clean.
            self.flooded = true;
        }
    }
}

/// The outcome of parsing.
enum ParsedSource {
    Read(Findings),
    /// Read as far as possible; the parser's message says where it stumbled.
    Damaged(Findings, String),
    Refused(String),
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum SourceDialect {
    Script,
    Jsx,
    TypeScript,
    Tsx,
    Python,
}

static WORTH_READING: LazyLock<Regex> = LazyLock::new(|| {
    let words = "(?-u)tool|Tool|TOOL|input_?[sS]chema|exec|spawn|eval|Function|fetch|http|axios|environ|process\\.env|getenv|subprocess|system\
                 |popen|requests|urllib|socket|pickle|marshal|yaml|base64|atob|child_process|__import__|_0x|readFile\
                 |createServer|open\\(|read_text|read_bytes|query\\(|ctypes|hostname|userInfo|getuser|dns|clipboard|pyperclip|ethereum|startfile|boto3|smtplib|pynput|paramiko|ftplib|telegram|slack|dotenv|copytree|runIn|rmtree|rmSync|winreg|webbrowser|getattr|from_string|Template|chmod|symlink|os\\.fork|unlink|/etc/|/var/log/|ejs\\.|pug\\.|nunjucks|req\\.|request\\.|__proto__";
    Regex::new(words).expect("the pattern is fixed and valid")
});

/// Reads a document by itself; `None` for documents that are no source and for source that cannot matter. Source that no
/// parser takes becomes a gap.
pub fn read(document: &Document, gaps: &mut Vec<Gap>) -> Option<SourceView> {
    read_among(document, &Constants::of(std::iter::once(document)), gaps)
}

/// Reads a document among others, whose constants it may use.
pub(crate) fn read_among(document: &Document, constants: &Constants, gaps: &mut Vec<Gap>) -> Option<SourceView> {
    if let Some(language) = token_heuristics::language(&document.path) {
        return token_heuristics::read(document, language, constants);
    }
    if is_notebook(&document.path) {
        return notebook::read(document, gaps);
    }
    let dialect = dialect(document)?;
    // Words before size: a large file that cannot matter is no gap.
    if !WORTH_READING.is_match(document.text.as_bytes()) || !fits(document, gaps) {
        return None;
    }
    let findings = findings(document, dialect, &document.path, gaps)?;
    Some(SourceView { is_parsed: true, ..view(document, findings, gaps) })
}

/// True where a document is small enough to be read as source; a larger one becomes a gap.
fn fits(document: &Document, gaps: &mut Vec<Gap>) -> bool {
    let fits = document.text.len() <= MAX_BYTES;
    if !fits {
        // Unread is not clean: the size is told.
        let detail = format!("{} bytes of source, of which {MAX_BYTES} are parsed at most", document.text.len());
        gaps.push(Gap::new(&document.path, GapReason::BudgetExhausted, detail));
    }
    fits
}

/// An upper bound of the depth to which a program nests, kept with it; none where it is deeper than what is parsed.
pub(crate) fn nesting_of(program: &Document, dialect: SourceDialect) -> Option<usize> {
    *program.nesting.get_or_init(|| bound_of(&program.text, dialect))
}

fn bound_of(text: &str, dialect: SourceDialect) -> Option<usize> {
    let bound = match dialect {
        SourceDialect::Python => nesting::python(text),
        SourceDialect::Script => nesting::javascript(text, false, false),
        SourceDialect::TypeScript => nesting::javascript(text, false, true),
        SourceDialect::Jsx => nesting::javascript(text, true, false),
        SourceDialect::Tsx => nesting::javascript(text, true, true),
    };
    (bound <= nesting::LIMIT).then_some(bound)
}

/// The findings of a parser in a program; source that it cannot read becomes a gap of the file at `path`.
fn findings(program: &Document, dialect: SourceDialect, path: &str, gaps: &mut Vec<Gap>) -> Option<Findings> {
    // The parsers recurse, and a stack overflow would end the process where no handler can catch it.
    let Some(bound) = nesting_of(program, dialect) else {
        let detail = format!("nested deeper than the {} levels that are parsed", nesting::LIMIT);
        gaps.push(Gap::new(path, GapReason::BudgetExhausted, detail));
        return None;
    };
    let (findings, stumbled) = match parse(program, dialect, bound) {
        ParsedSource::Read(findings) => (Some(findings), None),
        ParsedSource::Damaged(findings, message) => (Some(findings), Some(message)),
        ParsedSource::Refused(message) => (None, Some(message)),
    };
    gaps.extend(stumbled.map(|message| Gap::new(path, GapReason::Malformed, message)));
    findings
}

/// The dialect of a document that a parser reads; `None` for others, and for declarations.
pub(crate) fn dialect(document: &Document) -> Option<SourceDialect> {
    let name = document.path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    // Declarations have no bodies, so that nothing in them runs.
    if [".d.ts", ".d.mts", ".d.cts"].iter().any(|end| name.ends_with(end)) {
        return None;
    }
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("js" | "mjs" | "cjs") => Some(SourceDialect::Script),
        Some("jsx") => Some(SourceDialect::Jsx),
        Some("ts" | "mts" | "cts") => Some(SourceDialect::TypeScript),
        Some("tsx") => Some(SourceDialect::Tsx),
        Some("py" | "pyw") => Some(SourceDialect::Python),
        // Python runs the lines of a path file that begin with `import`, whenever it starts.
        Some("pth") if document.text.lines().any(|line| line.starts_with("import")) => Some(SourceDialect::Python),
        None => match document.language {
            Language::JavaScript => Some(SourceDialect::Script),
            Language::Python => Some(SourceDialect::Python),
            _ => None,
        },
        Some(_) => None,
    }
}

/// The nesting up to which a file is parsed where the caller stands: a thread for each small file costs more than the
/// file. Source this shallow fits a megabyte of stack, which a test holds to; threads have two at least.
const NEAR_LEVELS: usize = 24;

/// Parses on a stack that fits the bound. A panic in a parser becomes a refusal.
fn parse(document: &Document, dialect: SourceDialect, bound: usize) -> ParsedSource {
    let work = || match dialect {
        SourceDialect::Python => python::parse(document),
        _ => javascript::parse(document, dialect),
    };
    on_stack(bound, work).unwrap_or_else(|| ParsedSource::Refused("the parser gave up".to_owned()))
}

/// Works where the caller stands, or on a thread of its own whose stack fits a bound of nesting. None where the work
/// panics: a parser's panic costs one file, never the scan.
#[expect(clippy::disallowed_methods, reason = "the parsers need a stack of their own; nothing runs beside the caller")]
pub(crate) fn on_stack<T: Send>(bound: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    if bound <= NEAR_LEVELS {
        return std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).ok();
    }
    let stack = STACK_BASE_BYTES + bound * STACK_STEP_BYTES;
    std::thread::scope(|scope| {
        std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, work).ok()?.join().ok()
    })
}

fn view(document: &Document, mut findings: Findings, gaps: &mut Vec<Gap>) -> SourceView {
    if findings.exhausted {
        gaps.push(Gap::new(&document.path, GapReason::BudgetExhausted, "constants too large to follow"));
    }
    if findings.flooded {
        let detail = format!("more than {MAX_CALLS} calls worth knowing; the rest was not looked at");
        gaps.push(Gap::new(&document.path, GapReason::BudgetExhausted, detail));
    }
    // The walk meets nested calls and handlers out of order, and places are counted forwards only.
    findings.calls.sort_by_key(|(offset, _)| *offset);
    findings.tools.sort_by_key(|(offset, _)| *offset);
    findings.imports.sort();
    findings.imports.dedup();
    let mut places = Places::new(document);
    let calls = findings.calls.into_iter().map(|(offset, call)| Call { place: places.at(offset), ..call }).collect();
    // Tools begin at the top of the file again, and the first counter has moved past them.
    let mut places = Places::new(document);
    let tools = findings.tools.into_iter().map(|(offset, tool)| Tool { place: places.at(offset), ..tool }).collect();
    SourceView { imports: findings.imports, calls, tools, surfaces: Vec::new(), is_parsed: false }
}

/// Places of rising offsets, in time linear in the text even where it is all one line.
pub(crate) struct Places<'a> {
    document: &'a Document,
    line_start: usize,
    last: usize,
    place: Place,
}

impl<'a> Places<'a> {
    /// Starts before the first offset.
    pub(crate) fn new(document: &'a Document) -> Self {
        Self { document, line_start: usize::MAX, last: 0, place: Place::default() }
    }

    /// The place of an offset, which is no smaller than the last.
    pub(crate) fn at(&mut self, offset: usize) -> Place {
        let (start, _) = self.document.line_at(offset);
        if start != self.line_start {
            self.line_start = start;
            self.last = start;
            self.place = self.document.place(start);
        }
        // Only the text since the last place is counted, so that a line of megabytes is read once.
        let passed = self.document.text.get(self.last..offset).map_or(0, |text| text.chars().count());
        self.place.column = self.place.column.saturating_add(u32::try_from(passed).unwrap_or(u32::MAX));
        self.last = offset;
        self.place.clone()
    }
}

/// The first code points of a call.
fn excerpt(text: &str, start: usize, end: usize) -> String {
    text.get(start..end).unwrap_or_default().chars().take(TEXT_LENGTH).collect()
}

#[cfg(test)]
mod taint_tests;
#[cfg(test)]
mod tests;
