//! Names: what a name stands for in its scope, and what a module exports.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use super::Program;
use super::index::binding_scope;
use super::modules::Imported;
use super::outline::{Binding, FunctionId, MODULE_SCOPE, ModuleLanguage, NodeId, Origin, Part, ScopeId, Step};
use super::value::{Closure, Frame, Frames, Listed, Mapped, Value, all_frames, frame_of, one_of};

/// The most bindings of one name, and writes to it, that are looked at.
const MAX_BINDINGS: usize = 16;
const MAX_WRITES: usize = 3_000;

impl<'e> Program<'e> {
    /// The value of a name that is used in a function or loop.
    pub(super) fn named(
        &self,
        module: usize,
        (scope, name): (ScopeId, &str),
        used_in: Option<FunctionId>,
        frames: &Frames,
        depth: usize,
    ) -> Value {
        let Some(outline) = self.outlines.get(module) else { return Value::Unknown };
        let Some(scope) = binding_scope(outline, scope, name) else { return self.unbound(module, name, depth) };
        let bindings = outline.scopes.get(scope as usize).and_then(|scope| scope.names.get(name));
        let Some(bindings) = bindings else { return Value::Unknown };
        // Names of the module depend on no frame but that of a loop, and lists that are added to a thousand times are
        // asked for as often.
        let in_loop = bindings.iter().any(|binding| match binding.origin {
            Origin::Parameter(..) => true,
            Origin::Expression(id) | Origin::Added(id) => outline.around(id).is_some(),
            _ => false,
        });
        if scope != MODULE_SCOPE || in_loop {
            let value = self.bound(module, bindings, used_in, frames, depth);
            return self.with_writes(module, (scope, name), value, frames, depth);
        }
        let key = (module, name.to_owned());
        if let Some(known) = self.names.borrow().get(&key) {
            return known.clone();
        }
        let value = self.bound(module, bindings, None, &None, depth);
        let is_written = self.index.to_name.contains_key(&(module, scope, name.to_owned()));
        let value = self.with_writes(module, (scope, name), value, &None, depth);
        // Asked for while its own writes are worked out, it is not whole yet.
        if is_written
            && depth < super::MAX_DEPTH / 2
            && !self.is_spent()
            && self.open.borrow().is_empty()
            && self.writing.borrow().is_empty()
        {
            self.names.borrow_mut().insert(key, value.clone());
        }
        value
    }

    /// A name that the module does not bind: one of the language, or of a module of which everything is imported.
    fn unbound(&self, module: usize, name: &str, depth: usize) -> Value {
        let Some(outline) = self.outlines.get(module) else { return Value::Unknown };
        if name == "undefined" {
            return Value::Plain(serde_json::Value::Null);
        }
        if outline.language == ModuleLanguage::Python {
            for other in &outline.exported_modules {
                if let Imported::Module(other) = self.imported(module, other)
                    && let Some(value) = self.exported(other, name, depth + 1)
                {
                    return value;
                }
            }
        }
        Value::outside(name)
    }

    fn bound(
        &self,
        module: usize,
        bindings: &[Binding],
        used_in: Option<FunctionId>,
        frames: &Frames,
        depth: usize,
    ) -> Value {
        let added = |binding: &Binding| matches!(binding.origin, Origin::Added(_));
        let turning = self.turning(module, bindings, frames);
        let is_of_turn = |binding: &&Binding| match (turning, self.loop_of(module, binding)) {
            (Some(turning), Some(other)) => turning == other,
            _ => true,
        };
        let bound = bindings.iter().take(MAX_BINDINGS).filter(is_of_turn);
        let values = bound.map(|binding| self.binding(module, binding, used_in, frames, depth));
        if !bindings.iter().any(added) {
            return one_of(values);
        }
        // Text and lists that are added to hold all that was ever put into them.
        let values: Vec<Value> = values.collect();
        if values.iter().any(|value| matches!(value, Value::List(_))) {
            let mut listed = Listed { items: Vec::new(), whole: true };
            for value in values {
                add_all(&mut listed, value);
            }
            return Value::List(Rc::new(listed));
        }
        self.joined(values.iter().map(Value::as_piece))
    }

    /// Of the loops that bind one name the innermost whose turn it is: `for x in a: …` and `for x in b: …` bind one `x`.
    fn turning(&self, module: usize, bindings: &[Binding], frames: &Frames) -> Option<FunctionId> {
        if bindings.len() < 2 {
            return None;
        }
        let is_bound = |frame: &&Frame| {
            frame.module == module
                && bindings.iter().any(|binding| self.loop_of(module, binding) == Some(frame.function))
        };
        all_frames(frames).find(is_bound).map(|frame| frame.function)
    }

