//! Registrations: the tools that the modules of a package register, each once.
//!
//! Goes by the names of methods and the keys of objects, never by those of variables, so that minified bundles read the
//! same. A tool that is registered in several copies of the code (`src`, `dist`, a bundle) stands once: the copy that the
//! package's entry point loads wins. Sources: the documentation of the official SDKs, of FastMCP in both languages and
//! of mcp-framework, and the idioms of the servers in `docs/coverage.md`, as of 2026-11.

use std::collections::{BTreeMap, BTreeSet};

use capdex_model::snapshot::{Gap, GapReason};

use super::Program;
use super::outline::{ClassId, FunctionId, ModuleLanguage};
use crate::Evidence;
use crate::code::SourceView;
use crate::document::Document;
use crate::manifest::{around, folder_of};
use crate::tools::Tool;

mod found;
mod python;
mod reach;
mod script;

use found::{Found, Parts};

/// The most registrations of one package: far more than the largest server has.
const MAX_TOOLS: usize = 5_000;

/// What is registered by a function for others, none of which is in the package.
const HANDED_ON: &str = "tool for callers outside of the package";

/// What a package registers.
#[derive(Default)]
pub(in crate::program) struct Registrations {
    found: Vec<Found>,
    /// Registrations that cannot be told, by module and place.
    unresolved: BTreeMap<(usize, u32), &'static str>,
    /// Places that were not followed to their end.
    spent: BTreeSet<(usize, u32)>,
}

impl Registrations {
    /// Adds a tool; false where its name is not known.
    fn add(&mut self, program: &Program<'_>, module: usize, offset: u32, parts: Parts) -> bool {
        let path = program.outlines.get(module).map(|outline| outline.path.as_str()).unwrap_or_default();
        let Some(tool) = program.tool(&parts, path) else { return false };
        if self.found.len() < MAX_TOOLS {
            self.found.push(Found { module, offset, tool });
        } else {
            self.unresolved(module, offset, "tool beyond the first 5,000");
        }
        true
    }

    fn unresolved(&mut self, module: usize, offset: u32, what: &'static str) {
        self.unresolved.entry((module, offset)).or_insert(what);
    }
}

/// Reads what the modules of a bundle register: puts the tools into the views of their files, and tells what could not
/// be read.
pub(crate) fn read(evidence: &mut Evidence) {
    let (tools, gaps) = registered(evidence).unwrap_or_default();
    for (path, tools) in tools {
        let view =
            evidence.sources.entry(path).or_insert_with(|| SourceView { is_parsed: true, ..SourceView::default() });
        view.tools = tools;
    }
    evidence.gaps.extend(gaps);
    let unread = unread(&evidence.sources);
    evidence.gaps.extend(unread);
}

type ToolsByFile = BTreeMap<String, Vec<Tool>>;

fn registered(evidence: &Evidence) -> Option<(ToolsByFile, Vec<Gap>)> {
    let program = Program::of(evidence)?;
    let reached = program.reached(evidence);
    let mut all = Registrations::default();
    for (module, outline) in program.outlines.iter().enumerate() {
        // Tests and examples register for themselves, unless the package loads them.
        if reach::is_aside(&outline.path) && !reached.contains(&module) {
            continue;
        }
        program.registrations_of(module, &mut all);
    }
    let Registrations { found, unresolved, spent } = all;
    let kept = once(&program, found, &reached);
    let mut gaps = Vec::new();
    for ((module, offset), what) in unresolved {
        // A place at which something was told after all is no gap.
        let told = kept.iter().any(|found| found.module == module && found.offset == offset);
        // A function that only hands on what it is given, and that nobody calls here, is a wrapper of the kit.
        if what == HANDED_ON && !kept.is_empty() {
            continue;
        }
        if let (false, Some(document)) = (told && what == "tool", document_of(&program, evidence, module)) {
            let line = document.place(offset as usize).line;
            let detail = format!("registers a {what} that could not be told (line {line})");
            gaps.push(Gap::new(&document.path, GapReason::Unresolved, detail));
        }
    }
    if !spent.is_empty() {
        gaps.push(Gap::new(".", GapReason::BudgetExhausted, "what the package registers was not followed to its end"));
    }
    let mut tools: ToolsByFile = BTreeMap::new();
    for found in kept {
        let Some(document) = document_of(&program, evidence, found.module) else { continue };
        let place = document.place(found.offset as usize);
        tools.entry(document.path.clone()).or_default().push(Tool { place, ..found.tool });
    }
    Some((tools, gaps))
}

fn document_of<'e>(program: &Program<'_>, evidence: &'e Evidence, module: usize) -> Option<&'e Document> {
    evidence.documents.get(&program.outlines.get(module)?.path)
}

