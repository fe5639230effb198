//! Programs: the modules of a package in one form, and the values that their names and expressions stand for.
//!
//! A reader for each language outlines a module (`outline`); names are followed across the modules of the package
//! (`names`, `modules`), calls are looked through (`calls`, `methods`), and what the package registers with an MCP kit
//! is told (`registrations`). Nothing is run: an expression is worked out only as far as the text says what it is,
//! within a budget of steps for the whole package.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::Evidence;
use super::document::Document;

mod bound;
mod build;
mod callbacks;
mod calls;
mod contexts;
mod evaluate;
mod files;
mod index;
mod instances;
mod javascript;
mod kept;
mod methods;
mod modules;
mod names;
mod outline;
mod pydantic;
mod python;
mod read;
pub(super) mod registrations;
#[cfg(test)]
mod tests;
mod value;
mod zod;

use index::Index;
pub(crate) use kept::KeptOutline;
use modules::Imported;
use outline::{NodeId, Outline};
pub(crate) use read::want_outlines;
pub(crate) use value::UNTOLD;
use value::Value;

/// The steps of evaluation for a small package, and the most for a large one: a step for every four bytes of source lies
/// between them. A step takes about a microsecond; servers of a thousand tools take half a million.
const MIN_STEPS: u64 = 500_000;
const MAX_STEPS: u64 = 4_000_000;

/// The share of the steps for one place that registers something, so that none uses up what the others need.
const SHARE_OF_PLACE: u64 = 6;

/// The steps with which one place is tried first: enough for nearly all.
const FEW_STEPS: u64 = 8_000;

/// The depth to which expressions and calls are followed: each level takes some stack.
const MAX_DEPTH: usize = 160;

/// Calls, each by its module and number.
type Callers = Rc<[(usize, NodeId)]>;

/// How far a place was followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Followed {
    Whole,
    /// Only values were cut short whose unknown parts are told with what they belong to.
    AllButValues,
    Part,
}

/// The modules of a package.
pub(super) struct Program<'e> {
    documents: &'e BTreeMap<String, Document>,
    outlines: Vec<Outline>,
    by_path: BTreeMap<String, usize>,
    /// The folder of each package in the bundle, by the package's name.
    packages: BTreeMap<String, String>,
    index: Index,
    /// The steps left for the place that is looked at, and for the others after it.
    steps: Cell<u64>,
    later: Cell<u64>,
    most_of_place: u64,
    /// True while each context of an expression has its share of the steps, and none takes those of the next.
    shares: Cell<bool>,
    /// True while a place is looked at by itself, without those that call its function.
    alone: Cell<bool>,
    /// True where a function was met at this place that nobody in the package calls.
    uncalled: Cell<bool>,
    /// True where contexts were left out at this place.
    cut: Cell<bool>,
    /// True where a part of what stands at this place took more steps than it may.
    part_spent: Cell<bool>,
    /// True where that part is a value that says by itself what of it is not known, such as a schema.
    value_spent: Cell<bool>,
    /// The most functions around each other that are looked up for one expression.
    levels: Cell<usize>,
    /// The calls of each function that are being worked out.
    running: RefCell<BTreeMap<(usize, outline::FunctionId), usize>>,
    /// The models whose schemas are being worked out inside each other.
    models: Cell<usize>,
    /// The functions whose parameters were asked for and are not known.
    missing: RefCell<BTreeSet<(usize, outline::FunctionId)>>,
    /// The values of expressions outside of functions.
    known: RefCell<BTreeMap<(usize, NodeId), Value>>,
    /// What functions give that take nothing and stand in no other, and the same where that was cut short at this place.
    results: RefCell<BTreeMap<(usize, outline::FunctionId), Value>>,
    cut_results: RefCell<BTreeMap<(usize, outline::FunctionId), Value>>,
    /// The values of names of modules, with all that is written to them.
    names: RefCell<BTreeMap<(usize, String), Value>>,
    /// The servers that another one offers under a namespace.
    mounts: OnceCell<registrations::Mounts>,
    /// What imports mean.
    imports: RefCell<BTreeMap<(usize, String), Imported>>,
    /// Exports that are being looked for, so that modules that export each other's names come to an end.
    exports: RefCell<BTreeSet<(usize, String)>>,
    /// The calls that may call a function.
    callers: RefCell<BTreeMap<(usize, outline::FunctionId), Callers>>,
    /// Expressions that are being worked out, so that a circle of names ends.
    open: RefCell<BTreeSet<(usize, NodeId)>>,
    /// What is being written to names, for the same reason.
    writing: RefCell<BTreeSet<(usize, NodeId)>>,
    /// What is being assigned to names, each in its frames.
    assigning: RefCell<BTreeSet<(usize, NodeId, Option<*const value::Frame>)>>,
}

