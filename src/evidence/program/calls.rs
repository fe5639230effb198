//! Calls: what a call gives, where the function is of the package, of the language, or of a schema library.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::index::last_name;
use super::outline::{Argument, ModuleLanguage, Node, NodeId, Pattern};
use super::value::{Closure, Frame, Frames, Given, Listed, Made, Value, all_frames, of_pairs, one_of};
use super::{MAX_DEPTH, Program};

/// The most calls of one function inside each other.
const MAX_RECURSION: usize = 2;

/// The most calls of one function that are worked out inside each other, through whatever others.
const MAX_TURNS_OF_CALL: usize = 2;

/// The most ways out of a function that are looked at.
const MAX_RETURNS: usize = 12;

impl Program<'_> {
    /// The value of a call.
    pub(super) fn called(&self, module: usize, id: NodeId, frames: &Frames, depth: usize) -> Value {
        let Some(outline) = self.outlines.get(module) else { return Value::Unknown };
        let Node::Call { callee, arguments, constructs } = outline.node(id) else { return Value::Unknown };
        if let Node::Member(object, method) = outline.node(*callee)
            && !matches!(outline.node(*object), Node::Super)
        {
            let receiver = self.value(module, *object, frames, depth + 1);
            let given = self.given(module, arguments, frames, depth + 1);
            if let Some(schema) = self.zod(&receiver, method, &given) {
                return schema;
            }
            if let Some(value) = self.method(module, &receiver, method, &given, depth + 1) {
                return value;
            }
            let callee = self.member(&receiver, method, depth + 1);
            return self.call_value(module, callee, method, given, *constructs, depth);
        }
        let name = last_name(outline, *callee).unwrap_or_default().to_owned();
        let callee = self.value(module, *callee, frames, depth + 1);
        let given = self.given(module, arguments, frames, depth + 1);
        // A schema library's functions are imported by themselves too: `object({ a: string() })`.
        if let Value::Outside(path) = &callee
            && path.starts_with("zod")
            && let Some(schema) = self.zod(&Value::outside("zod"), &name, &given)
        {
            return schema;
        }
        self.call_value(module, callee, &name, given, *constructs, depth)
    }

    /// What a value gives when it is called under a name.
    fn call_value(
        &self,
        module: usize,
        callee: Value,
        name: &str,
        given: Given,
        constructs: bool,
        depth: usize,
    ) -> Value {
        match callee {
            Value::Function(closure) => {
                let value = self.apply(&closure, &given, depth + 1);
                if value.is_unknown() { self.made(name, given) } else { value }
            }
            Value::Class(module, class) => self.instance(module, class, given),
            Value::Outside(path) => match self.outside_call(module, &path, &given, constructs, depth) {
                Some(value) => value,
                None => self.made(&path, given),
            },
            _ => self.made(name, given),
        }
    }

    fn made(&self, by: &str, given: Given) -> Value {
        Value::Made(Rc::new(Made { by: Rc::from(by), given }))
    }

    /// The arguments of a call.
    pub(super) fn given(&self, module: usize, arguments: &[Argument], frames: &Frames, depth: usize) -> Given {
        let (mut list, mut named) = (Listed { items: Vec::new(), whole: true }, BTreeMap::new());
        for argument in arguments {
            let value = self.value(module, argument.value, frames, depth + 1);
            match (&argument.name, argument.spread) {
                (Some(name), _) => _ = named.insert(name.clone(), value),
                (None, false) => list.items.push(value),
                (None, true) => match &value {
                    Value::Map(map) => named.extend(map.entries.clone()),
                    _ => super::names::add_all(&mut list, value),
                },
            }
        }
        Given { positional: list.items, named }
    }

    /// What a function of the package returns.
    pub(super) fn apply(&self, closure: &Closure, given: &Given, depth: usize) -> Value {
        let Some(function) = self.outlines.get(closure.module).and_then(|outline| outline.function(closure.function))
        else {
            return Value::Unknown;
        };
        if depth > MAX_DEPTH || function.is_loop() || self.is_running(closure) {
            return Value::Unknown;
        }
        let key = (closure.module, closure.function);
        // Factories of whole tools are asked for again in each context of whoever registers what they give.
        let is_fixed =
            given.is_empty() && closure.this.is_none() && function.parent.is_none() && function.class.is_none();
        if is_fixed {
            if let Some(known) = self.results.borrow().get(&key) {
                return known.clone();
            }
            if let Some(known) = self.cut_results.borrow().get(&key) {
                self.cut.set(true);
                return known.clone();
            }
        }
        // Functions that call themselves in several places take as many steps as two to the depth.
        let turn = self.running.borrow().get(&key).copied().unwrap_or(0);
        if turn >= MAX_TURNS_OF_CALL {
            return Value::Unknown;
        }
        let was_cut = self.cut.replace(false);
        self.running.borrow_mut().insert(key, turn + 1);
        let frames = self.frame(closure, given, depth);
        // Generators hand over several values; a loop over them sees each.
        let value = one_of(function.returns.iter().take(MAX_RETURNS).map(|id| {
            let inside = self.contexts_in_loops(closure.module, *id, &frames, depth + 1);
            one_of(inside.iter().map(|frames| self.value(closure.module, *id, frames, depth + 1)))
        }));
        self.running.borrow_mut().insert(key, turn);
        let is_cut = self.cut.get();
        self.cut.set(was_cut || is_cut);
        // Deep down, and inside of itself, it may be less than what it is elsewhere.
        if is_fixed && turn == 0 && depth < MAX_DEPTH / 2 && !self.is_spent() {
            let kept = if is_cut { &self.cut_results } else { &self.results };
            kept.borrow_mut().insert(key, value.clone());
        }
        value
    }

    fn is_running(&self, closure: &Closure) -> bool {
        let is_it = |frame: &&Frame| frame.module == closure.module && frame.function == closure.function;
        all_frames(&closure.frames).filter(is_it).count() >= MAX_RECURSION
    }

    /// The value of a call of the language's own functions, and of a few that everybody uses.
    fn outside_call(&self, module: usize, path: &str, given: &Given, constructs: bool, depth: usize) -> Option<Value> {
        let first = given.positional.first();
        let last = path.rsplit('.').next().unwrap_or_default();
        let list = |value: Option<&Value>| value.map(|value| self.as_list(value, depth));
        match path {
            "Object.keys" => return first.map(|first| self.keys_of(first, depth)),
            "Object.values" => return first.map(|first| self.values_of(first, depth)),
            "Object.entries" => return first.map(|first| self.pairs_of(first, depth)),
            "Object.assign" => {
                let mut entries = BTreeMap::new();
                for given in &given.positional {
                    entries.extend(self.as_map(given, depth)?.entries.clone());
                }
                return Some(Value::map(entries, true));
            }
            "Object.fromEntries" | "dict" if first.is_some() => {
                if let Some(map @ Value::Map(_)) = first {
                    return Some(map.clone());
                }
                let Some(Value::List(pairs)) = first else { return None };
                return Some(Value::map(of_pairs(pairs), pairs.whole));
            }
            "dict" => return Some(Value::map(given.named.clone(), true)),
            "Array.from" => {
                let items = self.elements_of(module, first?, depth);
                return match given.positional.get(1) {
                    Some(map @ Value::Function(_)) => self.mapped(&items, map, depth),
                    _ => Some(items),
                };
            }
            "map" => return self.mapped(&list(given.positional.get(1))?, first?, depth),
            "list" | "tuple" | "sorted" | "set" | "frozenset" | "reversed" | "iter" => return list(first),
            "enumerate" => {
                let Value::List(items) = list(first)? else { return None };
                let pair = |(at, item): (usize, &Value)| {
                    Value::list(vec![Value::Plain(serde_json::Value::from(at)), item.clone()], true)
                };
                return Some(Value::list(items.items.iter().enumerate().map(pair).collect(), items.whole));
            }
            "getattr" => {
                let name = given.positional.get(1)?.as_whole_text()?.to_owned();
                let value = self.member(first?, &name, depth + 1);
                return Some(if value.is_unknown() {
                    given.positional.get(2).cloned().unwrap_or_default()
                } else {
                    value
                });
            }
            "re.sub" if given.positional.len() == 3 && given.named.is_empty() => {
                let [Value::Text(pattern), Value::Text(to), Value::Text(text)] = given.positional.as_slice() else {
                    return None;
                };
                let (pattern, to) = (pattern.whole.then_some(&pattern.text)?, to.whole.then_some(&to.text)?);
                let pattern = Pattern { text: pattern.clone(), everywhere: true, ignores_case: false };
                return Some(self.replaced(text, &pattern, to));
            }
            "String" | "str" => return Some(Value::Text(Rc::new(first?.as_piece()))),
            "Promise.all" | "asyncio.gather" => return first.cloned(),
            "Set" | "Map" if constructs => {
                return match (path, first) {
                    ("Set", Some(first)) => list(Some(first)),
                    ("Set", None) => Some(Value::list(Vec::new(), true)),
                    _ => {
                        let made = Made { by: Rc::from("Map"), given: given.clone() };
                        self.as_map(&Value::Made(Rc::new(made)), depth).map(Value::Map)
                    }
                };
            }
            _ => {}
        }
        match last {
            // What is only marked, bound or checked stays what it is.
            "freeze" | "dedent" | "cleandoc" | "stripIndent" | "stripIndents" | "oneLine" | "outdent" | "html"
            | "seal" | "zodToJsonSchema" | "toJSONSchema" | "toJsonSchema" | "cast" | "deepcopy"
            | "structuredClone" | "partial" | "wraps" | "OrderedDict" | "defineConfig" | "z_to_json" | "jsonSchema"
            | "getParseableType" | "resolve" | "trim_doc" | "strip_heredoc" | "asyncHandler" | "fromJsonSchema"
            | "fromJSONSchema" | "rawShape" => first.cloned(),
            _ => self.file_call(module, path, given),
        }
    }

    pub(super) fn values_of(&self, value: &Value, depth: usize) -> Value {
        match self.as_map(value, depth) {
            Some(map) => Value::list(map.entries.values().cloned().collect(), map.whole),
            None => match value {
                Value::List(_) => value.clone(),
                _ => Value::Unknown,
            },
        }
    }

    pub(super) fn pairs_of(&self, value: &Value, depth: usize) -> Value {
        let Some(map) = self.as_map(value, depth) else { return Value::Unknown };
        let pair = |(key, value): (&String, &Value)| Value::list(vec![Value::key(key), value.clone()], true);
        Value::list(map.entries.iter().map(pair).collect(), map.whole)
    }

    /// A list with each element handed to a function.
    pub(super) fn mapped(&self, list: &Value, function: &Value, depth: usize) -> Option<Value> {
        let Value::List(list) = list else { return None };
        let mut items = Vec::new();
        for (at, item) in list.items.iter().take(super::evaluate::MAX_TURNS).enumerate() {
            let positional = vec![item.clone(), Value::Plain(serde_json::Value::from(at))];
            items.push(self.call_function(function, positional, depth)?);
        }
        Some(Value::list(items, list.whole && list.items.len() <= super::evaluate::MAX_TURNS))
    }

    /// What a function gives for some arguments.
    pub(super) fn call_function(&self, function: &Value, mut positional: Vec<Value>, depth: usize) -> Option<Value> {
        match function {
            Value::Function(closure) => {
                // Python functions take what they name and no more.
                let outline = self.outlines.get(closure.module)?;
                if outline.language == ModuleLanguage::Python {
                    positional.truncate(1);
                }
                Some(self.apply(closure, &Given { positional, named: BTreeMap::new() }, depth + 1))
            }
            Value::Class(module, class) => {
                positional.truncate(1);
                Some(self.instance(*module, *class, Given { positional, named: BTreeMap::new() }))
            }
            Value::Outside(path) => {
                positional.truncate(1);
                let given = Given { positional, named: BTreeMap::new() };
                Some(self.outside_call(0, path, &given, false, depth).unwrap_or_else(|| self.made(path, given)))
            }
            _ => None,
        }
    }
}
