//! Registrations: the tools, prompts, resources and instructions that the modules of a package register, each once.
//!
//! Goes by the names of methods and the keys of objects, never by those of variables, so that minified bundles read the
//! same. A tool that is registered in several copies of the code (`src`, `dist`, a bundle) stands once: the copy that the
//! package's entry point loads wins. Sources: the documentation of the official SDKs, of FastMCP in both languages and
//! of mcp-framework, and the idioms that popular servers were seen to use, as of 2026-11.

use std::collections::{BTreeMap, BTreeSet};

use capdex_model::fact::Place;
use capdex_model::snapshot::{Gap, GapReason};

use super::contexts::{FEW_LEVELS, MAX_LEVELS};
use super::index::last_name;
use super::outline::{ClassId, FunctionId, ModuleLanguage, Node, NodeId};
use super::value::UNTOLD;
use super::{FEW_STEPS, Followed, MAX_DEPTH, Program};
use crate::Evidence;
use crate::code::{Places, SourceView, on_stack};
use crate::manifest::{around, folder_of};
use crate::surfaces::SourceSurface;
use crate::tools::{Tool, UnreadParts};

mod copies;
mod found;
mod kit;
mod mounts;
mod python;
mod reach;
mod script;
mod spoken;

use found::{Found, Parts};
pub(in crate::program) use mounts::Mounts;
use spoken::FoundSurface;

/// The most registrations of one package: far more than the largest server has.
const MAX_TOOLS: usize = 5_000;

/// What is registered once there are as many tools as are kept.
const BEYOND: &str = "tool beyond the first 5,000";

/// What is registered at a place where nothing of it is known.
const TOOL: &str = "tool";

/// What is registered by a function for others, none of which is in the package.
const HANDED_ON: &str = "tool for callers outside of the package";

/// What a kit that the package carries along registers where it is asked to.
const CARRIED: &str = "tool of a library inside of the package";

/// A surface that a class registers by what its objects say: `server.registerResource(this.name, …)`.
const OF_OBJECT: &str = "surface of a class of which no object";

/// What a package registers.
#[derive(Default)]
pub(in crate::program) struct Registrations {
    found: Vec<Found>,
    /// Prompts, resources and instructions.
    spoken: Vec<FoundSurface>,
    /// Registrations that cannot be told, by module and place.
    unresolved: Vec<((usize, u32), &'static str)>,
    /// Places that were not followed to their end.
    spent: BTreeSet<(usize, u32)>,
    /// What stands before the names of what the server at this place registers: `main.mount(server, namespace="x")`.
    namespace: Option<String>,
    /// True while a call is looked at whose callee is a function of the package that registers what it is given.
    of_wrapper: bool,
    /// True where little that was found is there twice.
    is_full: bool,
}

impl Registrations {
    /// Adds a tool; false where its name is not known. `…` stands for the unknown name of one that is described: whoever
    /// takes the name from elsewhere does not hide the text.
    fn add(&mut self, program: &Program<'_>, module: usize, offset: u32, parts: Parts) -> bool {
        let path = program.outlines.get(module).map(|outline| outline.path.as_str()).unwrap_or_default();
        let Some(mut tool) = program.tool(&parts, path) else { return false };
        if let Some(namespace) = &self.namespace {
            tool.name = format!("{namespace}_{}", tool.name);
        }
        if tool.name.contains(UNTOLD) {
            self.unresolved(module, offset, "tool name");
        }
        if self.found.len() >= MAX_TOOLS {
            self.drop_repeated((module, offset));
        }
        if self.found.len() < MAX_TOOLS {
            self.found.push(Found { module, offset, is_told_inside: self.of_wrapper, tool });
        } else {
            self.unresolved(module, offset, BEYOND);
        }
        true
    }

    /// Drops what a place registers again in another context, so that none takes the room of others.
    fn drop_repeated(&mut self, place: (usize, u32)) {
        if self.is_full {
            return;
        }
        let before = self.found.len();
        let mut known = BTreeSet::new();
        self.found.retain(|Found { module, offset, tool, .. }| {
            let told = (tool.input_schema.is_some(), tool.annotations.is_some());
            (*module, *offset) != place || known.insert((tool.name.clone(), tool.description.clone(), told))
        });
        // Where little is dropped, looking again would cost more than it gives.
        self.is_full = before - self.found.len() < MAX_TOOLS / 8;
    }

