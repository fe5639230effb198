//! Contexts: the calls and turns of loops in which an expression is worked out.
//!
//! An expression in a function depends on the function's arguments. Where a frame for it is missing, the calls of the
//! function are looked up, and the expression is worked out once for each.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::rc::Rc;

use super::outline::{Argument, Function, FunctionId, FunctionKind, Node, NodeId};
use super::value::{Closure, Frame, Frames, Given, Value, all_frames};
use super::{MAX_DEPTH, Program};
use capdex_model::digest::Hashing;

/// The most contexts of one expression.
pub(super) const MAX_CONTEXTS: usize = 20_000;

/// The most bytes of a context, as it is printed, that are compared with others.
const MOST_OF_CONTEXT: usize = 32 * 1024;

/// The steps for reading what was told of a place, where working it out took all.
const STEPS_TO_READ: u64 = 20_000;

/// The most functions around each other that are looked up for one expression.
pub(super) const MAX_LEVELS: usize = 8;

/// The same where the first try took too many steps: the calls of a function, and a loop around each.
pub(super) const FEW_LEVELS: usize = 2;

impl Program<'_> {
    /// What an evaluation gives in each context, with the contexts. A context adds a frame for every function whose
    /// parameters the evaluation asks for.
    pub(super) fn contexts_of<T>(
        &self,
        module: usize,
        id: NodeId,
        frames: &Frames,
        depth: usize,
        evaluate: impl Fn(&Frames) -> T,
    ) -> Vec<(Frames, T)> {
        let mut results = Vec::new();
        self.expand(module, id, frames, (depth, 0), &evaluate, &mut results);
        // What was told before the steps ran out is still to be read by whoever registers it.
        if depth == 0 && self.is_spent() {
            self.leave_out();
            self.steps.set(STEPS_TO_READ);
        }
        results
    }

    pub(super) fn expand<T>(
        &self,
        module: usize,
        id: NodeId,
        frames: &Frames,
        (depth, level): (usize, usize),
        evaluate: &dyn Fn(&Frames) -> T,
        results: &mut Vec<(Frames, T)>,
    ) {
        // What is missing here is nobody else's matter, and theirs not ours.
        let outer = self.missing.take();
        let result = evaluate(frames);
        let missing = self.missing.replace(outer);
        let is_far = depth > MAX_DEPTH || level > self.levels.get() || self.alone.get();
        if is_far || results.len() >= MAX_CONTEXTS || self.is_spent() {
            // What it is in other contexts is not known.
            self.cut.set(self.cut.get() || !missing.is_empty());
            if results.len() >= MAX_CONTEXTS && !missing.is_empty() {
                self.leave_out();
            }
            results.push((frames.clone(), result));
            return;
        }
        // The innermost comes first: its arguments may ask for the others.
        let Some(function) = self.innermost(module, id, &missing) else {
            results.push((frames.clone(), result));
            return;
        };
        let contexts = self.frames_of(function, frames, depth + 4, level);
        if contexts.is_empty() {
            // Nobody calls it here: what is known without its arguments counts.
            self.uncalled.set(true);
            let unknown = self.unknown_frame(function, frames);
            return self.expand(module, id, &unknown, (depth + 4, level + 1), evaluate, results);
        }
        // The second try looks up one function around each expression, and no other for its calls.
        if self.is_second_try() || self.shares.get() {
            let next = if self.is_second_try() { level + self.levels.get() + 1 } else { level + 1 };
            for (at, context) in contexts.iter().enumerate() {
                let share = self.steps.get() / (contexts.len() - at) as u64;
                self.with_at_most(share, || {
                    self.expand(module, id, context, (depth + 4, next), evaluate, results);
                });
            }
            return;
        }
        for context in contexts {
            self.expand(module, id, &context, (depth + 4, level + 1), evaluate, results);
        }
    }

    /// Of the functions whose parameters are missing the innermost around an expression; else any of them, as those of
    /// a constructor whose fields are read. A function comes before the loops in it: its calls are looked up once, and
    /// not in each turn.
    fn innermost(
        &self,
        module: usize,
        id: NodeId,
        missing: &BTreeSet<(usize, FunctionId)>,
    ) -> Option<(usize, FunctionId)> {
        if missing.is_empty() {
            return None;
        }
        let outline = self.outlines.get(module)?;
        let mut next = outline.around(id);
        let mut innermost = None;
        while let Some(at) = next {
            let is_loop = self.is_loop(module, at);
            if missing.contains(&(module, at)) {
                if !is_loop {
                    return Some((module, at));
                }
                innermost = innermost.or(Some((module, at)));
            } else if !is_loop && innermost.is_some() {
                break;
            }
            next = outline.function(at)?.parent.filter(|parent| *parent < at);
        }
        innermost.or_else(|| missing.iter().next().copied())
    }

    /// The frames of a function or loop in all contexts.
    fn frames_of(&self, (module, id): (usize, FunctionId), frames: &Frames, depth: usize, level: usize) -> Vec<Frames> {
        let Some(function) = self.outlines.get(module).and_then(|outline| outline.function(id)) else {
            return Vec::new();
        };
        if let FunctionKind::Loop { over, .. } = function.kind {
            let mut all = Vec::new();
            self.expand(
                module,
                over,
                frames,
                (depth, level + 1),
                &|frames| self.turns(module, id, frames, depth + 1).0,
                &mut all,
            );
            let mut turns: Vec<Frames> = all.into_iter().flat_map(|(_, turns)| turns).collect();
            if turns.len() > MAX_CONTEXTS {
                turns.truncate(MAX_CONTEXTS);
                self.leave_out();
            }
            return turns;
        }
        let mut found = Vec::new();
        if let Some((at, call, place)) = self.index.handed.get(&(module, id)) {
            found.extend(self.frames_of_callback((module, id), (*at, *call, *place), frames, depth, level));
        }
        for &(at, call) in self.calls_of(module, id).iter() {
            if self.is_spent() {
                break;
            }
            if found.len() >= MAX_CONTEXTS {
                self.leave_out();
                break;
            }
            found.extend(self.frames_of_call((module, id), (at, call), frames, depth, level));
        }
        let name = function.name.as_deref().unwrap_or_default();
        found.extend(self.frames_of_decorator((module, id), frames, depth, level));
        for handed in self.index.handed_names.get(name).into_iter().flatten().take(64) {
            if self.means(handed.0, handed.1, Some(handed.2), (module, id)) {
                found.extend(self.frames_of_callback((module, id), *handed, frames, depth, level));
            }
        }
        self.distinct((module, id), found)
    }

    /// The contexts of a function without those that say the same as one before: one that ten functions call with the same
    /// values is worked out once. What its callers were given cannot be asked for in it, unless they stand around it or
    /// are of its class.
    #[expect(clippy::use_debug, reason = "the print is compared and never shown")]
    fn distinct(&self, (module, id): (usize, FunctionId), contexts: Vec<Frames>) -> Vec<Frames> {
        if contexts.len() < 2 {
            return contexts;
        }
        let Some(outline) = self.outlines.get(module) else { return contexts };
        let of = |id: &FunctionId| outline.function(*id);
        let around = std::iter::successors(Some(id), |inner| of(inner)?.parent.filter(|parent| parent < inner));
        let around: BTreeSet<FunctionId> = around.collect();
        let class = of(&id).and_then(|function| function.class);
        let is_near = |other: FunctionId| {
            around.contains(&other) || class.is_some() && of(&other).and_then(|of| of.class) == class
        };
        let mut known = BTreeSet::new();
        let mut is_new = |context: &Frames| {
            let mut print = Print { hashing: Hashing::default(), left: MOST_OF_CONTEXT };
            // Long ones are not compared.
            let mut told = all_frames(context)
                .filter(|frame| frame.module == module && is_near(frame.function))
                .map(|frame| (frame.function, &frame.parameters, &frame.this));
            let is_long = told.any(|told| write!(print, "{told:?}").is_err());
            self.spend((MOST_OF_CONTEXT - print.left) / 256);
            is_long || known.insert(print.hashing.digest())
        };
        contexts.into_iter().filter(|context| is_new(context)).collect()
    }

    /// The calls that may call a function, by its name.
    fn calls_of(&self, module: usize, id: FunctionId) -> Rc<[(usize, NodeId)]> {
        if let Some(known) = self.callers.borrow().get(&(module, id)) {
            return known.clone();
        }
        let calls: Rc<[(usize, NodeId)]> = self.find_calls_of(module, id).into();
        if !self.is_spent() {
            self.callers.borrow_mut().insert((module, id), calls.clone());
        }
        calls
    }

    fn find_calls_of(&self, module: usize, id: FunctionId) -> Vec<(usize, NodeId)> {
        let Some(outline) = self.outlines.get(module) else { return Vec::new() };
        let Some(function) = outline.function(id) else { return Vec::new() };
        let class = function.class.and_then(|class| outline.class(class));
        let names: Vec<&str> = match function.kind {
            FunctionKind::Constructor => {
                class.and_then(|class| class.name.as_deref()).into_iter().chain(["super", "__init__"]).collect()
            }
            _ => function.name.as_deref().into_iter().collect(),
        };
        let calls = names.iter().filter_map(|name| self.index.calls.get(*name)).flatten();
        calls.copied().take(MAX_CONTEXTS).filter(|(at, call)| self.means(*at, *call, None, (module, id))).collect()
    }

    /// True where the callee of a call, or one of its arguments, may be a function.
    fn means(&self, at: usize, call: NodeId, argument: Option<usize>, (module, id): (usize, FunctionId)) -> bool {
        let Some(outline) = self.outlines.get(at) else { return false };
        let Node::Call { callee, arguments, .. } = outline.node(call) else { return false };
        let target = match argument {
            None => *callee,
            Some(place) => match arguments.get(place) {
                Some(argument) => argument.value,
                None => return false,
            },
        };
        let of_class = self.outlines.get(module).and_then(|outline| outline.function(id)?.class);
        if let (Node::Super, Some(class)) = (outline.node(target), of_class) {
            let own = super::index::method_around(outline, call).and_then(|method| outline.function(method)?.class);
            let bases = own.map(|own| self.bases(at, own, 0)).unwrap_or_default();
            return bases.iter().any(
                |base| matches!(base, Value::Class(base_module, base) if (*base_module, *base) == (module, class)),
            );
        }
        match self.value_apart(at, target) {
            Value::Function(closure) => (closure.module, closure.function) == (module, id),
            Value::Class(class_module, class) => class_module == module && Some(class) == of_class,
            // A method of something unknown may be any method of that name.
            Value::Unknown | Value::Made(_) | Value::Outside(_) => {
                matches!(outline.node(target), Node::Member(..))
                    && (of_class.is_some() || self.index.held.contains(&(module, id)))
            }
            _ => false,
        }
    }

    pub(super) fn frames_of_call(
        &self,
        function: (usize, FunctionId),
        (at, call): (usize, NodeId),
        frames: &Frames,
        depth: usize,
        level: usize,
    ) -> Vec<Frames> {
        let Some(outline) = self.outlines.get(at) else { return Vec::new() };
        let Node::Call { callee, arguments, .. } = outline.node(call) else { return Vec::new() };
        let mut all = Vec::new();
        let evaluate = |frames: &Frames| {
            let mut given = self.given(at, arguments, frames, depth + 1);
            let this = match outline.node(*callee) {
                Node::Member(object, _) => Some(self.value(at, *object, frames, depth + 1)),
                Node::Super => Some(self.this(at, call, frames)),
                _ => None,
            };
            // `Base.__init__(self, …)` hands the object over itself.
            let hands_over = |first: &Argument| {
                // `*self` and `x=self` are written by nobody but whoever looks for a reader that fails.
                first.name.is_none() && !first.spread && self.is_own(at, first.value)
            };
            if matches!(outline.node(*callee), Node::Member(_, name) if &**name == "__init__")
                && arguments.first().is_some_and(hands_over)
            {
                given.positional.remove(0);
            }
            (given, this.filter(|this| matches!(this, Value::Instance(_))))
        };
        self.expand(at, call, frames, (depth, level + 1), &evaluate, &mut all);
        let all = all.into_iter().take(MAX_CONTEXTS);
        all.map(|(frames, (given, this))| self.frame_in(function, &given, this, &frames, depth)).collect()
    }

    /// The frames of a function that is a decorator, or that a function returns for one: `@f`, `@f(x)`, `f(x)(y)`.
    fn frames_of_decorator(
        &self,
        (module, id): (usize, FunctionId),
        frames: &Frames,
        depth: usize,
        level: usize,
    ) -> Vec<Frames> {
        let Some(outline) = self.outlines.get(module) else { return Vec::new() };
        let Some(function) = outline.function(id) else { return Vec::new() };
        let mut found = Vec::new();
        let name = function.name.as_deref().unwrap_or_default();
        for &(at, decorator) in self.index.bare_decorators.get(name).into_iter().flatten() {
            if let Some(over) = self.index.decorated.get(&(at, decorator))
                && matches!(self.value_apart(at, decorator), Value::Function(it) if (it.module, it.function) == (module, id))
            {
                found.push(self.frame_in((module, id), &function_given(at, *over), None, frames, depth));
            }
        }
        let Some((parent, around)) = function.parent.and_then(|parent| Some((parent, outline.function(parent)?)))
        else {
            return found;
        };
        let returns = |node: &NodeId| match outline.node(*node) {
            Node::Function(returned) => *returned == id,
            Node::Name(returned, _) => **returned == *name,
            _ => false,
        };
        if around.returns.iter().any(returns) {
            for (outer, given) in self.applications((module, parent), frames, (depth, level), 0) {
                found.push(self.frame_in((module, id), &given, None, &outer, depth));
            }
        }
        found
    }

    /// What the results of a function are applied to, with the frames of the function.
    fn applications(
        &self,
        function: (usize, FunctionId),
        frames: &Frames,
        (depth, level): (usize, usize),
        turn: usize,
    ) -> Vec<(Frames, Given)> {
        let mut found = Vec::new();
        if turn > MAX_LEVELS / 2 || depth > MAX_DEPTH {
            return found;
        }
        for &(at, call) in self.calls_of(function.0, function.1).iter() {
            let Some(outline) = self.outlines.get(at) else { continue };
            if found.len() >= MAX_CONTEXTS || self.is_spent() {
                break;
            }
            let own = |frames: &Frames| self.frames_of_call(function, (at, call), frames, depth, level);
            if let Some(over) = self.index.decorated.get(&(at, call)) {
                found.extend(own(frames).into_iter().map(|frames| (frames, function_given(at, *over))));
            } else if let Some(outer) = self.index.applied.get(&(at, call)) {
                let Node::Call { arguments, .. } = outline.node(*outer) else { continue };
                let given = self.given(at, arguments, frames, depth + 1);
                found.extend(own(frames).into_iter().map(|frames| (frames, given.clone())));
            } else if let Some(handing) = outline.around(call)
                && outline.function(handing).is_some_and(|handing| handing.returns.contains(&call))
            {
                for (frames, given) in self.applications((at, handing), frames, (depth + 4, level), turn + 1) {
                    found.extend(own(&frames).into_iter().map(|frames| (frames, given.clone())));
                }
            }
        }
        found
    }

    /// The value of an expression in no frame; what it misses is nobody's matter.
    fn value_apart(&self, module: usize, id: NodeId) -> Value {
        let outer = self.missing.take();
        let value = self.value(module, id, &None, MAX_DEPTH / 4);
        self.missing.replace(outer);
        value
    }

    /// A list as it is; of a map the values, which its `forEach` hands on.
    pub(super) fn as_list_or_values(&self, value: &Value, depth: usize) -> Value {
        match value {
            Value::Map(_) => self.values_of(value, depth),
            other => self.as_list(other, depth),
        }
    }

    pub(super) fn frame_in(
        &self,
        (module, function): (usize, FunctionId),
        given: &Given,
        this: Option<Value>,
        frames: &Frames,
        depth: usize,
    ) -> Frames {
        let closure = Closure { module, function, this, frames: frames.clone() };
        self.frame(&closure, given, depth)
    }

    /// A frame that says nothing of the parameters but their defaults.
    fn unknown_frame(&self, (module, function): (usize, FunctionId), frames: &Frames) -> Frames {
        let next = frames.clone();
        if self.is_loop(module, function) {
            return Some(Rc::new(Frame { module, function, parameters: Vec::new(), this: None, next }));
        }
        self.frame_in((module, function), &Given::default(), None, frames, MAX_DEPTH / 2)
    }

    pub(super) fn is_loop(&self, module: usize, id: FunctionId) -> bool {
        let function = self.outlines.get(module).and_then(|outline| outline.function(id));
        function.is_some_and(Function::is_loop)
    }

    /// The frames of the loops around an expression that lie within its function.
    pub(super) fn contexts_in_loops(&self, module: usize, id: NodeId, frames: &Frames, depth: usize) -> Vec<Frames> {
        let around = self.outlines.get(module).and_then(|outline| outline.around(id));
        let Some(around) = around.filter(|around| self.is_loop(module, *around)) else { return vec![frames.clone()] };
        let turns = self.turns(module, around, frames, depth).0;
        if turns.is_empty() { vec![frames.clone()] } else { turns }
    }
}

/// The print of a context, of no more than some bytes.
struct Print {
    hashing: Hashing,
    left: usize,
}

impl Write for Print {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.left = self.left.checked_sub(text.len()).ok_or(std::fmt::Error)?;
        self.hashing.add(text.as_bytes());
        Ok(())
    }
}

/// A function of the package as the only argument.
fn function_given(module: usize, function: FunctionId) -> Given {
    let closure = Closure { module, function, this: None, frames: None };
    Given { positional: vec![Value::Function(Rc::new(closure))], ..Given::default() }
}