    /// The loop whose variable a binding is.
    fn loop_of(&self, module: usize, binding: &Binding) -> Option<FunctionId> {
        match binding.origin {
            Origin::Parameter(function, _) if self.is_loop(module, function) => Some(function),
            _ => None,
        }
    }

    fn binding(
        &self,
        module: usize,
        binding: &Binding,
        used_in: Option<FunctionId>,
        frames: &Frames,
        depth: usize,
    ) -> Value {
        let mut value = match &binding.origin {
            Origin::Expression(id) | Origin::Added(id) => self.assigned(module, *id, used_in, frames, depth),
            Origin::Parameter(function, at) => self.parameter(module, *function, *at, frames),
            Origin::Import(it) => self.imported_value(module, &it.module, it.name.as_deref(), depth),
            Origin::Function(function) => {
                Value::Function(Rc::new(Closure { module, function: *function, this: None, frames: frames.clone() }))
            }
            Origin::Class(class) => Value::Class(module, *class),
            Origin::Unknown => Value::Unknown,
        };
        for (at, step) in binding.path.iter().enumerate() {
            value = match step {
                Step::Key(key) => self.member(&value, key, depth + 1),
                Step::At(place) => element(&value, *place),
                Step::Rest => rest(&value, binding.path.get(..at).unwrap_or_default()),
            };
        }
        match binding.default {
            Some(default) if value.is_unknown() => self.value(module, default, frames, depth + 1),
            _ => value,
        }
    }

    /// What is assigned to a name. It may ask for the name itself: `all = [...all, x]`.
    fn assigned(&self, module: usize, id: NodeId, used_in: Option<FunctionId>, frames: &Frames, depth: usize) -> Value {
        let turn = (module, id, frames.as_ref().map(Rc::as_ptr));
        if !self.assigning.borrow_mut().insert(turn) {
            return Value::Unknown;
        }
        let of_turns = self.lists_of_turns(module, id, used_in, frames, depth);
        let value = of_turns.unwrap_or_else(|| self.value(module, id, frames, depth + 1));
        self.assigning.borrow_mut().remove(&turn);
        value
    }

    /// What the turns of a loop assign to a name that is used behind the loop, where each assigns a list: all of them.
    fn lists_of_turns(
        &self,
        module: usize,
        id: NodeId,
        used_in: Option<FunctionId>,
        frames: &Frames,
        depth: usize,
    ) -> Option<Value> {
        let outline = self.outlines.get(module)?;
        let turning = outline.around(id).filter(|around| self.is_loop(module, *around))?;
        let around = |inner: &FunctionId| outline.function(*inner)?.parent.filter(|parent| parent < inner);
        if frame_of(frames, module, turning).is_some()
            || std::iter::successors(used_in, around).any(|around| around == turning)
        {
            return None;
        }
        let mut all = Listed { items: Vec::new(), whole: true };
        for turn in self.turns(module, turning, frames, depth + 1).0 {
            match self.value(module, id, &turn, depth + 1) {
                list @ Value::List(_) => add_all(&mut all, list),
                _ => return None,
            }
        }
        (!all.items.is_empty()).then(|| Value::List(Rc::new(all)))
    }

    fn parameter(&self, module: usize, function: u32, at: usize, frames: &Frames) -> Value {
        if let Some(frame) = frame_of(frames, module, function) {
            return frame.parameters.get(at).cloned().unwrap_or_default();
        }
        // `self` is some object of the class, whoever calls the method.
        if let Some(own) = self.own_object(module, function, at) {
            return own;
        }
        self.missing.borrow_mut().insert((module, function));
        Value::Unknown
    }

    /// The value that an import brings.
    fn imported_value(&self, module: usize, from: &str, name: Option<&str>, depth: usize) -> Value {
        match self.imported(module, from) {
            Imported::Module(other) => match name {
                None => Value::Module(other),
                Some(name) => self.exported(other, name, depth + 1).unwrap_or_default(),
            },
            Imported::File(path) => self.file(&path),
            // `from . import tools` names a module and no member.
            Imported::Outside => match name {
                Some(name) => {
                    let inner = if from.ends_with('.') { format!("{from}{name}") } else { format!("{from}.{name}") };
                    match self.outlines.get(module).map(|outline| outline.language) {
                        Some(ModuleLanguage::Python) => match self.imported(module, &inner) {
                            Imported::Module(other) => Value::Module(other),
                            _ => Value::outside(inner),
                        },
                        _ if name == "default" => Value::outside(from),
                        _ => Value::outside(inner),
                    }
                }
                None => Value::outside(from),
            },
        }
    }

