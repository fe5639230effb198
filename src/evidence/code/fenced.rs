//! Fenced source: what the Python and JavaScript in the fences of a Markdown text would do, which an agent runs as it
//! stands, and those that a shell script holds.
//!
//! The fences of Python are one program, because a later one uses the names of an earlier; what a shell's fence hands to
//! `python3 -c` or gives it as a here-document belongs to them. Those of JavaScript, and what `node -e` is handed, are read
//! one by one, since its parser gives a whole text up at the first error. A fragment that is no program is passed over.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::document::Document;
use super::super::language::Language;
use super::{Call, Findings, MAX_BYTES, SourceDialect, SourceView, WORTH_READING, findings, view};

/// The fenced source of one document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fenced {
    /// Its calls, in the order of the text.
    pub view: SourceView,
    /// The byte at which each of the calls begins.
    pub starts: Vec<usize>,
}

/// The most fences that are read of one text.
const MAX_FENCES: usize = 400;

/// The fenced source of a Markdown document, or what a shell script hands to Python or node; read at the first question, and empty
/// for other documents.
pub fn fenced(document: &Document) -> &Fenced {
    document.fenced.get_or_init(|| read(document).unwrap_or_default())
}

fn read(document: &Document) -> Option<Fenced> {
    let text = document.text.as_str();
    if text.len() > MAX_BYTES {
        return None;
    }
    let fences = match document.language {
        Language::Markdown => fences(text),
        // A script hands its programs on as a fence does.
        Language::Shell => inline(text, 0..text.len()),
        _ => return None,
    };
    let python: Vec<&Fence> = fences.iter().filter(|fence| fence.dialect == SourceDialect::Python).collect();
    let mut found = Findings::default();
    let whole = if python.is_empty() { None } else { parsed(text, &python) };
    // Where one fence is damaged, what follows it may be lost in the whole: each is then read alone as well.
    let damaged = whole.as_ref().is_some_and(|(_, damaged)| *damaged);
    found.calls.extend(whole.into_iter().flat_map(|(whole, _)| whole.calls));
    let mut known: BTreeSet<usize> = found.calls.iter().map(|(start, _)| *start).collect();
    let alone = fences.iter().filter(|fence| fence.dialect != SourceDialect::Python || damaged);
    for fence in alone {
        let Some((more, _)) = parsed(text, &[fence]) else { continue };
        // Calls of one chain begin at one place, so that only those of other fences are known here.
        let more: Vec<_> = more.calls.into_iter().filter(|(start, _)| !known.contains(start)).collect();
        known.extend(more.iter().map(|(start, _)| *start));
        found.calls.extend(more);
    }
    if found.calls.is_empty() {
        return None;
    }
    found.calls.sort_by_key(|(start, _)| *start);
    let starts = found.calls.iter().map(|(start, _)| *start).collect();
    Some(Fenced { view: SourceView { is_parsed: true, ..view(document, found, &mut Vec::new()) }, starts })
}

/// One fence of a known language.
struct Fence {
    dialect: SourceDialect,
    /// The bytes between its two marks.
    body: Range<usize>,
    /// The blanks before its mark, which are no part of the program.
    indent: usize,
    /// True where a shell takes a stroke before quotation marks away.
    is_quoted: bool,
}

/// A program on a command line, or in a here-document behind one.
static INLINE: LazyLock<Regex> = LazyLock::new(|| {
    crate::expression::of(
        r#"\b(?P<program>python3?|node)[ \t]+(?:-\w[ \t]+){0,3}?(?:-[ce][ \t]+(?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>[^']*)')|(?:-[ \t]*)?<<-?[ \t]*['"]?(?P<mark>[A-Z_]{2,20})['"]?[^\n]*\n)"#,
    )
});

/// The programs in Python and JavaScript that the lines of a shell's fence hold.
fn inline(text: &str, body: Range<usize>) -> Vec<Fence> {
    let part = text.get(body.clone()).unwrap_or_default();
    let programs = INLINE.captures_iter(part).filter_map(|found| {
        let quoted = found.name("double");
        let within = match quoted.or(found.name("single")) {
            Some(code) => code.range(),
            None => {
                let from = found.get(0)?.end();
                let mark = found.name("mark")?.as_str();
                let rest = part.get(from..)?;
                let length =
                    rest.split_inclusive('\n').take_while(|line| line.trim() != mark).map(str::len).sum::<usize>();
                from..from + length
            }
        };
        let body = body.start + within.start..body.start + within.end;
        let is_node = found.name("program").is_some_and(|program| program.as_str() == "node");
        let dialect = if is_node { SourceDialect::Script } else { SourceDialect::Python };
        Some(Fence { dialect, body, indent: 0, is_quoted: quoted.is_some() })
    });
    programs.collect()
}

