//! Evaluation: the value of an expression.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::outline::{Entry, FunctionKind, Key, ModuleLanguage, Node, NodeId};
use super::value::{
    Closure, Frame, Frames, Instance, Listed, Mapped, UNTOLD, Value, Written, frame_of, join, of_pairs, one_of,
};
use super::{MAX_DEPTH, Program};

/// The most elements that a loop makes of one list: as many as tools are kept of a package.
pub(super) const MAX_TURNS: usize = 5_000;

/// True for the parts of a tool that may take any number of steps: a schema whose library the bundle holds, or what the
/// tool does.
fn is_dear(key: &Key) -> bool {
    const DEAR: [&str; 9] = [
        "inputSchema",
        "input_schema",
        "paramsSchema",
        "parameters",
        "outputSchema",
        "output_schema",
        "handler",
        "execute",
        "_meta",
    ];
    matches!(key, Key::Named(key) if DEAR.contains(&key.as_str()))
}

impl Program<'_> {
    /// The value of an expression in its frames.
    pub(super) fn value(&self, module: usize, id: NodeId, frames: &Frames, depth: usize) -> Value {
        if depth > MAX_DEPTH || !self.spend(1) {
            self.cut.set(true);
            return Value::Unknown;
        }
        let Some(outline) = self.outlines.get(module) else { return Value::Unknown };
        // Outside of functions nothing depends on a frame, so the value is worked out once.
        let is_fixed = outline.around(id).is_none();
        let cheap = matches!(outline.node(id), Node::Text(_) | Node::Plain(_) | Node::Unknown | Node::Function(_));
        if !is_fixed || cheap {
            return self.work_out(module, id, if is_fixed { &None } else { frames }, depth);
        }
        if let Some(known) = self.known.borrow().get(&(module, id)) {
            return known.clone();
        }
        // A circle of names has no value.
        if !self.open.borrow_mut().insert((module, id)) {
            return Value::Unknown;
        }
        let value = self.work_out(module, id, &None, depth);
        self.open.borrow_mut().remove(&(module, id));
        // Cut short, it may be another value the next time.
        if depth < MAX_DEPTH / 2 && !self.is_spent() {
            self.known.borrow_mut().insert((module, id), value.clone());
        }
        value
    }

    fn work_out(&self, module: usize, id: NodeId, frames: &Frames, depth: usize) -> Value {
        let Some(outline) = self.outlines.get(module) else { return Value::Unknown };
        match outline.node(id) {
            Node::Unknown => Value::Unknown,
            Node::Text(text) => Value::text(&**text),
            Node::Plain(plain) => Value::Plain((**plain).clone()),
            Node::Pattern(pattern) => Value::Pattern(Rc::new((**pattern).clone())),
            Node::Joined(pieces) => {
                self.joined(pieces.iter().map(|piece| self.value(module, *piece, frames, depth + 1).as_piece()))
            }
            Node::Name(name, scope) => self.named(module, (*scope, name), outline.around(id), frames, depth),
            Node::This | Node::Super => self.this(module, id, frames),
            Node::Member(object, name) => {
                if matches!(outline.node(*object), Node::Super) {
                    return self.super_member(module, id, name, frames, depth);
                }
                let object = self.value(module, *object, frames, depth + 1);
                self.member(&object, name, depth)
            }
            Node::Index(object, key) => {
                let object = self.value(module, *object, frames, depth + 1);
                let key = self.value(module, *key, frames, depth + 1);
                self.indexed(&object, &key, depth)
            }
            Node::Call { .. } => self.called(module, id, frames, depth),
            Node::Object(entries) => Value::Map(Rc::new(self.object(module, entries, frames, depth))),
            Node::List(elements) => {
                let mut list = Listed { items: Vec::new(), whole: true };
                for element in elements {
                    let value = self.value(module, element.value, frames, depth + 1);
                    if element.spread {
                        super::names::add_all(&mut list, self.elements_of(module, &value, depth));
                    } else {
                        list.items.push(value);
                    }
                }
                Value::List(Rc::new(list))
            }
            Node::Function(function) => {
                let this = self.this(module, id, frames);
                let this = (!this.is_unknown()).then_some(this);
                Value::Function(Rc::new(Closure { module, function: *function, this, frames: frames.clone() }))
            }
            Node::Class(class) => Value::Class(module, *class),
            Node::Choice(values) => {
                let values = values.iter().take(32).map(|value| self.value(module, *value, frames, depth + 1));
                self.either(values.collect())
            }
            Node::Picked { sides, arms } => {
                let [first, second] = arms.map(|arm| self.value(module, arm, frames, depth + 1));
                // The other arm is kept behind the one that is picked: what is compared may be something else at run time.
                match self.are_equal(module, *sides, frames, depth) {
                    Some(false) => self.either(vec![second, first]),
                    _ => self.either(vec![first, second]),
                }
            }
            Node::Sum(..) => self.sum(module, id, frames, depth),
            Node::Module(name) => match self.imported(module, name) {
                super::modules::Imported::Module(other) => Value::Module(other),
                super::modules::Imported::File(path) => self.file(&path),
                super::modules::Imported::Outside => Value::outside(name),
            },
            Node::Each { turn, key, value } => self.each(module, *turn, *key, *value, frames, depth),
        }
    }

    /// Whether two expressions are the same text, number or truth value; none where one of them is not known.
    fn are_equal(&self, module: usize, sides: [NodeId; 2], frames: &Frames, depth: usize) -> Option<bool> {
        let known = |side: NodeId| match self.value(module, side, frames, depth + 1) {
            Value::Text(text) if text.whole && text.others.is_empty() => {
                Some(serde_json::Value::from(text.text.as_str()))
            }
            Value::Plain(plain) if !plain.is_array() && !plain.is_object() => Some(plain),
            _ => None,
        };
        let [one, other] = sides.map(known);
        Some(one? == other?)
    }

    /// One of several values that a condition chooses from. Of lists all is kept: what stands in either may be offered.
    fn either(&self, values: Vec<Value>) -> Value {
        let lists = values.iter().filter(|value| matches!(value, Value::List(list) if !list.items.is_empty()));
        if lists.count() < 2 || !values.iter().all(|value| matches!(value, Value::List(_))) {
            return one_of(values);
        }
        let mut all = Listed { items: Vec::new(), whole: true };
        for value in values {
            super::names::add_all(&mut all, value);
        }
        self.spend(all.items.len() / 16);
        Value::List(Rc::new(all))
    }

    pub(super) fn object(&self, module: usize, entries: &[Entry], frames: &Frames, depth: usize) -> Mapped {
        let mut map = Mapped { entries: BTreeMap::new(), whole: true };
        let mut untold = String::new();
        for entry in entries {
            let work = || self.value(module, entry.value, frames, depth + 1);
            let value = if is_dear(&entry.key) { self.with_part(work) } else { work() };
            match &entry.key {
                Key::Named(key) => _ = map.entries.insert(key.clone(), value),
                Key::Computed(key) => match self.value(module, *key, frames, depth + 1) {
                    Value::Text(key) if key.whole => _ = map.entries.insert(key.text.clone(), value),
                    // What stands under a key that is not known stands all the same.
                    _ => {
                        untold.push_str(UNTOLD);
                        map.entries.insert(untold.clone(), value);
                        map.whole = false;
                    }
                },
                Key::Spread => match value {
                    Value::Map(more) => {
                        // A flag under a condition is no promise; a text under one is said all the same.
                        let is_choice = self.outlines.get(module).is_some_and(|outline| {
                            matches!(outline.node(entry.value), Node::Choice(_) | Node::Picked { .. })
                        });
                        let is_kept =
                            |value: &Value| !(is_choice && matches!(value, Value::Plain(plain) if plain.is_boolean()));
                        let kept = more.entries.iter().filter(|(_, value)| is_kept(value));
                        map.entries.extend(kept.map(|(key, value)| (key.clone(), value.clone())));
                        map.whole &= more.whole;
                    }
                    Value::Module(other) => map.entries.extend(self.exports(other, depth + 1)),
                    Value::Instance(_) | Value::Made(_) => {
                        for key in ["name", "title", "description", "inputSchema", "annotations"] {
                            let field = self.member(&value, key, depth + 1);
                            if !field.is_unknown() {
                                map.entries.insert(key.to_owned(), field);
                            }
                        }
                        map.whole = false;
                    }
                    _ => map.whole = false,
                },
            }
        }
        map
    }

    /// A sum of texts or lists; its left side is followed without recursion, since sums are long.
    fn sum(&self, module: usize, id: NodeId, frames: &Frames, depth: usize) -> Value {
        let Some(outline) = self.outlines.get(module) else { return Value::Unknown };
        let mut operands = Vec::new();
        let mut left = id;
        while let Node::Sum(first, second) = outline.node(left) {
            operands.push(*second);
            left = *first;
        }
        operands.push(left);
        let values: Vec<Value> =
            operands.into_iter().rev().map(|operand| self.value(module, operand, frames, depth + 1)).collect();
        if values.iter().any(|value| matches!(value, Value::List(_))) {
            let mut list = Listed { items: Vec::new(), whole: true };
            values.into_iter().for_each(|value| super::names::add_all(&mut list, value));
            return Value::List(Rc::new(list));
        }
        if !values.iter().any(|value| matches!(value, Value::Text(_))) {
            return Value::Unknown;
        }
        self.joined(values.iter().map(Value::as_piece))
    }

    /// Pieces of text as one; long text costs as many steps as it would take to write.
    pub(super) fn joined(&self, pieces: impl IntoIterator<Item = Written>) -> Value {
        let text = join(pieces);
        self.spend(text.text.len() / 256);
        Value::Text(Rc::new(text))
    }

    /// A comprehension.
    fn each(
        &self,
        module: usize,
        turn: u32,
        key: Option<NodeId>,
        value: NodeId,
        frames: &Frames,
        depth: usize,
    ) -> Value {
        let (mut list, mut map) = (Vec::new(), BTreeMap::new());
        let (turns, whole) = self.turns(module, turn, frames, depth);
        for frames in turns {
            let value = self.value(module, value, &frames, depth + 1);
            match key.map(|key| self.value(module, key, &frames, depth + 1)) {
                Some(Value::Text(key)) => _ = map.insert(key.text.clone(), value),
                Some(_) => {}
                None => list.push(value),
            }
        }
        if key.is_some() { Value::map(map, whole) } else { Value::list(list, whole) }
    }

    /// The frames of all turns of a loop, and whether these are all. The loops around it that have no frame are
    /// turned as well.
    pub(super) fn turns(&self, module: usize, turn: u32, frames: &Frames, depth: usize) -> (Vec<Frames>, bool) {
        let Some(function) = self.outlines.get(module).and_then(|outline| outline.function(turn)) else {
            return (Vec::new(), false);
        };
        let FunctionKind::Loop { over, keys } = function.kind else { return (vec![frames.clone()], true) };
        let is_open = |outer: u32| frame_of(frames, module, outer).is_none() && self.is_loop(module, outer);
        let (outer, mut whole) = match function.parent {
            Some(parent) if parent < turn && is_open(parent) => self.turns(module, parent, frames, depth + 1),
            _ => (vec![frames.clone()], true),
        };
        let mut turns = Vec::new();
        for frames in outer {
            let over = self.value(module, over, &frames, depth + 1);
            let items = if keys { self.keys_of(&over, depth) } else { self.elements_of(module, &over, depth) };
            let Value::List(list) = items else {
                whole = false;
                continue;
            };
            let left = MAX_TURNS.saturating_sub(turns.len());
            if list.items.len() > left {
                self.leave_out();
            }
            whole &= list.whole && list.items.len() <= left;
            for item in list.items.iter().take(left) {
                turns.push(Some(Rc::new(Frame {
                    module,
                    function: turn,
                    parameters: vec![item.clone()],
                    this: None,
                    next: frames.clone(),
                })));
            }
        }
        (turns, whole)
    }

    /// The elements that a loop of a module's language goes through.
    pub(super) fn elements_of(&self, module: usize, value: &Value, depth: usize) -> Value {
        let is_script = self.outlines.get(module).is_some_and(|outline| outline.language == ModuleLanguage::JavaScript);
        // Python goes through the keys of a dictionary; JavaScript through the pairs of a map.
        match value {
            Value::Map(_) if is_script => self.pairs_of(value, depth),
            _ => self.as_list(value, depth),
        }
    }

    /// A value as a list; a dictionary gives its keys.
    pub(super) fn as_list(&self, value: &Value, depth: usize) -> Value {
        match value {
            Value::List(_) => value.clone(),
            Value::Map(map) => Value::list(map.entries.keys().map(|key| Value::key(key)).collect(), map.whole),
            Value::Class(module, class) => self.members_of_class(*module, *class, depth),
            Value::Made(made) => made.given.positional.first().map_or(Value::Unknown, |first| match first {
                Value::List(_) => first.clone(),
                _ => Value::Unknown,
            }),
            _ => Value::Unknown,
        }
    }

    /// The keys of an object or module as a list.
    pub(super) fn keys_of(&self, value: &Value, depth: usize) -> Value {
        match self.as_map(value, depth) {
            Some(map) => Value::list(map.entries.keys().map(|key| Value::key(key)).collect(), map.whole),
            None => Value::Unknown,
        }
    }

    /// A value as an object of named values.
    pub(super) fn as_map(&self, value: &Value, depth: usize) -> Option<Rc<Mapped>> {
        match value {
            Value::Map(map) => Some(map.clone()),
            Value::Module(module) => Some(Rc::new(Mapped { entries: self.exports(*module, depth + 1), whole: true })),
            Value::Schema(schema) => {
                let properties = crate::code::properties_of(&schema.schema)?;
                let of = |(key, value): (String, serde_json::Value)| (key, Value::schema(value, schema.whole));
                Some(Rc::new(Mapped { entries: properties.into_iter().map(of).collect(), whole: schema.whole }))
            }
            // `new Map([[key, value]])`.
            Value::Made(made) if matches!(&*made.by, "Map") => {
                let entries = match made.given.positional.first() {
                    Some(Value::List(pairs)) => of_pairs(pairs),
                    _ => BTreeMap::new(),
                };
                Some(Rc::new(Mapped { entries, whole: true }))
            }
            _ => None,
        }
    }

    /// `object[key]`.
    fn indexed(&self, object: &Value, key: &Value, depth: usize) -> Value {
        match (object, key) {
            (_, Value::Text(key)) if key.whole => self.member(object, &key.text, depth),
            (Value::List(list), Value::Plain(place)) => {
                let place = place.as_i64().unwrap_or(i64::MAX);
                let at = if place < 0 { place + list.items.len() as i64 } else { place };
                usize::try_from(at).ok().and_then(|at| list.items.get(at).cloned()).unwrap_or_default()
            }
            // A slice of a text or list is told by the whole of it.
            (Value::List(_), Value::Unknown) => object.clone(),
            // An outside class with type arguments: `FastMCP[State]`.
            (Value::Outside(_) | Value::Class(..), _) => object.clone(),
            (Value::Map(map), _) => super::methods::any_text(map).unwrap_or_default(),
            _ => Value::Unknown,
        }
    }

    pub(super) fn instance(&self, module: usize, class: u32, given: super::value::Given) -> Value {
        Value::Instance(Rc::new(Instance { module, class, given }))
    }
}
