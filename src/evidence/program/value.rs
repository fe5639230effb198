//! Values: what an expression stands for, as far as the text of the package says it.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value as Json;

use super::outline::{ClassId, FunctionId, Pattern};

/// Stands in a text for a part that could not be told.
pub(crate) const UNTOLD: &str = "…";

/// The longest text that is put together, in bytes.
const MAX_TEXT: usize = 1024 * 1024;

/// The most texts that stand beside one as alternatives.
const MAX_OTHERS: usize = 16;

/// A value.
#[derive(Clone, Debug, Default)]
pub(super) enum Value {
    /// Nothing is known of it.
    #[default]
    Unknown,
    /// A text, parts of which may be untold.
    Text(Rc<Written>),
    /// A number, a truth value, null.
    Plain(Json),
    /// A regular expression.
    Pattern(Rc<Pattern>),
    /// A list.
    List(Rc<Listed>),
    /// An object or dictionary.
    Map(Rc<Mapped>),
    /// A JSON Schema that a schema library would give.
    Schema(Rc<SchemaValue>),
    /// A function of the package.
    Function(Rc<Closure>),
    /// A class of the package: its module and number.
    Class(usize, ClassId),
    /// An object that a class of the package makes.
    Instance(Rc<Instance>),
    /// A module of the package.
    Module(usize),
    /// Something of another package or of the language, by its dotted name: `zod.z`, `mcp.types.Tool`.
    Outside(Rc<str>),
    /// What something outside gives when it is called.
    Made(Rc<Made>),
}

/// A text.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Written {
    /// The text, [`UNTOLD`] for every part that could not be told.
    pub(super) text: String,
    /// True where all of it is known.
    pub(super) whole: bool,
    /// The texts that it may be instead.
    pub(super) others: Vec<Rc<str>>,
}

/// A list.
#[derive(Clone, Debug, Default)]
pub(super) struct Listed {
    pub(super) items: Vec<Value>,
    /// True where it has no more elements than these.
    pub(super) whole: bool,
}

/// An object.
#[derive(Clone, Debug, Default)]
pub(super) struct Mapped {
    pub(super) entries: BTreeMap<String, Value>,
    /// True where it has no more entries than these.
    pub(super) whole: bool,
}

/// A schema.
#[derive(Clone, Debug)]
pub(super) struct SchemaValue {
    /// JSON Schema; that of an optional property carries a mark (`literal::optional`).
    pub(super) schema: Json,
    /// True where no part of it is untold.
    pub(super) whole: bool,
}

/// A function with what surrounds it.
#[derive(Clone, Debug)]
pub(super) struct Closure {
    pub(super) module: usize,
    pub(super) function: FunctionId,
    /// The object whose method it is.
    pub(super) this: Option<Value>,
    pub(super) frames: Frames,
}

/// An object of a class.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub(super) module: usize,
    pub(super) class: ClassId,
    /// The arguments of the constructor.
    pub(super) given: Given,
}

/// What a call outside was given.
#[derive(Clone, Debug)]
pub(super) struct Made {
    /// The dotted name of what was called.
    pub(super) by: Rc<str>,
    pub(super) given: Given,
}

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    pub(super) positional: Vec<Value>,
    pub(super) named: BTreeMap<String, Value>,
}

impl Given {
    /// True where nothing is given.
    pub(super) fn is_empty(&self) -> bool {
        self.positional.is_empty() && self.named.is_empty()
    }
}

/// The functions and loops around an expression with the values of their parameters, innermost first.
pub(super) type Frames = Option<Rc<Frame>>;

/// One function or loop.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) module: usize,
    pub(super) function: FunctionId,
    pub(super) parameters: Vec<Value>,
    pub(super) this: Option<Value>,
    pub(super) next: Frames,
}

/// The frames of some frames, innermost first.
pub(super) fn all_frames(frames: &Frames) -> impl Iterator<Item = &Frame> {
    std::iter::successors(frames.as_deref(), |frame| frame.next.as_deref())
}

/// The innermost frame of a function or loop; none where it has none.
pub(super) fn frame_of(frames: &Frames, module: usize, function: FunctionId) -> Option<&Frame> {
    all_frames(frames).find(|frame| frame.module == module && frame.function == function)
}

