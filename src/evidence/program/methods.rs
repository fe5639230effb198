//! Methods of texts, lists and objects, as far as what they give can be told.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value as Json;

use super::Program;
use super::outline::Pattern;
use super::value::{Given, Listed, Mapped, Value, Written, join, one_of};

impl Program<'_> {
    /// What a method of the language gives; none where the receiver's own members are to be asked.
    pub(super) fn method(
        &self,
        module: usize,
        receiver: &Value,
        method: &str,
        given: &Given,
        depth: usize,
    ) -> Option<Value> {
        match receiver {
            Value::Text(text) => self.text_method(module, text, method, given, depth),
            Value::List(list) => self.list_method(list, method, given, depth),
            Value::Map(map) => match method {
                // An entry of that name is what is called.
                _ if map.entries.contains_key(method) => None,
                "get" | "pop" | "setdefault" => {
                    let Some(key) = given.positional.first()?.as_whole_text() else { return any_text(map) };
                    Some(map.entries.get(key).or(given.positional.get(1)).cloned().unwrap_or_default())
                }
                "keys" => Some(self.keys_of(receiver, depth)),
                "values" => Some(self.values_of(receiver, depth)),
                "items" | "entries" => Some(self.pairs_of(receiver, depth)),
                "copy" => Some(receiver.clone()),
                "forEach" => Some(Value::Unknown),
                _ => None,
            },
            // A promise is what it brings.
            Value::Made(_) | Value::Unknown if method == "then" => {
                self.call_function(given.positional.first()?, vec![receiver.clone()], depth)
            }
            // Each element of a list that is not known looks like what the function makes of it.
            Value::Made(_) | Value::Unknown if matches!(method, "map" | "flatMap") => {
                let Some(function @ Value::Function(_)) = given.positional.first() else { return None };
                let each = self.call_function(function, vec![Value::Unknown, Value::Unknown], depth)?;
                matches!(each, Value::Map(_)).then(|| Value::list(vec![each], false))
            }
            Value::Made(made) => match method {
                "catch" | "finally" => Some(receiver.clone()),
                _ => self.file_method(module, made, method),
            },
            Value::Module(_) | Value::Instance(_) => None,
            Value::Function(closure) => match method {
                "bind" => Some(receiver.clone()),
                "call" => {
                    let positional = given.positional.iter().skip(1).cloned().collect();
                    Some(self.apply(closure, &Given { positional, named: BTreeMap::new() }, depth + 1))
                }
                _ => None,
            },
            Value::Class(module, class) => match method {
                "model_json_schema" | "schema" | "json_schema" | "model_json" => {
                    self.model_schema(*module, *class, depth).or(Some(Value::Unknown))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn list_method(&self, list: &Rc<Listed>, method: &str, given: &Given, depth: usize) -> Option<Value> {
        let whole = Value::List(list.clone());
        let first = given.positional.first();
        match method {
            "map" | "flatMap" => {
                let mapped = self.mapped(&whole, first?, depth)?;
                if method == "map" { Some(mapped) } else { Some(flat(&mapped)) }
            }
            "flat" => Some(flat(&whole)),
            // Which elements a condition keeps is not known: all of them may be there.
            "filter" | "sort" | "reverse" | "toSorted" | "toReversed" | "slice" | "splice" | "copy" | "values" => {
                Some(whole)
            }
            "concat" => {
                let mut all = (**list).clone();
                for value in &given.positional {
                    match value {
                        Value::List(_) => super::names::add_all(&mut all, value.clone()),
                        other => all.items.push(other.clone()),
                    }
                }
                Some(Value::List(Rc::new(all)))
            }
            "join" => {
                let between = first.map_or_else(|| Value::text(",").as_piece(), Value::as_piece);
                let mut pieces = Vec::new();
                for (at, item) in list.items.iter().enumerate() {
                    if at > 0 {
                        pieces.push(between.clone());
                    }
                    pieces.push(item.as_piece());
                }
                let mut joined = join(pieces);
                joined.whole &= list.whole;
                Some(Value::Text(Rc::new(joined)))
            }
            "entries" => {
                let pair =
                    |(at, item): (usize, &Value)| Value::list(vec![Value::Plain(Json::from(at)), item.clone()], true);
                Some(Value::list(list.items.iter().enumerate().map(pair).collect(), list.whole))
            }
            "reduce" => {
                let mut held = given.positional.get(1).cloned().unwrap_or_default();
                for item in list.items.iter().take(super::evaluate::MAX_TURNS) {
                    held = self.call_function(first?, vec![held, item.clone()], depth)?;
                }
                Some(held)
            }
            "find" | "at" | "pop" | "shift" | "includes" | "some" | "every" | "indexOf" | "forEach" | "push"
            | "append" | "extend" => Some(Value::Unknown),
            _ => None,
        }
    }
}

/// Any of the texts of an object, where the key is not known: none of them is hidden by it.
pub(super) fn any_text(map: &Mapped) -> Option<Value> {
    match one_of(map.entries.values().filter(|value| matches!(value, Value::Text(_))).cloned()) {
        Value::Text(text) => Some(Value::Text(Rc::new(Written { whole: false, ..(*text).clone() }))),
        _ => None,
    }
}

fn flat(value: &Value) -> Value {
    let Value::List(list) = value else { return Value::Unknown };
    let mut all = Listed { items: Vec::new(), whole: list.whole };
    for item in &list.items {
        match item {
            Value::List(_) => super::names::add_all(&mut all, item.clone()),
            other => all.items.push(other.clone()),
        }
    }
    Value::List(Rc::new(all))
}

impl Program<'_> {
    fn text_method(
        &self,
        module: usize,
        text: &Rc<Written>,
        method: &str,
        given: &Given,
        depth: usize,
    ) -> Option<Value> {
        let changed = |change: &dyn Fn(&str) -> String| {
            let others = text.others.iter().map(|other| Rc::from(change(other).as_str())).collect();
            Some(Value::Text(Rc::new(Written { text: change(&text.text), whole: text.whole, others })))
        };
        let word = |at: usize| given.positional.get(at).and_then(Value::as_whole_text);
        match method {
            "trim" | "strip" => changed(&|text| text.trim().to_owned()),
            "trimEnd" | "rstrip" | "trimRight" => changed(&|text| text.trim_end().to_owned()),
            "trimStart" | "lstrip" | "trimLeft" => changed(&|text| text.trim_start().to_owned()),
            "toLowerCase" | "lower" => changed(&|text| text.to_lowercase()),
            "toUpperCase" | "upper" => changed(&|text| text.to_uppercase()),
            "toString" | "valueOf" | "normalize" | "encode" | "decode" | "expandtabs" => {
                Some(Value::Text(text.clone()))
            }
            "replace" | "replaceAll" => match (given.positional.first(), word(0), word(1)) {
                (_, Some(from), Some(to)) if !from.is_empty() => changed(&|text| text.replace(from, to)),
                (Some(Value::Pattern(pattern)), _, Some(to)) => Some(self.replaced(text, pattern, to)),
                _ => Some(partly(text)),
            },
            "concat" => {
                let pieces = std::iter::once((**text).clone()).chain(given.positional.iter().map(Value::as_piece));
                Some(Value::Text(Rc::new(join(pieces))))
            }
            // Python joins a list by the text.
            "join" => {
                let list = self.as_list(given.positional.first()?, depth);
                let Value::List(list) = list else { return Some(Value::Unknown) };
                let mut pieces = Vec::new();
                for (at, item) in list.items.iter().enumerate() {
                    if at > 0 {
                        pieces.push((**text).clone());
                    }
                    pieces.push(item.as_piece());
                }
                let mut joined = join(pieces);
                joined.whole &= list.whole;
                Some(Value::Text(Rc::new(joined)))
            }
            "format" => {
                let filled = filled(&text.text, given);
                Some(Value::Text(Rc::new(filled)))
            }
            "split" => {
                let between = word(0)?;
                if between.is_empty() || !text.whole {
                    return Some(Value::Unknown);
                }
                Some(Value::list(text.text.split(between).map(Value::text).collect(), true))
            }
            "read_text" | "open" | "read_bytes" => Some(self.file_at(module, &text.text).unwrap_or_default()),
            "joinpath" => {
                let mut pieces = vec![(**text).clone()];
                for part in &given.positional {
                    pieces.extend([Value::text("/").as_piece(), part.as_piece()]);
                }
                Some(Value::Text(Rc::new(join(pieces))))
            }
            "slice" | "substring" | "substr" | "padEnd" | "padStart" | "ljust" | "rjust" => Some(partly(text)),
            _ => None,
        }
    }

    /// A text with what a regular expression finds replaced; where that cannot be told, what was written is worth reading
    /// all the same.
    pub(super) fn replaced(&self, text: &Written, pattern: &Pattern, to: &str) -> Value {
        // Groups of the match in the new text are written differently by each language.
        if to.contains(['$', '\\']) || !self.spend(PATTERN_STEPS + text.text.len() / 64) {
            return partly(text);
        }
        let Some(found) = crate::expression::of_others(&pattern.text, pattern.ignores_case) else {
            return partly(text);
        };
        let most = usize::from(!pattern.everywhere);
        let change = |text: &str| found.replacen(text, most, regex::NoExpand(to)).into_owned();
        let others = text.others.iter().map(|other| Rc::from(change(other).as_str())).collect();
        Value::Text(Rc::new(Written { text: change(&text.text), whole: text.whole, others }))
    }
}

/// The steps that it takes to compile a regular expression: names are changed by short ones.
const PATTERN_STEPS: usize = 20;

/// A text of which a part was taken away or added.
fn partly(text: &Written) -> Value {
    Value::Text(Rc::new(Written { whole: false, ..text.clone() }))
}

/// A Python format with its fields filled in as far as they are known.
fn filled(format: &str, given: &Given) -> Written {
    let mut pieces = Vec::new();
    let mut rest = format;
    let mut next = 0;
    let plain = |text: &str| Written { text: text.replace("}}", "}"), whole: true, others: Vec::new() };
    while let Some((before, field)) = rest.split_once('{') {
        pieces.push(plain(before));
        // Doubled, a brace is one of the text.
        if let Some(after) = field.strip_prefix('{') {
            pieces.push(plain("{"));
            rest = after;
            continue;
        }
        let Some((field, after)) = field.split_once('}') else {
            rest = field;
            break;
        };
        let name = field.split([':', '!']).next().unwrap_or_default();
        let value = match name.parse::<usize>() {
            Ok(at) => given.positional.get(at),
            Err(_) if name.is_empty() => {
                next += 1;
                given.positional.get(next - 1)
            }
            Err(_) => given.named.get(name),
        };
        pieces.push(value.map_or_else(|| Value::Unknown.as_piece(), Value::as_piece));
        rest = after;
    }
    pieces.push(plain(rest));
    join(pieces)
}
