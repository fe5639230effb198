//! Keys of a schedule: the struct that reads a table also documents it, so that the manual is made from what is read.
//!
//! `keys!` takes a struct as serde has it and a `#[key(default = …, example = …)]` on each field that is no table of its
//! own. It emits the struct and [`Section::DOC`]. A field without a doc comment does not compile.

use std::collections::BTreeMap;
use std::path::PathBuf;

use capdex_model::digest::Digest;
use capdex_model::fact::Severity;

/// The default of a key that has to be there.
pub const REQUIRED: &str = "required";
/// The default of a key that is left out.
pub const NONE: &str = "none";

/// The documentation of one table of a schedule.
#[derive(Debug)]
pub struct SectionDoc {
    /// Lines about the table.
    pub about: &'static [&'static str],
    /// Its keys, in the order of the struct.
    pub keys: &'static [KeyDoc],
}

/// The documentation of one key.
#[derive(Debug)]
pub struct KeyDoc {
    /// The key, as it is written.
    pub name: &'static str,
    /// Lines about its meaning.
    pub meaning: &'static [&'static str],
    /// The values that it takes.
    pub kind: fn() -> ValueKind,
    /// Default and example; empty for a table, whose keys have their own.
    pub shown: &'static [Shown],
}

/// Default and example of a key.
#[derive(Debug)]
pub struct Shown {
    /// The default, read from the code that fills it in.
    pub default: fn() -> String,
    /// A value as TOML.
    pub example: &'static str,
}

