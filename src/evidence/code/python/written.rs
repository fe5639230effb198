//! Writing in Python: which files something from the network, or something decoded, is written to.
//!
//! A program that runs such a file later is thereby known to run what was fetched.

use std::collections::BTreeMap;

use rustpython_ruff_python_ast as ast;
use rustpython_ruff_text_size::Ranged;

use ast::Expr;

use super::super::Argument;
use super::super::taint::{TaintSources, TaintedArguments};
use super::PythonReader;

impl<'a> PythonReader<'a> {
    /// A file to which something from the network is written.
    pub(super) fn note_written(&mut self, name: &str, method: &str, taint: TaintedArguments, call: &'a ast::ExprCall) {
        let arguments = &call.arguments.args;
        let target = match (&*call.func, method) {
            (_, "urlretrieve") => arguments.get(1).and_then(root_of),
            (Expr::Attribute(member), "write" | "write_bytes" | "write_text")
                if taint.first.any(TaintSources::ANSWER) =>
            {
                match &*member.value {
                    Expr::Call(open) => open.arguments.args.first().and_then(root_of),
                    // Where no open file has that name, the object is the path itself: `path.write_text(…)`.
                    Expr::Name(stream) => self.streams.get(stream.id.as_str()).copied().or(Some(stream.id.as_str())),
                    _ => None,
                }
            }
            // The copy of a secret's file is as secret as the file.
            _ if is_copy(name) => {
                let copied = taint.first & (TaintSources::SECRET_PATH | TaintSources::AMBIENT_CREDENTIAL);
                match arguments.get(1) {
                    Some(Expr::StringLiteral(path)) => self.taint.write_to(path.value.to_str(), copied),
                    Some(other) => {
                        if let Some(name) = root_of(other) {
                            self.taint.assign(name, copied, true);
                        }
                    }
                    None => {}
                }
                None
            }
            _ if name == "shutil.copyfileobj" && taint.first.any(TaintSources::ANSWER) => {
                let stream = arguments.get(1).and_then(root_of);
                stream.and_then(|stream| self.streams.get(stream).copied())
            }
            _ => None,
        };
        if let Some(target) = target {
            self.taint.assign(target, TaintSources::FETCHED_FILE, true);
        }
        self.note_packed(name, method, taint, call);
        if let Some(path) = written_path(method, call, &self.literal_streams) {
            self.taint.write_to(
                path,
                if method == "urlretrieve" { TaintSources::FETCHED_FILE } else { taint.first.in_file() },
            );
        }
    }

    /// An archive into which a secret's file is put is as secret as the file.
    fn note_packed(&mut self, name: &str, method: &str, taint: TaintedArguments, call: &'a ast::ExprCall) {
        let packed = TaintSources::SECRET_PATH | TaintSources::SECRET;
        if !taint.arguments().any(packed) {
            return;
        }
        if name == "shutil.make_archive" {
            let plain = |at: usize| match call.arguments.args.get(at) {
                Some(Expr::StringLiteral(text)) => Some(text.value.to_str()),
                _ => None,
            };
            if let (Some(base), Some(kind)) = (plain(0), plain(1)) {
                let ending = if kind == "gztar" { "tar.gz" } else { kind };
                self.taint.write_to(&format!("{base}.{ending}"), TaintSources::SECRET_PATH);
            }
        } else if let (Expr::Attribute(member), "add" | "write" | "writestr" | "addfile") = (&*call.func, method)
            && let Expr::Name(archive) = &*member.value
        {
            if let Some(path) = self.streams.get(archive.id.as_str()).copied() {
                // The name of a file on the disk, or of bytes in memory: either is sent as it is.
                self.taint.assign(path, packed, true);
            }
            if let Some(path) = self.literal_streams.get(archive.id.as_str()).copied() {
                self.taint.write_to(path, TaintSources::SECRET_PATH);
            }
        } else if name.starts_with("subprocess.") || name == "os.system" {
            let shape = call.arguments.args.first().map(|command| self.shape(command, 0));
            if let Some(Argument::Literal(command) | Argument::Composed(command)) = shape {
                let packs = ["tar ", "zip ", "7z "].iter().any(|packer| command.contains(packer));
                let archives = command.split_whitespace().filter(|word| {
                    [".tgz", ".tar.gz", ".tar", ".zip", ".7z"].iter().any(|ending| word.ends_with(ending))
                });
                archives.filter(|_| packs).for_each(|path| self.taint.write_to(path, TaintSources::SECRET_PATH));
            }
        }
    }

