//! Callbacks: the calls of a function that is handed to another, by a loop's method or by a function of the package.

use std::rc::Rc;

use super::Program;
use super::contexts::MAX_CONTEXTS;
use super::index::{binding_scope, last_name};
use super::outline::{ClassId, FunctionId, ModuleLanguage, Node, NodeId, Origin};
use super::value::{Frame, Frames, Given, Value, frame_of};

/// The most functions of one name that a callback is handed to.
const MAX_TAKERS: usize = 200;

impl Program<'_> {
    /// The frames of a function that is handed to a call: the elements that the call hands on to it.
    pub(super) fn frames_of_callback(
        &self,
        function: (usize, FunctionId),
        (at, call, place): (usize, NodeId, usize),
        frames: &Frames,
        depth: usize,
        level: usize,
    ) -> Vec<Frames> {
        let Some(outline) = self.outlines.get(at) else { return Vec::new() };
        let Node::Call { callee, arguments, .. } = outline.node(call) else { return Vec::new() };
        let method = last_name(outline, *callee).unwrap_or_default();
        const HANDING: [&str; 11] =
            ["forEach", "map", "flatMap", "filter", "some", "every", "find", "each", "sort", "reduce", "then"];
        if !HANDING.contains(&method) {
            return self.frames_of_parameter(function, (at, *callee, place), frames, depth, level);
        }
        let list = match outline.node(*callee) {
            Node::Member(object, _) => Some(*object),
            _ => arguments
                .iter()
                .find(|argument| !matches!(outline.node(argument.value), Node::Function(_)))
                .map(|argument| argument.value),
        };
        let Some(list) = list else { return Vec::new() };
        let mut all = Vec::new();
        self.expand(at, list, frames, (depth, level + 1), &|frames| self.value(at, list, frames, depth + 1), &mut all);
        let mut found = Vec::new();
        for (frames, value) in all {
            if method == "then" {
                let given = Given { positional: vec![value], ..Given::default() };
                found.push(self.frame_in(function, &given, None, &frames, depth));
                continue;
            }
            let Value::List(list) = self.as_list_or_values(&value, depth) else { continue };
            for (place, item) in list.items.iter().enumerate().take(MAX_CONTEXTS.saturating_sub(found.len())) {
                let place = Value::Plain(serde_json::Value::from(place));
                let positional = if method == "reduce" {
                    vec![Value::Unknown, item.clone(), place]
                } else {
                    vec![item.clone(), place]
                };
                let given = Given { positional, ..Given::default() };
                found.push(self.frame_in(function, &given, None, &frames, depth));
            }
        }
        found
    }

    /// The frames of a function that is handed to another of the package: by the calls of the other's parameter.
    fn frames_of_parameter(
        &self,
        function: (usize, FunctionId),
        (from, callee, place): (usize, NodeId, usize),
        frames: &Frames,
        depth: usize,
        level: usize,
    ) -> Vec<Frames> {
        let mut found = Vec::new();
        let name = self.outlines.get(from).and_then(|outline| last_name(outline, callee)).unwrap_or_default();
        for &(module, taker) in self.index.functions.get(name).into_iter().flatten().take(MAX_TAKERS) {
            let Some(outline) = self.outlines.get(module) else { continue };
            let Some(taking) = outline.function(taker) else { continue };
            // Python's methods have `self` before what they are given.
            let own = outline.language == ModuleLanguage::Python && taking.class.is_some();
            let place = place + usize::from(own);
            let Some(parameter) = taking.parameters.get(place) else { continue };
            let frames = &match taking.class {
                Some(class) => self.with_receiver((from, callee), (module, class), frames, depth),
                None => frames.clone(),
            };
            for &(at, call) in self.index.calls.get(&parameter.name).into_iter().flatten() {
                if at == module && self.calls_parameter(module, call, (taker, place)) && found.len() < MAX_CONTEXTS {
                    found.extend(self.frames_of_call(function, (at, call), frames, depth, level));
                }
            }
        }
        found
    }

    /// Some frames with one in which the object whose method is called is of a class: what takes a callback in
    /// `plugin.start(callback)` is a plugin, whatever list it comes from.
    fn with_receiver(
        &self,
        (from, callee): (usize, NodeId),
        (module, class): (usize, ClassId),
        frames: &Frames,
        depth: usize,
    ) -> Frames {
        let receiver = || {
            let outline = self.outlines.get(from)?;
            let Node::Member(object, _) = outline.node(callee) else { return None };
            let Node::Name(name, scope) = outline.node(*object) else { return None };
            let scope = binding_scope(outline, *scope, name)?;
            let [binding] = outline.scopes.get(scope as usize)?.names.get(name)? else { return None };
            let Origin::Parameter(owner, at) = binding.origin else { return None };
            let is_open = binding.path.is_empty() && frame_of(frames, from, owner).is_none();
            is_open.then_some((outline, owner, at))
        };
        let Some((outline, owner, at)) = receiver() else { return frames.clone() };
        let Some(owning) = outline.function(owner) else { return frames.clone() };
        let object = self.instance(module, class, Given::default());
        // Python's methods have `self` before what they are given.
        let own = usize::from(self.own_object(from, owner, 0).is_some());
        let mut positional = vec![Value::Unknown; at.saturating_sub(own)];
        positional.push(object);
        if owning.is_loop() {
            let next = frames.clone();
            return Some(Rc::new(Frame { module: from, function: owner, parameters: positional, this: None, next }));
        }
        let this = owning.class.map(|class| self.instance(from, class, Given::default()));
        self.frame_in((from, owner), &Given { positional, ..Given::default() }, this, frames, depth)
    }

    /// True where the callee of a call is a parameter of a function.
    fn calls_parameter(&self, module: usize, call: NodeId, (taker, place): (FunctionId, usize)) -> bool {
        let Some(outline) = self.outlines.get(module) else { return false };
        let Node::Call { callee, .. } = outline.node(call) else { return false };
        let Node::Name(name, scope) = outline.node(*callee) else { return false };
        let scope = binding_scope(outline, *scope, name);
        let names = scope.and_then(|scope| outline.scopes.get(scope as usize)).map(|scope| &scope.names);
        let bindings = names.and_then(|names| names.get(name)).into_iter().flatten();
        bindings
            .into_iter()
            .any(|binding| matches!(binding.origin, Origin::Parameter(of, at) if (of, at) == (taker, place)))
    }
}