/// One gap for each file with tools of which a text or schema could not be told to its end.
fn unread(sources: &BTreeMap<String, SourceView>) -> Vec<Gap> {
    let mut gaps = Vec::new();
    for (path, SourceView { tools, .. }) in sources {
        let lines = |of: &dyn Fn(&Tool) -> bool| -> Vec<String> {
            tools.iter().filter(|tool| of(tool)).map(|tool| format!("{}:{}", tool.name, tool.place.line)).collect()
        };
        let texts = lines(&|tool| tool.unread.description);
        let schemas = lines(&|tool| tool.unread.schema);
        if texts.is_empty() && schemas.is_empty() {
            continue;
        }
        let mut detail = format!(
            "registers {} tools; {} descriptions and {} schemas could not be told to their end",
            tools.len(),
            texts.len(),
            schemas.len()
        );
        let places: BTreeSet<&String> = texts.iter().chain(&schemas).collect();
        let named: Vec<&str> = places.iter().take(12).map(|place| place.as_str()).collect();
        detail.push_str(&format!(" ({}{})", named.join(", "), if places.len() > 12 { ", …" } else { "" }));
        gaps.push(Gap::new(path, GapReason::Unresolved, detail));
    }
    gaps
}

/// Each tool once in its package: of copies the one that an entry point loads, then the one that tells more.
fn once(program: &Program<'_>, found: Vec<Found>, reached: &BTreeSet<usize>) -> Vec<Found> {
    let mut groups: BTreeMap<(String, String), Vec<Found>> = BTreeMap::new();
    for found in found {
        let path = program.outlines.get(found.module).map(|outline| outline.path.as_str()).unwrap_or_default();
        let root = package_of(program, path);
        groups.entry((root, found.tool.name.clone())).or_default().push(found);
    }
    let mut kept = Vec::new();
    for (_, mut copies) in groups {
        if copies.iter().any(|copy| reached.contains(&copy.module)) {
            copies.retain(|copy| reached.contains(&copy.module));
        }
        // What tells most comes first: a registration and the object that it is given are one tool in two places.
        copies.sort_by_key(|copy| std::cmp::Reverse(told(&copy.tool)));
        let mut texts: Vec<String> = Vec::new();
        for (at, copy) in copies.into_iter().enumerate() {
            let text = copy.tool.description.clone().unwrap_or_default();
            // Two texts under one name are both read, so that nobody hides one behind the other; a part of one is no
            // second text.
            let is_new = !copy.tool.unread.description && !texts.iter().any(|known| known.contains(text.trim()));
            if at == 0 || is_new {
                texts.push(text);
                kept.push(copy);
            }
        }
    }
    kept.sort_by_key(|found| (found.module, found.offset));
    kept
}

fn told(tool: &Tool) -> (bool, usize, bool, bool) {
    let text = tool.description.as_ref();
    (
        text.is_some() && !tool.unread.description,
        text.map_or(0, String::len),
        tool.input_schema.is_some(),
        tool.annotations.is_some(),
    )
}

/// The folder of the package that a file belongs to; folders of built code are part of it.
fn package_of(program: &Program<'_>, path: &str) -> String {
    const BUILT: [&str; 9] = ["dist", "build", "lib", "out", "esm", "cjs", "commonjs", "bundle", "src"];
    let marks = ["package.json", "pyproject.toml", "PKG-INFO", "setup.py"];
    let is_root = |folder: &&str| {
        let file = |mark: &&str| if folder.is_empty() { (*mark).to_owned() } else { format!("{folder}/{mark}") };
        !folder.split('/').any(|part| BUILT.contains(&part))
            && marks.iter().any(|mark| program.documents.contains_key(&file(mark)))
    };
    around(folder_of(path)).find(is_root).unwrap_or_default().to_owned()
}

impl Program<'_> {
    fn registrations_of(&self, module: usize, into: &mut Registrations) {
        let Some(outline) = self.outlines.get(module) else { return };
        let is_python = outline.language == ModuleLanguage::Python;
        let mut at = |offset: u32, work: &dyn Fn(&Self, &mut Registrations)| {
            if !self.at_place(|program| work(program, into)) {
                into.spent.insert((module, offset));
            }
        };
        for call in &outline.calls {
            at(outline.offset(*call), &|program, into| match is_python {
                true => program.python_call(module, *call, into),
                false => program.script_call(module, *call, into),
            });
        }
        for object in &outline.objects {
            at(outline.offset(*object), &|program, into| match is_python {
                true => program.python_object(module, *object, into),
                false => program.script_object(module, *object, into),
            });
        }
        for class in 0..outline.classes.len() as ClassId {
            let offset = outline.class(class).map_or(0, |class| class.offset);
            at(offset, &|program, into| match is_python {
                true => program.python_class(module, class, into),
                false => program.script_class(module, class, into),
            });
        }
        if is_python {
            for function in 0..outline.functions.len() as FunctionId {
                let offset = outline.function(function).map_or(0, |function| function.offset);
                at(offset, &|program, into| program.python_function(module, function, into));
            }
        } else {
            at(0, &|program, into| program.exported_tool(module, into));
        }
    }

    /// True where a module speaks of a server kit.
    fn is_serving(&self, module: usize) -> bool {
        let Some(outline) = self.outlines.get(module) else { return false };
        outline.imports.iter().any(|import| import.contains("mcp") || import.contains("modelcontextprotocol"))
    }
}