    fn unresolved(&mut self, module: usize, offset: u32, what: &'static str) {
        self.unresolved.push(((module, offset), what));
    }
}

/// Reads what the modules of a bundle register: puts the tools into the views of their files, and tells what could not
/// be read.
pub(crate) fn read(evidence: &mut Evidence) {
    let (tools, surfaces, gaps) = registered(evidence).unwrap_or_default();
    let parsed = || SourceView { is_parsed: true, ..SourceView::default() };
    for (path, tools) in tools {
        evidence.sources.entry(path).or_insert_with(parsed).tools = tools;
    }
    for (path, surfaces) in surfaces {
        evidence.sources.entry(path).or_insert_with(parsed).surfaces = surfaces;
    }
    evidence.gaps.extend(gaps);
    let unread = unread(&evidence.sources);
    evidence.gaps.extend(unread);
}

type ToolsByFile = BTreeMap<String, Vec<Tool>>;
type SurfacesByFile = BTreeMap<String, Vec<SourceSurface>>;

/// The tools, the other surfaces and the gaps of a bundle; none where nothing in it serves. The work has a stack of its own and costs no more than
/// itself where it fails: what it reads was written by strangers.
fn registered(evidence: &Evidence) -> Option<(ToolsByFile, SurfacesByFile, Vec<Gap>)> {
    if !evidence.serves {
        return None;
    }
    let failed = || {
        let gap = Gap::new(".", GapReason::BudgetExhausted, "what the package registers could not be worked out");
        (ToolsByFile::default(), SurfacesByFile::default(), vec![gap])
    };
    Some(on_stack(MAX_DEPTH, || work_out(evidence)).unwrap_or_else(failed))
}

fn work_out(evidence: &Evidence) -> (ToolsByFile, SurfacesByFile, Vec<Gap>) {
    let program = Program::of(evidence);
    let reached = program.reached(evidence);
    let Registrations { found, spoken, unresolved, spent, .. } = program.registrations(&reached);
    // Where nothing is registered, nothing was lost; a server of which nothing was read is told apart.
    let registers = !(found.is_empty() && spoken.is_empty() && unresolved.is_empty());
    // Before copies are put together: what one copy tells is no gap in another.
    let at: BTreeSet<(usize, u32)> = found.iter().map(|found| (found.module, found.offset)).collect();
    let mut kept = once(&program, found, &reached);
    // A place at which something was told after all is no gap. A function that only hands on what it is given, and that
    // nobody calls here, is a wrapper of the kit.
    let is_gap = |place: &(usize, u32), what: &str| match what {
        TOOL => !at.contains(place),
        HANDED_ON => kept.is_empty(),
        OF_OBJECT => spoken.is_empty(),
        _ => true,
    };
    // Of several words about one place the first counts.
    let unresolved: BTreeMap<(usize, u32), &'static str> = unresolved.into_iter().rev().collect();
    let unresolved: BTreeMap<_, _> = unresolved.into_iter().filter(|(place, what)| is_gap(place, what)).collect();
    if kept.is_empty() {
        kept.extend(untold(&program, &unresolved));
    }
    let gap = |(place, what): (Place, &str)| {
        let detail = format!("registers a {what} that could not be told (line {})", place.line);
        Gap::new(place.file, GapReason::Unresolved, detail)
    };
    let mut gaps: Vec<Gap> = placed(&program, unresolved.into_iter()).into_iter().map(gap).collect();
    if !spent.is_empty() && registers {
        gaps.push(Gap::new(".", GapReason::Unresolved, "what the package registers was not followed to its end"));
    }
    let mut tools = ToolsByFile::new();
    let found = kept.into_iter().map(|found| ((found.module, found.offset), found.tool));
    for (place, tool) in placed(&program, found) {
        tools.entry(place.file.clone()).or_default().push(Tool { place, ..tool });
    }
    let mut surfaces = SurfacesByFile::new();
    let spoken = copies::once(&program, spoken, &reached).into_iter();
    for (place, surface) in placed(&program, spoken.map(|found| ((found.module, found.offset), found.surface))) {
        surfaces.entry(place.file.clone()).or_default().push(SourceSurface { place, ..surface });
    }
    (tools, surfaces, gaps)
}

/// Things with their places, in the order of modules and bytes: a line of megabytes is counted once.
fn placed<T>(program: &Program<'_>, things: impl Iterator<Item = ((usize, u32), T)>) -> Vec<(Place, T)> {
    let mut placed = Vec::new();
    let mut counting: Option<(usize, Places<'_>)> = None;
    for ((module, offset), thing) in things {
        if counting.as_ref().is_none_or(|(counted, _)| *counted != module) {
            let document = program.outlines.get(module).and_then(|outline| program.documents.get(&outline.path));
            counting = document.map(|document| (module, Places::new(document)));
        }
        if let Some((_, places)) = &mut counting {
            placed.push((places.at(offset as usize), thing));
        }
    }
    placed
}

/// One gap for each file with tools of which a text or schema could not be told to its end.
fn unread(sources: &BTreeMap<String, SourceView>) -> Vec<Gap> {
    let mut gaps = Vec::new();
    for (path, SourceView { tools, surfaces, .. }) in sources {
        gaps.extend(spoken::unread(path, surfaces));
        let lines = |of: &dyn Fn(&Tool) -> bool| -> Vec<String> {
            // One of which nothing is known is told by its place.
            let told = tools.iter().filter(|tool| tool.name != UNTOLD || tool.description.is_some());
            told.filter(|tool| of(tool)).map(|tool| format!("{}:{}", tool.name, tool.place.line)).collect()
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

/// The tools of a server of which none could be told: how many it registers, and where, is known all the same.
fn untold(program: &Program<'_>, unresolved: &BTreeMap<(usize, u32), &'static str>) -> Vec<Found> {
    let places = unresolved.iter().filter(|(_, what)| matches!(**what, TOOL | HANDED_ON)).map(|(place, _)| *place);
    let tool = |(module, offset): (usize, u32)| {
        let file = program.outlines.get(module)?.path.clone();
        let unread = UnreadParts { description: true, schema: true };
        Some(Found { module, offset, is_told_inside: false, tool: Tool { unread, ..Tool::named(UNTOLD, file) } })
    };
    places.take(MAX_TOOLS).filter_map(tool).collect()
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
        // The call of a wrapper looks like a registration itself; what the wrapper makes of it is what a client is told.
        if copies.iter().any(|copy| !copy.is_told_inside) {
            copies.retain(|copy| !copy.is_told_inside);
        }
        // What tells most comes first: a registration and the object that it is given are one tool in two places.
        copies.sort_by_key(|copy| std::cmp::Reverse(told(&copy.tool)));
        let mut texts: Vec<String> = Vec::new();
        for (at, copy) in copies.into_iter().enumerate() {
            let text = copy.tool.description.clone().unwrap_or_default();
            // Two texts under one name are both read, so that nobody hides one behind the other; a part of one is no
            // second text.
            let is_new = (!copy.tool.unread.description || copy.tool.name.contains(UNTOLD))
                && !texts.iter().any(|known| known.contains(text.trim()));
            if at == 0 || is_new {
                texts.push(text);
                kept.push(copy);
            }
        }
    }
    // One that has its name elsewhere is no second tool.
    let named = kept.iter().filter(|found| !found.tool.name.contains(UNTOLD));
    let known: BTreeSet<String> = named.filter_map(|found| found.tool.description.clone()).collect();
    kept.retain(|Found { tool, .. }| {
        !tool.name.contains(UNTOLD) || tool.description.as_ref().is_some_and(|text| !known.contains(text))
    });
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

/// A place that may register something.
#[derive(Clone, Copy)]
enum Site {
    Call(NodeId),
    Object(NodeId),
    Class(ClassId),
    Function(FunctionId),
    Module,
}

impl Program<'_> {
    /// What all modules register. Each place is tried with a few steps first, and those that need more come last, so that
    /// none uses up what the others need.
    fn registrations(&self, reached: &BTreeSet<usize>) -> Registrations {
        let mut all = Registrations::default();
        let mut dear = Vec::new();
        let carried = self.carried_along();
        for (module, outline) in self.outlines.iter().enumerate() {
            // Tests and examples register for themselves, unless the package loads them.
            if reach::is_aside(&outline.path) && !reached.contains(&module) {
                continue;
            }
            if carried.contains(&module) {
                // What the package loads all the same is looked at by nobody else.
                if reached.contains(&module) && self.may_register(module) {
                    all.unresolved(module, 0, CARRIED);
                }
                continue;
            }
            let kit = self.kit_in(module);
            for (offset, place) in self.sites_of(module) {
                // The kit's own list of what is registered: each of it is read where it is registered.
                if self.is_of_kit(module, offset, place, &kit) {
                    continue;
                }
                // What would not be kept is not worked out.
                if all.found.len() >= MAX_TOOLS {
                    all.unresolved(module, offset, BEYOND);
                    break;
                }
                let before = (all.found.len(), all.unresolved.len(), all.spoken.len());
                let followed = self.at_place(FEW_STEPS, |program| program.registered_at(module, place, &mut all));
                if followed != Followed::Whole {
                    all.found.truncate(before.0);
                    all.unresolved.truncate(before.1);
                    all.spoken.truncate(before.2);
                    dear.push((module, offset, place));
                }
                self.mark_cut(&mut all, before.0);
            }
        }
        let mut left = dear.len() as u64;
        let mut spent = Vec::new();
        for (module, offset, place) in dear {
            let before = all.found.len();
            // Where few places need more, each may take its part of all that is left.
            let most = self.most_of_place.max(self.later.get() / left.max(1));
            left -= 1;
            let followed = self.at_place(most / 2, |program| program.registered_at(module, place, &mut all));
            if followed == Followed::Part && !self.names_one(module, place, &all.found[before..]) {
                all.spent.insert((module, offset));
                // What is known without the callers of the callers is worth more than nothing.
                if all.found.len() == before {
                    self.levels.set(FEW_LEVELS);
                    self.at_place(most / 2, |program| program.registered_at(module, place, &mut all));
                    self.levels.set(MAX_LEVELS);
                }
                spent.push((module, offset, place));
            }
            self.mark_cut(&mut all, before);
        }
        self.try_last(spent, &mut all);
        all
    }

    /// Tries the places that took too many steps with those that nobody else needed, each context with its share: a table
    /// of a thousand tools takes more than the share of one place.
    fn try_last(&self, places: Vec<(usize, u32, Site)>, all: &mut Registrations) {
        let mut left = places.len() as u64;
        for (module, offset, place) in places {
            let most = self.later.get() / left.max(1);
            left -= 1;
            if most <= self.most_of_place {
                continue;
            }
            let mut again = Registrations::default();
            self.shares.set(true);
            let is_whole =
                self.at_place(most, |program| program.registered_at(module, place, &mut again)) != Followed::Part;
            self.shares.set(false);
            self.mark_cut(&mut again, 0);
            let is_of_place = |found: &Found| (found.module, found.offset) == (module, offset);
            let before = all.found.iter().filter(|found| is_of_place(found)).count();
            if is_whole {
                all.spent.remove(&(module, offset));
            } else if again.found.len() <= before {
                continue;
            }
            all.found.retain(|found| !is_of_place(found));
            all.unresolved.retain(|(at, _)| *at != (module, offset));
            all.found.append(&mut again.found);
            all.spoken.append(&mut again.spoken);
            all.unresolved.append(&mut again.unresolved);
            if all.found.len() > MAX_TOOLS {
                all.found.truncate(MAX_TOOLS);
                all.unresolved(module, offset, BEYOND);
            }
        }
    }

    /// Marks what was found at the last place, where something of it was cut short: what is missing may be there.
    fn mark_cut(&self, all: &mut Registrations, before: usize) {
        if self.cut.get() {
            for found in all.found.iter_mut().skip(before) {
                found.tool.unread.description |= found.tool.description.is_none();
                found.tool.unread.schema |= found.tool.input_schema.is_none();
            }
        }
    }

    /// The places of a module at which something may be registered, with the byte at which each begins.
    fn sites_of(&self, module: usize) -> Vec<(u32, Site)> {
        let Some(outline) = self.outlines.get(module) else { return Vec::new() };
        let calls = outline.calls.iter().map(|call| (outline.offset(*call), Site::Call(*call)));
        let objects = outline.objects.iter().map(|object| (outline.offset(*object), Site::Object(*object)));
        let classes = outline.classes.iter().zip(0..).map(|(class, id)| (class.offset, Site::Class(id)));
        let functions = outline.functions.iter().zip(0..).map(|(function, id)| (function.offset, Site::Function(id)));
        let mut places: Vec<(u32, Site)> = calls.chain(objects).chain(classes).collect();
        match outline.language {
            ModuleLanguage::Python => places.extend(functions),
            ModuleLanguage::JavaScript => places.push((0, Site::Module)),
        }
        places
    }

    /// What one place registers.
    fn registered_at(&self, module: usize, place: Site, into: &mut Registrations) {
        let is_python = self.outlines.get(module).is_some_and(|outline| outline.language == ModuleLanguage::Python);
        match (place, is_python) {
            (Site::Call(call), true) => self.python_call(module, call, into),
            (Site::Call(call), false) => self.script_call(module, call, into),
            (Site::Object(object), true) => self.python_object(module, object, into),
            (Site::Object(object), false) => self.script_object(module, object, into),
            (Site::Class(class), true) => self.python_class(module, class, into),
            (Site::Class(class), false) => self.script_class(module, class, into),
            (Site::Function(function), _) => self.python_function(module, function, into),
            (Site::Module, _) => self.exported_tool(module, into),
        }
    }

    /// True where a module has a decorator or method that registers tools by its name.
    fn may_register(&self, module: usize) -> bool {
        let Some(outline) = self.outlines.get(module) else { return false };
        let is_tool = |node: NodeId| {
            let callee = match outline.node(node) {
                Node::Call { callee, .. } => *callee,
                _ => node,
            };
            last_name(outline, callee).is_some_and(|name| matches!(name, "tool" | "add_tool" | "registerTool"))
        };
        outline
            .functions
            .iter()
            .flat_map(|function| &function.decorators)
            .chain(&outline.calls)
            .any(|node| is_tool(*node))
    }

    /// True where a module speaks of a server kit.
    fn is_serving(&self, module: usize) -> bool {
        let Some(outline) = self.outlines.get(module) else { return false };
        outline.imports.iter().any(|import| import.contains("mcp") || import.contains("modelcontextprotocol"))
    }
}