impl Value {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::written(text.into(), true)
    }

    /// A key of an object; one that could not be told says so.
    pub(super) fn key(key: &str) -> Self {
        Self::written(key.to_owned(), !key.contains(UNTOLD))
    }

    pub(super) fn written(text: String, whole: bool) -> Self {
        Self::Text(Rc::new(Written { text, whole, others: Vec::new() }))
    }

    pub(super) fn list(items: Vec<Self>, whole: bool) -> Self {
        Self::List(Rc::new(Listed { items, whole }))
    }

    pub(super) fn map(entries: BTreeMap<String, Self>, whole: bool) -> Self {
        Self::Map(Rc::new(Mapped { entries, whole }))
    }

    pub(super) fn schema(schema: Json, whole: bool) -> Self {
        Self::Schema(Rc::new(SchemaValue { schema, whole }))
    }

    pub(super) fn outside(name: impl AsRef<str>) -> Self {
        // A chain of members has no end of its own.
        let name = name.as_ref();
        if name.len() > 200 { Self::Unknown } else { Self::Outside(Rc::from(name)) }
    }

    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// True where nothing in it is text or structure that the package wrote.
    pub(super) fn is_vague(&self) -> bool {
        match self {
            Self::Unknown | Self::Outside(_) => true,
            Self::Text(written) => !written.whole && written.text.chars().all(|letter| UNTOLD.contains(letter)),
            _ => false,
        }
    }

    /// The text, where all of it is known.
    pub(super) fn as_whole_text(&self) -> Option<&str> {
        match self {
            Self::Text(written) if written.whole => Some(&written.text),
            _ => None,
        }
    }

    /// The value as a piece of text.
    pub(super) fn as_piece(&self) -> Written {
        match self {
            Self::Text(written) => (**written).clone(),
            Self::Plain(Json::Null) => Written { whole: true, ..Written::default() },
            Self::Plain(plain) => Written { text: plain.to_string(), whole: true, ..Written::default() },
            _ => Written { text: UNTOLD.to_owned(), ..Written::default() },
        }
    }

    pub(super) fn of_json(json: &Json) -> Self {
        match json {
            Json::String(text) => Self::text(text.as_str()),
            Json::Array(items) => Self::list(items.iter().map(Self::of_json).collect(), true),
            Json::Object(items) => {
                Self::map(items.iter().map(|(key, value)| (key.clone(), Self::of_json(value))).collect(), true)
            }
            plain => Self::Plain(plain.clone()),
        }
    }

    /// The value as JSON with what is known of it; the second is true where that is all of it. Functions and what is
    /// outside have no value.
    pub(super) fn to_json(&self, left: &mut usize) -> Option<(Json, bool)> {
        *left = left.checked_sub(1)?;
        match self {
            Self::Text(written) => Some((Json::String(written.text.clone()), written.whole)),
            Self::Plain(plain) => Some((plain.clone(), true)),
            Self::Schema(schema) => Some((schema.schema.clone(), schema.whole)),
            Self::List(list) => {
                let (mut items, mut whole) = (Vec::new(), list.whole);
                for item in &list.items {
                    match item.to_json(left) {
                        Some((item, told)) => {
                            items.push(item);
                            whole &= told;
                        }
                        None => whole = false,
                    }
                }
                Some((Json::Array(items), whole))
            }
            Self::Map(map) => {
                let (items, whole) = entries_to_json(&map.entries, left);
                Some((Json::Object(items), whole && map.whole))
            }
            Self::Made(made) if made.given.positional.is_empty() => {
                let (items, whole) = entries_to_json(&made.given.named, left);
                Some((Json::Object(items), whole))
            }
            _ => None,
        }
    }
}

fn entries_to_json(entries: &BTreeMap<String, Value>, left: &mut usize) -> (serde_json::Map<String, Json>, bool) {
    let (mut items, mut whole) = (serde_json::Map::new(), true);
    for (key, value) in entries {
        match value.to_json(left) {
            Some((value, told)) => {
                items.insert(key.clone(), value);
                whole &= told;
            }
            // A function beside the data is no part of it that a reader would miss.
            None => whole &= matches!(value, Value::Function(_) | Value::Class(..)),
        }
    }
    (items, whole)
}

/// The entries of a list of pairs whose keys are text.
pub(super) fn of_pairs(pairs: &Listed) -> BTreeMap<String, Value> {
    let entry = |pair: &Value| match pair {
        Value::List(pair) => match pair.items.as_slice() {
            [Value::Text(key), rest @ ..] => Some((key.text.clone(), rest.first().cloned().unwrap_or_default())),
            _ => None,
        },
        _ => None,
    };
    pairs.items.iter().filter_map(entry).collect()
}

/// Joins pieces of text.
pub(super) fn join(pieces: impl IntoIterator<Item = Written>) -> Written {
    let mut joined = Written { whole: true, ..Written::default() };
    for piece in pieces {
        if joined.text.len() + piece.text.len() > MAX_TEXT {
            joined.whole = false;
            break;
        }
        joined.text.push_str(&piece.text);
        joined.whole &= piece.whole;
        joined.others.extend(piece.others.into_iter().take(MAX_OTHERS.saturating_sub(joined.others.len())));
    }
    joined
}

/// One of several values: the first that is known. The other texts are kept beside a text, so that none is hidden by a
/// condition.
pub(super) fn one_of(values: impl IntoIterator<Item = Value>) -> Value {
    let mut chosen = Value::Unknown;
    for value in values {
        match (&mut chosen, value) {
            (_, Value::Unknown) => {}
            // Which of two flags holds is not known.
            (Value::Plain(first), Value::Plain(other))
                if first.is_boolean() && other.is_boolean() && *first != other =>
            {
                return Value::Unknown;
            }
            (Value::Text(first), Value::Text(other)) if first.text != other.text => {
                let first = Rc::make_mut(first);
                if first.others.len() < MAX_OTHERS {
                    first.others.push(Rc::from(other.text.as_str()));
                }
            }
            // An empty list or object is the usual default beside the one that is meant.
            (Value::List(first), Value::List(other)) if first.items.is_empty() => chosen = Value::List(other),
            (Value::Map(first), Value::Map(other)) if first.entries.is_empty() => chosen = Value::Map(other),
            (Value::Unknown, value) => chosen = value,
            // A name outside or a flag tells less than what is written.
            (Value::Outside(_) | Value::Made(_) | Value::Plain(_), value)
                if !matches!(value, Value::Plain(_) | Value::Outside(_)) =>
            {
                chosen = value;
            }
            _ => {}
        }
    }
    chosen
}