/// The values that a key takes.
#[derive(Clone, Debug)]
pub enum ValueKind {
    /// Any value of a scalar type, in words.
    Scalar(&'static str),
    /// One of these words.
    Words(Vec<&'static str>),
    /// A table.
    Table(&'static SectionDoc),
    /// A list.
    List(Box<Self>),
    /// A table of values under names of the operator's own.
    Named(Box<Self>),
}

impl ValueKind {
    /// The type and the allowed values, as Markdown.
    pub fn words(&self) -> String {
        match self {
            Self::Scalar(words) => (*words).to_owned(),
            Self::Words(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
            Self::Table(_) => "table".to_owned(),
            Self::List(of) => format!("list, each {}", of.words()),
            Self::Named(of) => format!("named, each {}", of.words()),
        }
    }
}

/// A type that a key may have.
pub trait ConfigValue {
    /// The values that it takes.
    fn kind() -> ValueKind;
}

/// A struct that reads a table.
pub trait Section {
    /// The documentation of the table.
    const DOC: SectionDoc;
}

macro_rules! scalars {
    ($($type:ty: $words:literal),+ $(,)?) => {
        $(impl ConfigValue for $type {
            fn kind() -> ValueKind {
                ValueKind::Scalar($words)
            }
        })+
    };
}

scalars! {
    bool: "`true` or `false`",
    u16: "number from 0 to 65535",
    u32: "whole number",
    u64: "whole number",
    usize: "whole number",
    f64: "number",
    String: "text",
    PathBuf: "path",
    Digest: "digest, `sha256:` and 64 hexadecimal digits",
}

impl ConfigValue for Severity {
    fn kind() -> ValueKind {
        ValueKind::Words(Self::ALL.map(Self::as_str).to_vec())
    }
}

impl<T: ConfigValue> ConfigValue for Option<T> {
    fn kind() -> ValueKind {
        T::kind()
    }
}

impl<T: ConfigValue> ConfigValue for Vec<T> {
    fn kind() -> ValueKind {
        ValueKind::List(Box::new(T::kind()))
    }
}

impl<T: ConfigValue> ConfigValue for BTreeMap<String, T> {
    fn kind() -> ValueKind {
        ValueKind::Named(Box::new(T::kind()))
    }
}

/// A struct that reads a table, and the documentation of its keys.
macro_rules! keys {
    (
        $(#[doc = $about:literal])+
        #[derive($($derive:ident),+)]
        #[serde($($container:tt)+)]
        pub struct $name:ident {
            $(
                $(#[doc = $meaning:literal])+
                $(#[serde($($field:tt)+)])?
                $(#[key(default = $default:expr, example = $example:literal)])?
                pub $key:ident: $type:ty,
            )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive($($derive),+)]
        #[serde($($container)+)]
        pub struct $name {
            $(
                $(#[doc = $meaning])+
                $(#[serde($($field)+)])?
                pub $key: $type,
            )+
        }

        impl $crate::config::keys::Section for $name {
            const DOC: $crate::config::keys::SectionDoc = $crate::config::keys::SectionDoc {
                about: &[$($about),+],
                keys: &[$($crate::config::keys::KeyDoc {
                    name: stringify!($key),
                    meaning: &[$($meaning),+],
                    kind: <$type as $crate::config::keys::ConfigValue>::kind,
                    shown: &[$($crate::config::keys::Shown {
                        default: || ($default).to_string(),
                        example: $example,
                    })?],
                }),+],
            };
        }

        impl $crate::config::keys::ConfigValue for $name {
            fn kind() -> $crate::config::keys::ValueKind {
                $crate::config::keys::ValueKind::Table(&<Self as $crate::config::keys::Section>::DOC)
            }
        }
    };
}
pub(super) use keys;

/// A table of a schedule with its place.
#[derive(Clone, Debug)]
pub struct ScheduleTable {
    /// The dotted path before its keys, such as `alerts.sinks[].`; empty for the schedule itself.
    pub path: String,
    /// The line that begins it in TOML, such as `[[alerts.sinks]]`; empty for the schedule itself.
    pub header: String,
    /// The documentation.
    pub doc: &'static SectionDoc,
}

/// A table and all tables in it, each before those in it.
pub fn tables(doc: &'static SectionDoc) -> Vec<ScheduleTable> {
    let mut found = Vec::new();
    add(ScheduleTable { path: String::new(), header: String::new(), doc }, "", &mut found);
    found
}

/// Adds a table whose name in TOML is `name`, and those in it.
fn add(placed: ScheduleTable, name: &str, found: &mut Vec<ScheduleTable>) {
    let (doc, path) = (placed.doc, placed.path.clone());
    found.push(placed);
    for key in doc.keys {
        // TOML joins tables by dots; a list adds brackets only in its header.
        let below = if name.is_empty() { key.name.to_owned() } else { format!("{name}.{}", key.name) };
        let path = format!("{path}{}", key.name);
        match (key.kind)() {
            ValueKind::Table(doc) => {
                add(ScheduleTable { path: format!("{path}."), header: format!("[{below}]"), doc }, &below, found)
            }
            ValueKind::List(of) => {
                if let ValueKind::Table(doc) = *of {
                    let header = format!("[[{below}]]");
                    add(ScheduleTable { path: format!("{path}[]."), header, doc }, &below, found);
                }
            }
            ValueKind::Named(of) => {
                if let ValueKind::Table(doc) = *of {
                    let below = format!("{below}.<id>");
                    add(
                        ScheduleTable { path: format!("{path}.<id>."), header: format!("[{below}]"), doc },
                        &below,
                        found,
                    );
                }
            }
            ValueKind::Scalar(_) | ValueKind::Words(_) => {}
        }
    }
}

/// Lines of a doc comment as one line of text.
pub fn prose(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::Schedule;
    use super::*;

    /// A schedule of every documented key but one, with a line of its own in one table.
    fn example(without: Option<&str>, more: Option<(&str, &str)>) -> String {
        let mut text = String::new();
        for ScheduleTable { path, header, doc } in tables(&Schedule::DOC) {
            text.push_str(&header.replace("<id>", "npm"));
            text.push('\n');
            for key in doc.keys {
                let shown = key.shown.first().filter(|_| without != Some(&format!("{path}{}", key.name)));
                text.extend(shown.map(|shown| format!("{} = {}\n", key.name, shown.example)));
            }
            text.extend(more.filter(|(place, _)| *place == path).map(|(_, line)| line));
        }
        text
    }

    fn read(text: &str) -> Result<Schedule, String> {
        toml::from_str(text).map_err(|error: toml::de::Error| error.message().to_owned())
    }

    #[test]
    fn every_documented_key_is_read() {
        let text = example(None, None);
        read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }

    #[test]
    fn a_key_is_required_where_its_default_says_so() {
        for ScheduleTable { path, doc, .. } in tables(&Schedule::DOC) {
            for key in doc.keys {
                let Some(shown) = key.shown.first() else { continue };
                let name = format!("{path}{}", key.name);
                let is_required = (shown.default)() == REQUIRED;
                assert_eq!(read(&example(Some(&name), None)).is_err(), is_required, "{name}");
            }
        }
    }

    #[test]
    fn every_key_that_is_read_is_documented() {
        for ScheduleTable { path, doc, .. } in tables(&Schedule::DOC) {
            let error = read(&example(None, Some((&path, "no-such-key = 1\n")))).expect_err("refused");
            let (_, expected) = error.split_once("expected").unwrap_or_else(|| panic!("{path}: {error}"));
            let read: BTreeSet<&str> = expected.split('`').skip(1).step_by(2).collect();
            // Another name of a key stands in its meaning.
            let aliases = |key: &KeyDoc| prose(key.meaning).split('`').skip(1).step_by(2).map(str::to_owned).collect();
            let known: BTreeSet<String> =
                doc.keys.iter().flat_map(|key: &KeyDoc| -> Vec<String> { aliases(key) }).collect();
            let keys: BTreeSet<&str> = doc.keys.iter().map(|key| key.name).collect();
            assert!(keys.is_subset(&read), "{path}: {read:?}");
            let other: Vec<_> = read.difference(&keys).filter(|name| !known.contains(**name)).collect();
            assert!(other.is_empty(), "{path}: no key is documented under {other:?}");
        }
    }

    #[test]
    fn a_key_is_shown_with_meaning_default_and_example_unless_it_is_a_table() {
        for ScheduleTable { path, doc, .. } in tables(&Schedule::DOC) {
            assert!(!prose(doc.about).is_empty(), "{path}");
            for key in doc.keys {
                let has_table = match (key.kind)() {
                    ValueKind::Table(_) => true,
                    ValueKind::List(of) | ValueKind::Named(of) => matches!(*of, ValueKind::Table(_)),
                    ValueKind::Scalar(_) | ValueKind::Words(_) => false,
                };
                assert_eq!(key.shown.is_empty(), has_table, "{path}{}", key.name);
                assert!(!prose(key.meaning).is_empty(), "{path}{}", key.name);
            }
        }
    }

    #[test]
    fn every_word_that_is_documented_is_read_and_no_other() {
        for ScheduleTable { path, doc, .. } in tables(&Schedule::DOC) {
            for key in doc.keys {
                let ValueKind::Words(words) = (key.kind)() else { continue };
                let name = format!("{path}{}", key.name);
                let with =
                    |word: &str| read(&example(Some(&name), Some((&path, &format!("{} = {word:?}\n", key.name)))));
                for word in &words {
                    with(word).unwrap_or_else(|error| panic!("{name}: {error}"));
                }
                let error = with("no-such-word").expect_err("refused");
                let (_, expected) = error.split_once("expected").unwrap_or_else(|| panic!("{name}: {error}"));
                assert_eq!(expected.split('`').skip(1).step_by(2).collect::<Vec<_>>(), words, "{name}");
            }
        }
    }
}