impl<'e> Program<'e> {
    /// The program of a bundle.
    pub(super) fn of(evidence: &'e Evidence) -> Self {
        let outlines = read::outlines(evidence);
        let by_path = outlines.iter().enumerate().map(|(at, outline)| (outline.path.clone(), at)).collect();
        let index = Index::of(&outlines);
        let documents = outlines.iter().filter_map(|outline| evidence.documents.get(&outline.path));
        let bytes: usize = documents.map(|document| document.text.len()).sum();
        let steps = (MIN_STEPS + bytes as u64 / 4).min(MAX_STEPS);
        Self {
            documents: &evidence.documents,
            packages: modules::packages(evidence),
            outlines,
            by_path,
            index,
            steps: Cell::new(0),
            later: Cell::new(steps),
            most_of_place: steps / SHARE_OF_PLACE,
            shares: Cell::new(false),
            alone: Cell::new(false),
            uncalled: Cell::new(false),
            cut: Cell::new(false),
            part_spent: Cell::new(false),
            value_spent: Cell::new(false),
            levels: Cell::new(contexts::MAX_LEVELS),
            running: RefCell::default(),
            models: Cell::new(0),
            missing: RefCell::default(),
            known: RefCell::default(),
            results: RefCell::default(),
            cut_results: RefCell::default(),
            names: RefCell::default(),
            mounts: OnceCell::new(),
            imports: RefCell::default(),
            exports: RefCell::default(),
            callers: RefCell::default(),
            open: RefCell::default(),
            writing: RefCell::default(),
            assigning: RefCell::default(),
        }
    }

    /// True where the budget is spent.
    fn is_spent(&self) -> bool {
        self.steps.get() == 0
    }

    /// Works at one place that may register something, with a budget of its own, and says how far that led.
    fn at_place(&self, most: u64, work: impl FnOnce(&Self)) -> Followed {
        let own = self.later.get().min(most);
        self.later.set(self.later.get() - own);
        self.steps.set(own);
        self.uncalled.set(false);
        self.cut.set(false);
        self.part_spent.set(false);
        self.value_spent.set(false);
        self.cut_results.borrow_mut().clear();
        work(self);
        let followed = match (self.is_spent() || self.part_spent.get(), self.value_spent.get()) {
            (true, _) => Followed::Part,
            (false, true) => Followed::AllButValues,
            (false, false) => Followed::Whole,
        };
        self.later.set(self.later.get() + self.steps.take());
        followed
    }

    /// Works with a part of the steps that are left, so that what stands after it can be told: half of a few, and a
    /// quarter of many.
    fn with_part<T>(&self, work: impl FnOnce() -> T) -> T {
        let all = self.steps.get();
        let before = self.part_spent.get();
        let result = self.with_at_most(if all > FEW_STEPS { all / 4 } else { all / 2 }, work);
        if self.part_spent.replace(before) && !before {
            self.value_spent.set(true);
        }
        result
    }

    /// Works with no more than some of the steps that are left.
    fn with_at_most<T>(&self, part: u64, work: impl FnOnce() -> T) -> T {
        let all = self.steps.get();
        let part = part.min(all);
        self.steps.set(part);
        let result = work();
        let left = self.steps.get();
        if left == 0 {
            self.leave_out();
        }
        self.steps.set(all - part + left);
        result
    }

    /// Says that something at this place is not followed to its end.
    fn leave_out(&self) {
        self.cut.set(true);
        self.part_spent.set(true);
    }

    /// True where the first try took too many steps: callers of callers are not looked up.
    fn is_second_try(&self) -> bool {
        self.levels.get() != contexts::MAX_LEVELS
    }

    /// Takes steps from the budget; false where it is spent.
    fn spend(&self, steps: usize) -> bool {
        self.steps.set(self.steps.get().saturating_sub(steps as u64));
        !self.is_spent()
    }
}