    /// Keeps what is secret, or was given to a tool, where it is written to a file that the text names.
    pub(super) fn keep_stored(&mut self, name: &str, method: &str, taint: TaintedArguments, call: &'a ast::ExprCall) {
        let kept = TaintSources::SECRET | TaintSources::ENVIRONMENT | TaintSources::TOOL_INPUT;
        let (data, stream) = match (name, method, &*call.func) {
            ("json.dump" | "pickle.dump" | "yaml.dump", ..) => (taint.first, call.arguments.args.get(1)),
            (_, "write" | "writelines" | "write_text" | "write_bytes", Expr::Attribute(member)) => {
                (taint.first, Some(&*member.value))
            }
            _ => return,
        };
        if !data.any(kept | TaintSources::ANSWER) {
            return;
        }
        let path = match stream {
            Some(Expr::Name(stream)) => self.opened.get(stream.id.as_str()).copied(),
            Some(Expr::Call(open)) => open.arguments.args.first(),
            _ => None,
        };
        let Some(path) = path else { return };
        let shape = self.shape(path, 0);
        // What comes over the network is followed to the program's own file alone.
        let itself = matches!(&shape, Argument::Name(name) if name == "__file__");
        if itself || (data.any(kept) && matches!(shape, Argument::Literal(_) | Argument::Composed(_))) {
            let taint = TaintedArguments { rest: data, ..TaintedArguments::default() };
            self.keep("stored".to_owned(), vec![shape], taint, call.range());
        }
    }

    /// `with open(path, "wb") as f`, `f = open(path, "wb")`.
    pub(super) fn note_stream(&mut self, target: &'a Expr, value: &'a Expr) {
        // Later writes name the open file alone, so its path has to be kept here.
        let (Expr::Name(stream), Expr::Call(call)) = (target, value) else { return };
        let opens = match &*call.func {
            Expr::Name(name) => matches!(name.id.as_str(), "open" | "ZipFile"),
            Expr::Attribute(member) => matches!(member.attr.as_str(), "open" | "ZipFile" | "TarFile"),
            _ => false,
        };
        // `tarfile.open(fileobj=buffer, mode="w:gz")` writes into memory.
        let buffer = || {
            let named = call.arguments.keywords.iter();
            named
                .filter(|keyword| keyword.arg.as_ref().is_some_and(|name| name == "fileobj"))
                .map(|keyword| &keyword.value)
                .next()
        };
        let Some(first) = call.arguments.args.first().or_else(buffer).filter(|_| opens) else { return };
        self.opened.insert(stream.id.as_str(), first);
        if let Some(path) = root_of(first) {
            self.streams.insert(stream.id.as_str(), path);
        } else if let Expr::StringLiteral(path) = first {
            self.literal_streams.insert(stream.id.as_str(), path.value.to_str());
        }
    }
}

/// True where a call copies one file to the path of another.
fn is_copy(name: &str) -> bool {
    matches!(name, "shutil.copy" | "shutil.copy2" | "shutil.copyfile" | "shutil.move")
}

/// The path in plain text that a call writes to.
fn written_path<'x>(method: &str, call: &'x ast::ExprCall, streams: &BTreeMap<&'x str, &'x str>) -> Option<&'x str> {
    let plain = |expression: Option<&'x Expr>| match expression {
        Some(Expr::StringLiteral(path)) => Some(path.value.to_str()),
        _ => None,
    };
    match (&*call.func, method) {
        (_, "urlretrieve") => plain(call.arguments.args.get(1)),
        (Expr::Attribute(member), "write" | "write_bytes" | "write_text") => match &*member.value {
            Expr::Call(open) => plain(open.arguments.args.first()),
            Expr::Name(stream) => streams.get(stream.id.as_str()).copied(),
            _ => None,
        },
        _ => None,
    }
}

/// The name that a question is about: that at the root, also through what is made of it (`Path(a).resolve().parent`).
pub(super) fn asked_root(expression: &Expr) -> Option<&str> {
    let mut rest = expression;
    loop {
        rest = match rest {
            Expr::Attribute(member) => &member.value,
            Expr::Subscript(subscript) => &subscript.value,
            Expr::Call(call) => match &*call.func {
                Expr::Attribute(member) if root_of(&member.value).is_none_or(|name| !is_module(name)) => &member.value,
                _ => call.arguments.args.first()?,
            },
            _ => return root_of(rest),
        };
    }
}

/// Modules whose functions make a path of their argument.
fn is_module(name: &str) -> bool {
    matches!(name, "os" | "pathlib")
}

/// The name at the root of `a.b[c].d`.
pub(super) fn root_of(expression: &Expr) -> Option<&str> {
    let mut rest = expression;
    loop {
        rest = match rest {
            Expr::Name(name) => return Some(name.id.as_str()),
            Expr::Attribute(member) => &member.value,
            Expr::Subscript(subscript) => &subscript.value,
            _ => return None,
        };
    }
}
