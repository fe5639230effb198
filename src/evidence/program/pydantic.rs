//! Schemas that Python's annotations stand for: parameters of functions, fields of models.

use serde_json::{Map, Value as Json, json};

use super::outline::{ClassId, FunctionId, Node, NodeId, ParameterKind};
use super::value::{Frames, Given, Value};
use super::{MAX_DEPTH, Program, zod::MAX_SCHEMA};
use crate::code::literal::{object_schema, optional};

/// The depth to which annotations and models are followed.
const MAX_ANNOTATION: usize = 12;

/// The most models that are worked out inside each other by way of calls.
const MAX_MODELS: usize = 4;

impl Program<'_> {
    /// The schema of a function's parameters, as FastMCP makes it, and whether all of it is told.
    pub(super) fn parameters_schema(
        &self,
        module: usize,
        function: FunctionId,
        frames: &Frames,
    ) -> Option<(Json, bool)> {
        let outline = self.outlines.get(module)?;
        let of = outline.function(function)?;
        let (mut properties, mut whole) = (Map::new(), true);
        for (at, parameter) in of.parameters.iter().enumerate() {
            let is_own =
                at == 0 && of.class.is_some() && !of.is_static || matches!(parameter.name.as_str(), "self" | "cls");
            // The framework passes the context, and the model never sees it.
            if is_own
                || parameter.name == "ctx"
                || matches!(parameter.kind, ParameterKind::Rest | ParameterKind::KeywordRest)
            {
                continue;
            }
            let (schema, told) = match parameter.annotation {
                Some(annotation) => match self.annotation(module, annotation, frames, 0) {
                    Some(told) => told,
                    None => continue,
                },
                None => (json!({}), true),
            };
            let (schema, said) = self.with_default(module, parameter.default, schema, frames);
            whole &= told && said;
            properties.insert(parameter.name.clone(), schema);
        }
        Some((object_schema(properties), whole))
    }

    /// The schema of a model class by its annotated fields, those of its bases among them.
    pub(super) fn model_schema(&self, module: usize, class: ClassId, depth: usize) -> Option<Value> {
        // Models may be each other's defaults, and expressions have a depth of their own.
        if depth > MAX_DEPTH || self.models.get() >= MAX_MODELS {
            return None;
        }
        self.models.set(self.models.get() + 1);
        let model = self.model(module, class, 0);
        self.models.set(self.models.get() - 1);
        model.map(|(schema, whole)| Value::schema(schema, whole))
    }

    fn model(&self, module: usize, class: ClassId, depth: usize) -> Option<(Json, bool)> {
        let (mut properties, mut whole) = (Map::new(), true);
        self.add_fields(module, class, depth, &mut properties, &mut whole);
        if properties.is_empty() {
            return None;
        }
        let mut schema = object_schema(properties);
        if let (Some(map), Some(doc)) =
            (schema.as_object_mut(), self.class(module, class).and_then(|(_, of)| of.doc.clone()))
        {
            map.insert("description".to_owned(), Json::String(doc));
        }
        Some((schema, whole))
    }

    fn add_fields(&self, module: usize, class: ClassId, depth: usize, into: &mut Map<String, Json>, whole: &mut bool) {
        let Some((_, of)) = self.class(module, class) else { return };
        if depth > MAX_ANNOTATION || !self.spend(of.fields.len() + 1) {
            *whole = false;
            return;
        }
        for base in self.bases(module, class, depth) {
            if let Value::Class(module, base) = base {
                self.add_fields(module, base, depth + 1, into, whole);
            }
        }
        for field in &of.fields {
            let Some(annotation) = field.annotation else { continue };
            if field.name.starts_with('_') || field.name == "model_config" {
                continue;
            }
            let Some((schema, told)) = self.annotation(module, annotation, &None, depth + 1) else { continue };
            let (schema, said) = self.with_default(module, field.value, schema, &None);
            *whole &= told && said;
            into.insert(field.name.clone(), schema);
        }
    }

    /// A schema with what a default says: a value, or `Field(default, description=…)`.
    fn with_default(&self, module: usize, default: Option<NodeId>, mut schema: Json, frames: &Frames) -> (Json, bool) {
        let Some(default) = default else { return (schema, true) };
        let value = self.value(module, default, frames, 0);
        if let Value::Made(made) = &value
            && made
                .by
                .rsplit('.')
                .next()
                .is_some_and(|name| matches!(name, "Field" | "Query" | "Body" | "Path" | "Param"))
        {
            return with_field(schema, &made.given);
        }
        let mut left = MAX_SCHEMA;
        // `= None` says that it may be left out, and is no value worth telling.
        if let (Some(map), Some((value, _))) = (schema.as_object_mut(), value.to_json(&mut left))
            && !value.is_null()
        {
            map.insert("default".to_owned(), value);
        }
        (optional(schema), true)
    }

    /// The schema of an annotation and whether all of it is told; none where the framework fills the parameter in.
    fn annotation(&self, module: usize, id: NodeId, frames: &Frames, depth: usize) -> Option<(Json, bool)> {
        let outline = self.outlines.get(module)?;
        if depth > MAX_ANNOTATION || !self.spend(1) {
            return Some((json!({}), false));
        }
        match outline.node(id) {
            Node::Choice(parts) => Some(self.any_of(module, parts, frames, depth)),
            Node::Plain(plain) if plain.is_null() => Some((json!({ "type": "null" }), true)),
            Node::Index(of, arguments) => {
                let name = self.type_name(module, *of, frames);
                let arguments: Vec<NodeId> = match outline.node(*arguments) {
                    Node::List(elements) => elements.iter().map(|element| element.value).collect(),
                    _ => vec![*arguments],
                };
                self.generic(module, &name, &arguments, frames, depth)
            }
            // An alias of a type: `Id = Annotated[str, Field(…)]`.
            Node::Name(name, scope) if self.alias(module, *scope, name).is_some() => {
                let (module, bound) = self.alias(module, *scope, name)?;
                self.annotation(module, bound, frames, depth + 2)
            }
            _ => match self.value(module, id, frames, depth) {
                Value::Class(class_module, class) => Some(self.of_class(class_module, class, depth)),
                Value::Outside(path) => named(path.rsplit('.').next().unwrap_or_default()),
                _ => Some((json!({}), false)),
            },
        }
    }

    /// The annotation with arguments or choices that a name is another name for.
    fn alias(&self, module: usize, scope: u32, name: &str) -> Option<(usize, NodeId)> {
        let (module, bound) = self.bound_expression(module, scope, name)?;
        let node = self.outlines.get(module)?.node(bound);
        matches!(node, Node::Index(..) | Node::Choice(_)).then_some((module, bound))
    }

    /// The expression that a name is bound to, here or in the module that it is imported from.
    fn bound_expression(&self, module: usize, scope: u32, name: &str) -> Option<(usize, NodeId)> {
        use super::outline::{MODULE_SCOPE, Origin};
        let outline = self.outlines.get(module)?;
        let scope = super::index::binding_scope(outline, scope, name)?;
        match &outline.scopes.get(scope as usize)?.names.get(name)?.first()?.origin {
            Origin::Expression(id) => Some((module, *id)),
            Origin::Import(from) => match self.imported(module, &from.module) {
                super::modules::Imported::Module(other) if other != module => {
                    self.bound_expression(other, MODULE_SCOPE, from.name.as_deref()?)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn any_of(&self, module: usize, parts: &[NodeId], frames: &Frames, depth: usize) -> (Json, bool) {
        let mut choices = Vec::new();
        let mut whole = true;
        for part in parts.iter().take(32) {
            let Some((schema, told)) = self.annotation(module, *part, frames, depth + 1) else { continue };
            whole &= told;
            // `X | None` reads as `X`: whether it may be left out is told by its default.
            if schema.get("type").and_then(Json::as_str) != Some("null") {
                choices.push(schema);
            }
        }
        match choices.len() {
            1 => (choices.remove(0), whole),
            _ => (json!({ "anyOf": choices }), whole),
        }
    }

    fn of_class(&self, module: usize, class: ClassId, depth: usize) -> (Json, bool) {
        let bases = self.names_of_bases(module, class);
        if bases.iter().any(|base| base.rsplit('.').next().is_some_and(|name| name.ends_with("Enum"))) {
            let mut left = MAX_SCHEMA;
            let members = self.members_of_class(module, class, depth).to_json(&mut left);
            return members.map_or((json!({ "type": "string" }), false), |(members, told)| {
                (json!({ "type": "string", "enum": members }), told)
            });
        }
        self.model(module, class, depth + 1).unwrap_or((json!({ "type": "object" }), true))
    }

    fn type_name(&self, module: usize, id: NodeId, frames: &Frames) -> String {
        match self.value(module, id, frames, 0) {
            Value::Outside(path) => path.rsplit('.').next().unwrap_or_default().to_owned(),
            Value::Class(module, class) => {
                self.class(module, class).and_then(|(_, of)| of.name.clone()).unwrap_or_default()
            }
            _ => String::new(),
        }
    }

    fn generic(
        &self,
        module: usize,
        name: &str,
        arguments: &[NodeId],
        frames: &Frames,
        depth: usize,
    ) -> Option<(Json, bool)> {
        let first = arguments.first().copied();
        match name {
            "Annotated" => {
                let (mut schema, mut whole) = self.annotation(module, first?, frames, depth + 1)?;
                for note in arguments.iter().skip(1) {
                    match self.value(module, *note, frames, depth + 1) {
                        Value::Made(made) if made.by.rsplit('.').next() == Some("Field") => {
                            let (said, told) = with_field(schema, &made.given);
                            (schema, whole) = (said, whole && told);
                        }
                        Value::Text(text) => {
                            if let Some(map) = schema.as_object_mut() {
                                map.entry("description").or_insert(Json::String(text.text.clone()));
                            }
                            whole &= text.whole;
                        }
                        _ => {}
                    }
                }
                Some((schema, whole))
            }
            "Optional" | "Required" | "NotRequired" | "Final" | "ClassVar" | "ReadOnly" => {
                self.annotation(module, first?, frames, depth + 1)
            }
            "Union" => Some(self.any_of(module, arguments, frames, depth)),
            "Literal" => {
                let mut left = MAX_SCHEMA;
                let choices = arguments
                    .iter()
                    .filter_map(|choice| self.value(module, *choice, frames, depth + 1).to_json(&mut left));
                let choices: Vec<Json> = choices.map(|(choice, _)| choice).collect();
                Some((json!({ "type": "string", "enum": choices }), true))
            }
            "Context" => None,
            "list" | "List" | "Sequence" | "set" | "Set" | "Iterable" | "tuple" | "Tuple" | "frozenset" => {
                let (items, whole) = self.annotation(module, first?, frames, depth + 1)?;
                Some((json!({ "type": "array", "items": items }), whole))
            }
            "dict" | "Dict" | "Mapping" | "MutableMapping" => Some((json!({ "type": "object" }), true)),
            _ => Some((json!({}), true)),
        }
    }
}

fn named(name: &str) -> Option<(Json, bool)> {
    let of = |kind: &str| Some((json!({ "type": kind }), true));
    match name {
        "str" | "Path" | "UUID" | "datetime" | "date" | "SecretStr" | "AnyUrl" | "HttpUrl" | "EmailStr" | "bytes" => {
            of("string")
        }
        "int" | "PositiveInt" | "NonNegativeInt" => of("integer"),
        "float" | "Decimal" | "PositiveFloat" => of("number"),
        "bool" => of("boolean"),
        "list" | "List" | "set" | "tuple" | "Sequence" => of("array"),
        "dict" | "Dict" | "Mapping" => of("object"),
        "None" | "NoneType" => of("null"),
        "Context" | "FastMCPContext" => None,
        _ => Some((json!({}), true)),
    }
}

/// Puts what `Field(default, description=…)` says into a schema; false where a text of it is untold.
fn with_field(mut schema: Json, given: &Given) -> (Json, bool) {
    let mut whole = true;
    let first = given.positional.first();
    let is_required = |value: &Value| matches!(value, Value::Outside(name) if matches!(&**name, "Ellipsis" | "..."));
    let default = first.or_else(|| given.named.get("default"));
    let mut left = MAX_SCHEMA;
    if let Some(map) = schema.as_object_mut() {
        for key in ["description", "title", "examples", "pattern"] {
            let Some(value) = given.named.get(key) else { continue };
            match value.to_json(&mut left) {
                Some((value, told)) => {
                    map.insert(key.to_owned(), value);
                    whole &= told;
                }
                None => whole = false,
            }
        }
        if let Some((value, _)) =
            default.and_then(|default| default.to_json(&mut left)).filter(|(value, _)| !value.is_null())
        {
            map.insert("default".to_owned(), value);
        }
    }
    let may_miss = given.named.contains_key("default_factory") || default.is_some_and(|default| !is_required(default));
    (if may_miss { optional(schema) } else { schema }, whole)
}