    /// What a module exports under a name; none where it exports no such name.
    pub(super) fn exported(&self, module: usize, name: &str, depth: usize) -> Option<Value> {
        let own = self.own_exported(module, name, depth);
        let inner = own.or_else(|| self.handed_on(module, name, depth));
        let is_script = self.outlines.get(module)?.language == ModuleLanguage::JavaScript;
        // A bundler's default of a module without one is the module.
        inner.or_else(|| (is_script && name == "default" && depth <= super::MAX_DEPTH).then_some(Value::Module(module)))
    }

    /// What a module exports itself.
    fn own_exported(&self, module: usize, name: &str, depth: usize) -> Option<Value> {
        let key = (module, name.to_owned());
        if !self.spend(1) || depth > super::MAX_DEPTH || !self.exports.borrow_mut().insert(key.clone()) {
            return None;
        }
        let exported = self.find_exported(module, name, depth);
        self.exports.borrow_mut().remove(&key);
        exported
    }

    fn find_exported(&self, module: usize, name: &str, depth: usize) -> Option<Value> {
        let outline = self.outlines.get(module)?;
        if outline.language == ModuleLanguage::Python {
            let bound = outline.scopes.first().is_some_and(|scope| scope.names.contains(name));
            if bound {
                return Some(self.named(module, (MODULE_SCOPE, name), None, &None, depth + 1));
            }
            return self.submodule(module, name).map(Value::Module);
        }
        if let Some(id) = outline.exports.get(name) {
            return Some(self.value(module, *id, &None, depth + 1));
        }
        let whole = self.value(module, *outline.exports.get("=")?, &None, depth + 1);
        Some(if name == "default" { whole } else { self.member(&whole, name, depth + 1) })
    }

    /// What a module hands on of others under a name: `export * from`. The nearest come first, and each is asked once, in
    /// circles too.
    fn handed_on(&self, module: usize, name: &str, depth: usize) -> Option<Value> {
        let mut asked = BTreeSet::from([module]);
        let mut next = VecDeque::from([module]);
        while let Some(at) = next.pop_front() {
            for other in self.outlines.get(at).iter().flat_map(|outline| &outline.exported_modules) {
                if !self.spend(1) {
                    return None;
                }
                if let Imported::Module(other) = self.imported(at, other)
                    && asked.insert(other)
                {
                    let own = self.own_exported(other, name, depth + 8);
                    if own.is_some() {
                        return own;
                    }
                    next.push_back(other);
                }
            }
        }
        None
    }

    /// All that a module exports, by name.
    pub(super) fn exports(&self, module: usize, depth: usize) -> BTreeMap<String, Value> {
        let Some(outline) = self.outlines.get(module).filter(|_| self.spend(1)) else { return BTreeMap::new() };
        let names: Vec<&String> = match outline.language {
            ModuleLanguage::Python => {
                outline.scopes.first().into_iter().flat_map(|scope| scope.names.names()).collect()
            }
            ModuleLanguage::JavaScript => outline.exports.keys().collect(),
        };
        let mut exports: BTreeMap<String, Value> = names
            .into_iter()
            .filter(|name| *name != "=")
            .filter_map(|name| Some((name.clone(), self.exported(module, name, depth + 1)?)))
            .collect();
        if let Some(Value::Map(map)) = outline.exports.get("=").map(|id| self.value(module, *id, &None, depth + 1)) {
            exports.extend(map.entries.clone());
        }
        if depth < super::MAX_DEPTH / 2 {
            for other in outline.exported_modules.iter().take_while(|_| !self.is_spent()) {
                if let Imported::Module(other) = self.imported(module, other) {
                    // An own export hides that of another module.
                    for (key, value) in self.exports(other, depth + 16) {
                        exports.entry(key).or_insert(value);
                    }
                }
            }
        }
        exports
    }

    /// A value with what is written to its name later: members, elements.
    fn with_writes(&self, module: usize, named: (ScopeId, &str), value: Value, frames: &Frames, depth: usize) -> Value {
        let key = (module, named.0, named.1.to_owned());
        let Some(writes) = self.index.to_name.get(&key) else { return value };
        // Functions and classes ask for their members one by one.
        if !matches!(value, Value::Map(_) | Value::List(_) | Value::Unknown | Value::Made(_)) {
            return value;
        }
        self.written(module, writes, value, frames, depth)
    }

