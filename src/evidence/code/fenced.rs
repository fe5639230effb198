//! Fenced source: what the Python and JavaScript in the fences of a Markdown text would do, which an agent runs as it
//! stands.
//!
//! The fences of Python are one program, because a later one uses the names of an earlier. Those of JavaScript are read
//! one by one, since its parser gives a whole text up at the first error. A fragment that is no program is passed over.

use std::ops::Range;

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

/// The fenced source of a Markdown document; read at the first question, and empty for other documents.
pub fn fenced(document: &Document) -> &Fenced {
    document.fenced.get_or_init(|| read(document).unwrap_or_default())
}

fn read(document: &Document) -> Option<Fenced> {
    let text = document.text.as_str();
    if document.language != Language::Markdown || text.len() > MAX_BYTES || !WORTH_READING.is_match(text.as_bytes()) {
        return None;
    }
    let fences = fences(text);
    let python: Vec<&Fence> = fences.iter().filter(|fence| fence.dialect == SourceDialect::Python).collect();
    let mut found = Findings::default();
    let whole = if python.is_empty() { None } else { parsed(text, &python) };
    // Where one fence is damaged, what follows it may be lost in the whole: each is then read alone as well.
    let damaged = whole.as_ref().is_some_and(|(_, damaged)| *damaged);
    found.calls.extend(whole.into_iter().flat_map(|(whole, _)| whole.calls));
    let alone = fences.iter().filter(|fence| fence.dialect != SourceDialect::Python || damaged);
    for fence in alone {
        let Some((more, _)) = parsed(text, &[fence]) else { continue };
        let known: Vec<usize> = found.calls.iter().map(|(start, _)| *start).collect();
        found.calls.extend(more.calls.into_iter().filter(|(start, _)| !known.contains(start)));
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
}

/// The fences of a text in languages that are parsed.
fn fences(text: &str) -> Vec<Fence> {
    let mut fences = Vec::new();
    let mut open: Option<(&str, Option<SourceDialect>, usize, usize)> = None;
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
            None => open = Some((mark, dialect_of(info), at, line.len() - content.len())),
            // A closing mark is as long as the opening one, and says nothing.
            Some((opened, dialect, from, indent)) if mark.starts_with(opened) && info.trim().is_empty() => {
                fences.extend(dialect.map(|dialect| Fence { dialect, body: from..start, indent }));
            }
            inside => open = inside,
        }
        if fences.len() >= MAX_FENCES {
            return fences;
        }
    }
    // An open fence ends with its text.
    if let Some((_, Some(dialect), from, indent)) = open {
        fences.push(Fence { dialect, body: from..text.len(), indent });
    }
    fences
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
    let program = program(text, fences);
    if !WORTH_READING.is_match(program.as_bytes()) {
        return None;
    }
    let dialect = fences.first()?.dialect;
    let document = Document::read("fence", program.as_bytes(), &mut Vec::new());
    // An example that is no whole program is ordinary, and no gap.
    let mut stumbled = Vec::new();
    let found = findings(&document, dialect, "", &mut stumbled)?;
    Some((found, !stumbled.is_empty()))
}

/// A text in which all but the fences is blank, so that every place is where it was.
fn program(text: &str, fences: &[&Fence]) -> String {
    let blank = |text: &str| text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect::<String>();
    let mut program = String::with_capacity(text.len());
    for fence in fences {
        program.push_str(&blank(text.get(program.len()..fence.body.start).unwrap_or_default()));
        for line in text.get(fence.body.clone()).unwrap_or_default().split_inclusive('\n') {
            let blanks = line.bytes().take(fence.indent).take_while(|byte| matches!(byte, b' ' | b'\t' | b'>')).count();
            let (kept, end) = match line.strip_suffix('\n') {
                Some(kept) => (kept, "\n"),
                None => (line, ""),
            };
            program.push_str(kept.get(blanks..).unwrap_or_default());
            // The blanks that are taken away in front are put behind, so that the next line stays where it is.
            program.extend(std::iter::repeat_n(' ', blanks.min(kept.len())));
            program.push_str(end);
        }
    }
    program
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
