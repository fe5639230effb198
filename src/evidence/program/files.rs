//! Files of the package that a program reads: JSON tables and texts.

use serde_json::Value as Json;

use super::Program;
use super::value::{Given, Made, UNTOLD, Value, join};
use crate::manifest::{around, folder_of, join as join_paths};

/// The largest file that is read as a table.
const MAX_TABLE: usize = 8 * 1024 * 1024;

impl Program<'_> {
    /// A file of the bundle as an import brings it: JSON as its value, other text as it is.
    pub(super) fn file(&self, path: &str) -> Value {
        let Some(document) = self.documents.get(path) else { return Value::Unknown };
        if path.ends_with(".json") { self.table(&document.text) } else { Value::text(document.text.as_str()) }
    }

    fn table(&self, text: &str) -> Value {
        // A large table costs as much as it holds.
        if text.len() > MAX_TABLE || !self.spend(text.len() / 64) {
            return Value::Unknown;
        }
        serde_json::from_str::<Json>(text.trim_start_matches('\u{feff}'))
            .map_or(Value::Unknown, |json| Value::of_json(&json))
    }

    /// The text of the file at a path that is put together at run time: by what is known of its end.
    pub(super) fn file_at(&self, module: usize, path: &str) -> Option<Value> {
        let tail = path.rsplit(UNTOLD).next().unwrap_or(path).trim_start_matches('/');
        let own = self.outlines.get(module).map(|outline| outline.path.as_str()).unwrap_or_default();
        if tail.is_empty() {
            return None;
        }
        let beside = around(folder_of(own)).filter_map(|folder| join_paths(folder, tail));
        let plain: String =
            tail.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect::<Vec<_>>().join("/");
        let found = beside.into_iter().find(|path| self.documents.contains_key(path)).or_else(|| {
            // Sources are copied elsewhere by a build, their data with them.
            let ends = |path: &&String| {
                path.strip_suffix(plain.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('/'))
            };
            self.documents.keys().find(ends).cloned()
        })?;
        Some(Value::text(self.documents.get(&found)?.text.as_str()))
    }

    /// The calls by which programs read files and put paths together.
    pub(super) fn file_call(&self, module: usize, path: &str, given: &Given) -> Option<Value> {
        let first = given.positional.first();
        match path.rsplit('.').next().unwrap_or_default() {
            "readFileSync" | "readFile" | "readTextFile" | "readTextFileSync" => self.read(module, first?),
            "parse" if path.starts_with("JSON") => self.parsed(module, first?),
            "loads" | "load" | "safe_load" | "readJsonSync" | "readJson" | "readJSON" => self.parsed(module, first?),
            "join" | "resolve" | "normalize" if !given.positional.is_empty() && is_path(path) => {
                let mut pieces = Vec::new();
                for (at, part) in given.positional.iter().enumerate() {
                    if at > 0 {
                        pieces.push(Value::text("/").as_piece());
                    }
                    pieces.push(part.as_piece());
                }
                Some(Value::Text(std::rc::Rc::new(join(pieces))))
            }
            "fileURLToPath" | "URL" | "Path" | "PurePath" | "pathToFileURL" => match first {
                Some(text @ Value::Text(_)) => Some(text.clone()),
                Some(Value::Made(made)) => made.given.positional.first().cloned(),
                _ => None,
            },
            "get_data" | "read_text" | "read_binary" => self.read(module, given.positional.get(1)?),
            _ => None,
        }
    }

    /// The methods of an open file or path.
    pub(super) fn file_method(&self, module: usize, made: &Made, method: &str) -> Option<Value> {
        let opener = made.by.rsplit('.').next().unwrap_or_default();
        if !matches!(opener, "open" | "Path" | "files" | "joinpath" | "file" | "URL") {
            return None;
        }
        match method {
            "read" | "read_text" | "text" | "open" => self.read(module, made.given.positional.first()?),
            "json" => self.parsed(module, made.given.positional.first()?),
            "joinpath" => self.file_call(module, "path.join", &made.given),
            _ => None,
        }
    }

    fn read(&self, module: usize, path: &Value) -> Option<Value> {
        match path {
            Value::Text(text) => self.file_at(module, &text.text),
            Value::Made(made) => self.file_at(module, &made.given.positional.first()?.as_piece().text),
            _ => None,
        }
    }

    /// The value of JSON text, or of an open file that holds it.
    fn parsed(&self, module: usize, text: &Value) -> Option<Value> {
        match text {
            Value::Text(text) if text.whole => match self.table(&text.text) {
                Value::Unknown => None,
                value => Some(value),
            },
            Value::Made(made) => match self.read(module, made.given.positional.first()?)? {
                Value::Text(text) => Some(self.table(&text.text)),
                _ => None,
            },
            _ => None,
        }
    }
}

fn is_path(path: &str) -> bool {
    path.contains("path") || path == "join" || path == "resolve"
}
