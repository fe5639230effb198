//! Objects and their members: fields, methods, what constructors write, and what base classes add.

use std::rc::Rc;

use serde_json::Value as Json;

use super::index::{method_around, own_class};
use super::outline::{ClassId, FunctionKind, ModuleLanguage, Node, NodeId};
use super::value::{Closure, Frame, Frames, Given, Instance, Value, frame_of};
use super::{MAX_DEPTH, Program};

/// The most base classes that are asked for a member, one behind the other.
const MAX_BASES: usize = 12;

impl Program<'_> {
    /// The object that `this` or `super` means; an object of the class around, where nothing more is known.
    pub(super) fn this(&self, module: usize, id: NodeId, frames: &Frames) -> Value {
        let Some(outline) = self.outlines.get(module) else { return Value::Unknown };
        let Some(method) = method_around(outline, id) else { return Value::Unknown };
        if let Some(frame) = frame_of(frames, module, method) {
            return frame.this.clone().unwrap_or_default();
        }
        let class = outline.function(method).and_then(|function| function.class);
        class.map_or(Value::Unknown, |class| self.instance(module, class, Given::default()))
    }

    /// A member of a value.
    pub(super) fn member(&self, object: &Value, name: &str, depth: usize) -> Value {
        if depth > MAX_DEPTH || !self.spend(1) {
            return Value::Unknown;
        }
        match object {
            Value::Map(map) => map.entries.get(name).cloned().unwrap_or_default(),
            Value::Module(module) => self.exported(*module, name, depth + 1).unwrap_or_default(),
            Value::Outside(path) => match name {
                "default" => object.clone(),
                _ => Value::outside(format!("{path}.{name}")),
            },
            Value::Class(module, class) => self.static_member(*module, *class, name, depth),
            Value::Instance(instance) => self.instance_member(instance, name, depth),
            Value::Function(closure) => self.function_member(closure, name, depth),
            Value::List(list) if matches!(name, "length") => Value::Plain(Json::from(list.items.len())),
            // The value of a member of an enumeration is written in its place.
            Value::Text(_) if matches!(name, "value" | "name") => object.clone(),
            Value::Schema(schema) => match name {
                // `z.literal("x").value`.
                "value" if schema.schema.get("const").is_some() => {
                    schema.schema.get("const").map_or(Value::Unknown, Value::of_json)
                }
                "shape" => self.as_map(object, depth).map_or(Value::Unknown, Value::Map),
                _ => schema.schema.get(name).map_or(Value::Unknown, Value::of_json),
            },
            // What a constructor outside is given is what its object has.
            Value::Made(made) => {
                let named = made.given.named.get(name).cloned();
                let options = made.given.positional.iter().find_map(|given| match given {
                    Value::Map(map) => map.entries.get(name).cloned(),
                    _ => None,
                });
                named.or(options).unwrap_or_default()
            }
            _ => Value::Unknown,
        }
    }

    fn function_member(&self, closure: &Closure, name: &str, depth: usize) -> Value {
        let Some(outline) = self.outlines.get(closure.module) else { return Value::Unknown };
        let Some(function) = outline.function(closure.function) else { return Value::Unknown };
        match (name, &function.name) {
            ("name" | "__name__", Some(own)) => Value::text(own.as_str()),
            ("__doc__", _) => function.doc.as_deref().map_or(Value::Unknown, Value::text),
            (_, Some(own)) => self.written_member(closure.module, own, name, depth).unwrap_or_default(),
            _ => Value::Unknown,
        }
    }

    /// A static member of a class: a field, a method, a member of an enumeration.
    fn static_member(&self, module: usize, class: ClassId, name: &str, depth: usize) -> Value {
        let Some((outline, of)) = self.class(module, class) else { return Value::Unknown };
        if let Some(written) = of.name.as_deref().and_then(|own| self.written_member(module, own, name, depth)) {
            return written;
        }
        match name {
            "name" | "__name__" if !of.fields.iter().any(|field| field.name == name) => {
                return of.name.as_deref().map_or(Value::Unknown, Value::text);
            }
            "__doc__" => return of.doc.as_deref().map_or(Value::Unknown, Value::text),
            _ => {}
        }
        if let Some(value) = of.fields.iter().rev().find(|field| field.name == name).and_then(|field| field.value) {
            return self.value(module, value, &None, depth + 1);
        }
        if let Some(function) = of.methods.get(name) {
            let kind = outline.function(*function).map(|function| function.kind);
            let closure = Closure { module, function: *function, this: None, frames: None };
            return match kind {
                Some(FunctionKind::Getter) => self.apply(&closure, &Given::default(), depth + 1),
                _ => Value::Function(Rc::new(closure)),
            };
        }
        self.bases(module, class, depth)
            .into_iter()
            .map(|base| match base {
                Value::Class(module, class) if depth < MAX_DEPTH => {
                    self.static_member(module, class, name, depth + MAX_DEPTH / MAX_BASES)
                }
                _ => Value::Unknown,
            })
            .find(|value| !value.is_unknown())
            .unwrap_or_default()
    }

    /// A member of an object.
    fn instance_member(&self, instance: &Rc<Instance>, name: &str, depth: usize) -> Value {
        let this = Value::Instance(instance.clone());
        self.own_member(&this, instance.module, instance.class, &instance.given, name, depth)
    }

    /// A member that a class or one of its bases gives an object.
    fn own_member(
        &self,
        this: &Value,
        module: usize,
        class: ClassId,
        given: &Given,
        name: &str,
        depth: usize,
    ) -> Value {
        let Some((outline, of)) = self.class(module, class) else { return Value::Unknown };
        if depth > MAX_DEPTH {
            return Value::Unknown;
        }
        let key = (module, class, name.to_owned());
        let added = |value: Value| match self.index.into_field.get(&key) {
            Some(writes) => self.written(module, writes, value, &None, depth + 1),
            None => value,
        };
        let frames = self.constructor_frames(this, module, class, given, depth);
        let written = self.index.to_field.get(&key).into_iter().flatten();
        let written = written.filter_map(|at| outline.writes.get(*at)).take(8);
        let value = super::value::one_of(written.map(|write| self.value(module, write.value, &frames, depth + 1)));
        if !value.is_unknown() {
            return added(value);
        }
        if let Some(value) = of.fields.iter().rev().find(|field| field.name == name).and_then(|field| field.value) {
            return added(self.value(module, value, &None, depth + 1));
        }
        if let Some(function) = of.methods.get(name) {
            let closure = Closure { module, function: *function, this: Some(this.clone()), frames: None };
            return match outline.function(*function).map(|function| function.kind) {
                Some(FunctionKind::Getter) => self.apply(&closure, &Given::default(), depth + 1),
                _ => Value::Function(Rc::new(closure)),
            };
        }
        // Data classes and models have what they are given, by name or in the order of their fields.
        if outline.language == ModuleLanguage::Python && !of.methods.contains_key("__init__") {
            let at = of.fields.iter().position(|field| field.name == name);
            let value = given.named.get(name).or_else(|| given.positional.get(at?));
            if let Some(value) = value {
                return value.clone();
            }
        }
        let handed = self.handed_to_base(module, class, &frames, given, depth);
        for base in self.bases(module, class, depth) {
            let value = match base {
                Value::Class(base_module, base) => {
                    self.own_member(this, base_module, base, &handed, name, depth + MAX_DEPTH / MAX_BASES)
                }
                // A base outside keeps what it is given: `super({ name, description })`.
                _ => {
                    let options = handed.positional.iter().find_map(|given| match given {
                        Value::Map(map) => map.entries.get(name).cloned(),
                        _ => None,
                    });
                    handed.named.get(name).cloned().or(options).unwrap_or_default()
                }
            };
            if !value.is_unknown() {
                return added(value);
            }
        }
        added(Value::Unknown)
    }

    /// The frames in which a constructor's writes are worked out.
    fn constructor_frames(&self, this: &Value, module: usize, class: ClassId, given: &Given, depth: usize) -> Frames {
        let (outline, of) = self.class(module, class)?;
        let name = if outline.language == ModuleLanguage::Python { "__init__" } else { "constructor" };
        let constructor = *of.methods.get(name)?;
        // Without arguments nothing is known of them: they are looked for where the class is used.
        if given.positional.is_empty() && given.named.is_empty() && self.takes_arguments(module, constructor) {
            return None;
        }
        let closure = Closure { module, function: constructor, this: Some(this.clone()), frames: None };
        self.frame(&closure, given, depth)
    }

    fn takes_arguments(&self, module: usize, function: u32) -> bool {
        let outline = self.outlines.get(module);
        let own = usize::from(outline.is_some_and(|outline| outline.language == ModuleLanguage::Python));
        outline.and_then(|outline| outline.function(function)).is_some_and(|function| function.parameters.len() > own)
    }

    /// The arguments that a constructor hands to the one of its base class.
    fn handed_to_base(&self, module: usize, class: ClassId, frames: &Frames, given: &Given, depth: usize) -> Given {
        let Some((outline, of)) = self.class(module, class) else { return Given::default() };
        let name = if outline.language == ModuleLanguage::Python { "__init__" } else { "constructor" };
        let Some(constructor) = of.methods.get(name) else { return given.clone() };
        let calls = self.index.calls.get(if outline.language == ModuleLanguage::Python { "__init__" } else { "super" });
        for (at, call) in calls.into_iter().flatten() {
            if *at != module || method_around(outline, *call) != Some(*constructor) {
                continue;
            }
            let Node::Call { callee, arguments, .. } = outline.node(*call) else { continue };
            let is_super = match outline.node(*callee) {
                Node::Super => true,
                Node::Member(object, _) => is_super_call(outline, *object),
                _ => false,
            };
            if is_super {
                return self.given(module, arguments, frames, depth + 1);
            }
        }
        Given::default()
    }

    /// `super.name` and `super().name`: the member that a base class gives.
    pub(super) fn super_member(&self, module: usize, id: NodeId, name: &str, frames: &Frames, depth: usize) -> Value {
        let this = self.this(module, id, frames);
        let Some(outline) = self.outlines.get(module) else { return Value::Unknown };
        let Node::Member(object, _) = outline.node(id) else { return Value::Unknown };
        let Some(class) = method_around(outline, *object).and_then(|method| outline.function(method)?.class) else {
            return Value::Unknown;
        };
        let bases = self.bases(module, class, depth).into_iter();
        let of_base = |base| match base {
            Value::Class(base_module, base) => {
                self.own_member(&this, base_module, base, &Given::default(), name, depth + MAX_DEPTH / MAX_BASES)
            }
            _ => Value::Unknown,
        };
        bases.map(of_base).find(|value| !value.is_unknown()).unwrap_or_default()
    }

    /// The base classes of a class.
    pub(super) fn bases(&self, module: usize, class: ClassId, depth: usize) -> Vec<Value> {
        let Some((_, of)) = self.class(module, class) else { return Vec::new() };
        of.bases.iter().take(MAX_BASES).map(|base| self.value(module, *base, &None, depth + 1)).collect()
    }

    /// The names of the classes above a class, nearest first, its own not among them.
    pub(super) fn names_of_bases(&self, module: usize, class: ClassId) -> Vec<String> {
        let (mut names, mut work) = (Vec::new(), vec![(module, class)]);
        while let Some((module, class)) = work.pop() {
            for base in self.bases(module, class, 0) {
                match base {
                    Value::Class(module, class) => {
                        names.extend(self.class(module, class).and_then(|(_, of)| of.name.clone()));
                        work.push((module, class));
                    }
                    Value::Outside(path) => names.push(path.to_string()),
                    _ => {}
                }
                // Classes may name each other as their base.
                if names.len() > MAX_BASES {
                    return names;
                }
            }
        }
        names
    }

    pub(super) fn class(&self, module: usize, class: ClassId) -> Option<(&super::Outline, &super::outline::Class)> {
        let outline = self.outlines.get(module)?;
        Some((outline, outline.class(class)?))
    }

    /// The members of an enumeration as a list.
    pub(super) fn members_of_class(&self, module: usize, class: ClassId, depth: usize) -> Value {
        let Some((_, of)) = self.class(module, class) else { return Value::Unknown };
        let values = of.fields.iter().filter_map(|field| field.value);
        Value::list(values.map(|value| self.value(module, value, &None, depth + 1)).collect(), true)
    }

    /// True where an expression is an object of the class around it: `this` or `self`.
    pub(super) fn is_own(&self, module: usize, id: NodeId) -> bool {
        self.outlines.get(module).is_some_and(|outline| own_class(outline, id).is_some())
    }

    /// Some object of a class, where a parameter is the `self` of its method; the class itself for a class method's.
    pub(super) fn own_object(&self, module: usize, function: u32, at: usize) -> Option<Value> {
        let outline =
            self.outlines.get(module).filter(|outline| at == 0 && outline.language == ModuleLanguage::Python)?;
        let function = outline.function(function)?;
        let class = function.class?;
        match function.parameters.first()?.name.as_str() {
            "self" => Some(self.instance(module, class, Given::default())),
            "cls" => Some(Value::Class(module, class)),
            _ => None,
        }
    }

    /// A frame of a function with its arguments.
    pub(super) fn frame(&self, closure: &Closure, given: &Given, depth: usize) -> Frames {
        let outline = self.outlines.get(closure.module)?;
        let function = outline.function(closure.function)?;
        let mut positional = given.positional.iter();
        let mut parameters = Vec::new();
        let mut named = given.named.clone();
        for (at, parameter) in function.parameters.iter().enumerate() {
            use super::outline::ParameterKind;
            let own = self.own_object(closure.module, closure.function, at);
            let value = match parameter.kind {
                _ if own.is_some() => closure.this.clone().or(own),
                ParameterKind::Plain => positional.next().cloned().or_else(|| named.remove(&parameter.name)),
                ParameterKind::KeywordOnly => named.remove(&parameter.name),
                ParameterKind::Rest => Some(Value::list(positional.by_ref().cloned().collect(), true)),
                ParameterKind::KeywordRest => Some(Value::map(std::mem::take(&mut named), true)),
            };
            let value = value.or_else(|| {
                let default = parameter.default?;
                Some(self.value(closure.module, default, &closure.frames, depth + 1))
            });
            parameters.push(value.unwrap_or_default());
        }
        Some(Rc::new(Frame {
            module: closure.module,
            function: closure.function,
            parameters,
            this: closure.this.clone(),
            next: closure.frames.clone(),
        }))
    }
}

/// True for `super()`, as Python writes it, and `super`.
pub(super) fn is_super_call(outline: &super::Outline, id: NodeId) -> bool {
    match outline.node(id) {
        Node::Super => true,
        Node::Call { callee, .. } => matches!(outline.node(*callee), Node::Super),
        _ => false,
    }
}