/// The fences of a text in languages that are parsed.
fn fences(text: &str) -> Vec<Fence> {
    let mut fences = Vec::new();
    let mut open: Option<(&str, Option<Tongue>, usize, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim_start_matches([' ', '\t', '>']);
        let marks = content.len() - content.trim_start_matches(['`', '~']).len();
        if marks < 3 {
            continue;
        }
        let (mark, info) = content.split_at(marks);
        match open.take() {
            None => open = Some((mark, tongue_of(info), at, line.len() - content.len())),
            // A closing mark is as long as the opening one, and says nothing.
            Some((opened, tongue, from, indent)) if mark.starts_with(opened) && info.trim().is_empty() => {
                fences.extend(tongue.into_iter().flat_map(|tongue| tongue.fences(text, from..start, indent)));
            }
            inside => open = inside,
        }
        if fences.len() >= MAX_FENCES {
            return fences;
        }
    }
    // An open fence ends with its text.
    if let Some((_, Some(tongue), from, indent)) = open {
        fences.extend(tongue.fences(text, from..text.len(), indent));
    }
    fences
}

/// The language of a fence.
#[derive(Clone, Copy)]
enum Tongue {
    Source(SourceDialect),
    Shell,
}

impl Tongue {
    fn fences(self, text: &str, body: Range<usize>, indent: usize) -> Vec<Fence> {
        match self {
            Self::Source(dialect) => vec![Fence { dialect, body, indent, is_quoted: false }],
            Self::Shell => inline(text, body),
        }
    }
}

fn tongue_of(info: &str) -> Option<Tongue> {
    let word = info.trim().trim_start_matches(['{', '.']).split([' ', ',', '}']).next()?.to_ascii_lowercase();
    match word.as_str() {
        "" | "sh" | "bash" | "shell" | "zsh" | "console" => Some(Tongue::Shell),
        _ => dialect_of(info).map(Tongue::Source),
    }
}

fn dialect_of(info: &str) -> Option<SourceDialect> {
    let word = info.trim().trim_start_matches(['{', '.']);
    match word.split(|letter: char| !letter.is_ascii_alphanumeric()).next()?.to_ascii_lowercase().as_str() {
        "python" | "py" | "python3" => Some(SourceDialect::Python),
        "javascript" | "js" | "mjs" | "cjs" | "node" => Some(SourceDialect::Script),
        "typescript" | "ts" => Some(SourceDialect::TypeScript),
        _ => None,
    }
}

/// The calls in some fences, at their places in the text, and whether the parser stumbled.
fn parsed(text: &str, fences: &[&Fence]) -> Option<(Findings, bool)> {
    let body = |fence: &&Fence| text.get(fence.body.clone()).unwrap_or_default().as_bytes();
    if !fences.iter().any(|fence| WORTH_READING.is_match(body(fence))) {
        return None;
    }
    let &&Fence { dialect, body: Range { start: base, .. }, .. } = fences.first()?;
    let mut program = program(text, base, fences);
    if dialect == SourceDialect::Python {
        // Fragments leave out what every reader adds. At the end, so that every place stays where it is.
        program.push_str("\nimport base64, json, os, requests, socket, subprocess, sys, urllib.request\n");
    }
    let document = Document::read("fence", program.as_bytes(), &mut Vec::new());
    // An example that is no whole program is ordinary, and no gap.
    let mut stumbled = Vec::new();
    let mut found = findings(&document, dialect, "", &mut stumbled)?;
    found.calls.iter_mut().for_each(|(start, _)| *start += base);
    Some((found, !stumbled.is_empty()))
}