    /// A value with some writes to it.
    pub(super) fn written(
        &self,
        module: usize,
        writes: &[usize],
        value: Value,
        frames: &Frames,
        depth: usize,
    ) -> Value {
        let Some(outline) = self.outlines.get(module) else { return value };
        let mut map = match &value {
            Value::Map(map) => (**map).clone(),
            _ => Mapped { entries: BTreeMap::new(), whole: !value.is_unknown() },
        };
        let mut list = match &value {
            Value::List(list) => (**list).clone(),
            _ => Listed { items: Vec::new(), whole: !value.is_unknown() },
        };
        let before = (map.entries.len(), list.items.len());
        for write in writes.iter().take(MAX_WRITES).filter_map(|at| outline.writes.get(*at)) {
            // What is written may ask for the name itself: `all = { ...all, x }`.
            let id = (module, write.value);
            if !self.writing.borrow_mut().insert(id) {
                continue;
            }
            let keys = |frames: &Frames| match &write.part {
                Part::Member(name) => Some(name.clone()),
                Part::Keyed(key) => Some(self.value(module, *key, frames, depth + 1).as_piece().text),
                Part::Element | Part::Elements => None,
            };
            for (frames, value) in self.in_contexts(module, write.value, frames, depth + 1) {
                match (&write.part, keys(&frames)) {
                    (_, Some(key)) => _ = map.entries.insert(key, value),
                    (Part::Elements, None) => match &value {
                        Value::Map(more) => map.entries.extend(more.entries.clone()),
                        _ => add_all(&mut list, value),
                    },
                    _ => list.items.push(value),
                }
            }
            self.writing.borrow_mut().remove(&id);
        }
        let after = (map.entries.len(), list.items.len());
        match value {
            Value::Map(_) => Value::Map(Rc::new(map)),
            Value::List(_) => Value::List(Rc::new(list)),
            _ if after.1 > before.1 => Value::List(Rc::new(list)),
            _ if after.0 > before.0 => Value::Map(Rc::new(map)),
            other => other,
        }
    }

    /// The writes to a member of a function or class by its name: `Tool.description = "…"`.
    pub(super) fn written_member(&self, module: usize, owner: &str, member: &str, depth: usize) -> Option<Value> {
        let writes = self.index.to_name.get(&(module, MODULE_SCOPE, owner.to_owned()))?;
        let outline = self.outlines.get(module)?;
        let of_member = |at: &&usize| {
            let write = outline.writes.get(**at);
            write.is_some_and(|write| matches!(&write.part, Part::Member(name) if name == member))
        };
        let write = outline.writes.get(*writes.iter().rev().find(of_member)?)?;
        Some(self.value(module, write.value, &None, depth + 1))
    }

    /// The values of an expression in all contexts in which it is worked out, with those contexts.
    fn in_contexts(&self, module: usize, id: NodeId, frames: &Frames, depth: usize) -> Vec<(Frames, Value)> {
        if self.is_second_try() {
            return vec![(frames.clone(), self.value(module, id, frames, depth + 1))];
        }
        self.contexts_of(module, id, frames, depth, |frames| self.value(module, id, frames, depth + 1))
    }
}

/// The most elements of a list that is put together of others: lists that hold each other twice grow with each step.
const MAX_ELEMENTS: usize = 20_000;

/// Adds all elements of a value to a list.
pub(super) fn add_all(list: &mut Listed, value: Value) {
    match value {
        Value::List(more) => {
            let room = MAX_ELEMENTS.saturating_sub(list.items.len());
            list.items.extend(more.items.iter().take(room).cloned());
            list.whole &= more.whole && more.items.len() <= room;
        }
        _ => list.whole = false,
    }
}

/// An element by its place.
pub(super) fn element(value: &Value, at: usize) -> Value {
    match value {
        Value::List(list) => list.items.get(at).cloned().unwrap_or_default(),
        _ => Value::Unknown,
    }
}

/// What destructuring leaves.
fn rest(value: &Value, before: &[Step]) -> Value {
    match value {
        Value::Map(map) => Value::Map(map.clone()),
        Value::List(list) => {
            let taken = before.iter().filter(|step| matches!(step, Step::At(_))).count();
            Value::list(list.items.iter().skip(taken).cloned().collect(), list.whole)
        }
        _ => Value::Unknown,
    }
}