/// A text from its first fence on, in which all but the fences is blank, so that every place is as far behind the first as it was.
fn program(text: &str, base: usize, fences: &[&Fence]) -> String {
    let blank = |text: &str| text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect::<String>();
    let mut program = String::new();
    for fence in fences {
        program.push_str(&blank(text.get(base + program.len()..fence.body.start).unwrap_or_default()));
        for line in text.get(fence.body.clone()).unwrap_or_default().split_inclusive('\n') {
            let blanks = line.bytes().take(fence.indent).take_while(|byte| matches!(byte, b' ' | b'\t' | b'>')).count();
            let (kept, end) = match line.strip_suffix('\n') {
                Some(kept) => (kept, "\n"),
                None => (line, ""),
            };
            let kept_code = kept.get(blanks..).unwrap_or_default();
            match fence.is_quoted {
                true => program.push_str(&unquoted(kept_code)),
                false => program.push_str(kept_code),
            }
            // The blanks that are taken away in front are put behind, so that the next line stays where it is.
            program.extend(std::iter::repeat_n(' ', blanks.min(kept.len())));
            program.push_str(end);
        }
    }
    program
}

/// A line as a shell hands it on from between double quotation marks, each mark behind a blank so that places stay.
fn unquoted(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letters.peek() {
            Some(next @ ('"' | '$' | '`')) if letter == '\\' => {
                // In front of the mark, a blank would stand inside of a text: behind it would end the text too early.
                plain.push(*next);
                plain.push(' ');
                letters.next();
            }
            _ => plain.push(letter),
        }
    }
    plain
}

impl Fenced {
    /// The calls with the byte at which each begins.
    pub fn calls(&self) -> impl Iterator<Item = (usize, &Call)> {
        self.starts.iter().copied().zip(&self.view.calls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn callees(text: &str) -> Vec<(String, u32)> {
        let document = Document::read("SKILL.md", text.as_bytes(), &mut Vec::new());
        fenced(&document).view.calls.iter().map(|call| (call.callee.clone(), call.place.line)).collect()
    }

    #[test]
    fn fences_are_one_program_where_they_stand() {
        let text = "# Kit\n\n```python\nimport os as system\n```\nThen:\n\n1. run\n   ```py\n   system.system('make')\n   ```\n";
        assert_eq!(callees(text), [("os.system".to_owned(), 10)]);
        let text =
            "é\n~~~js\nfetch('https://api.test')\n~~~\n```js\nconst = broken (\n```\n```ts\neval(x as string)\n```\n";
        assert_eq!(callees(text), [("fetch".to_owned(), 3), ("eval".to_owned(), 9)]);
    }

    #[test]
    fn what_a_shell_hands_to_python_is_python() {
        let text = "```bash\npython3 -c \"\nimport os as system\nsystem.system('make \\\"all\\\"')\n\"\npython3 - <<'END'\nprint(eval(x))\nEND\n```\n";
        assert_eq!(callees(text), [("os.system".to_owned(), 4), ("eval".to_owned(), 7)]);
        assert_eq!(
            callees("```python\nos.system('make')\n```\n"),
            [("os.system".to_owned(), 2)],
            "as every reader reads it"
        );
        assert_eq!(callees("```text\npython3 -c 'eval(x)'\n```\n"), []);
        let script =
            Document::read("a.sh", b"#!/bin/sh\necho a\npython3 - <<'END'\nprint(eval(x))\nEND\n", &mut Vec::new());
        assert_eq!(fenced(&script).starts, [41]);
        assert_eq!(
            callees("```sh\nnode -e 'fetch(\"https://a.test\")'\nnode <<JS\neval(x)\nJS\n```\n"),
            [("fetch".to_owned(), 2), ("eval".to_owned(), 4)]
        );
    }

    #[test]
    fn calls_of_one_chain_are_all_kept() {
        let found =
            callees("```sh\necho a\n```\n```js\nfetch('https://a.test').then((r) => r.text()).then(eval);\n```\n");
        assert!(["fetch", "eval"].iter().all(|name| found.contains(&((*name).to_owned(), 5))), "{found:?}");
    }

    #[test]
    fn a_damaged_fence_hides_no_other() {
        let text = "```python\nfoo(\n```\n```python\nimport os\nos.system('make')\n```\n";
        assert_eq!(callees(text), [("os.system".to_owned(), 6)]);
    }

    #[test]
    fn other_texts_and_fences_are_not_read() {
        assert_eq!(callees("```bash\neval $(cat x)\n```\nos.system('make')\n```text\neval(x)\n```\n"), []);
        let document = Document::read("a.py", b"```python\neval(x)\n```", &mut Vec::new());
        assert_eq!(fenced(&document), &Fenced::default());
    }
}
