//! Imports and modules that are loaded by name.

use super::*;

fn imported(outline: &Outline, name: &str) -> (String, Option<String>) {
    match &bindings(outline, name)[0].origin {
        Origin::Import(it) => (it.module.clone(), it.name.clone()),
        other => panic!("{name} is bound to {other:?}"),
    }
}

fn pair(module: &str, name: Option<&str>) -> (String, Option<String>) {
    (module.to_owned(), name.map(str::to_owned))
}

#[test]
fn imports_bind_modules_and_their_names() {
    let text = "
import a.b
import a.c as d
from .e import f as g
from . import h
from ...i.j import k
from a import l
import a.b
";
    let outline = read(text);
    assert_eq!(imported(&outline, "a"), pair("a", None));
    assert_eq!(imported(&outline, "d"), pair("a.c", None));
    assert_eq!(imported(&outline, "g"), pair(".e", Some("f")));
    assert_eq!(imported(&outline, "h"), pair(".", Some("h")));
    assert_eq!(imported(&outline, "k"), pair("...i.j", Some("k")));
    assert_eq!(imported(&outline, "l"), pair("a", Some("l")));
    assert_eq!(outline.imports, ["a.b", "a.c", ".e", ".", "...i.j", "a"]);
    assert!(!outline.loads_unknown);
}

#[test]
fn stars_export_everything_again() {
    let outline = read("from .a import *\ntry:\n    from b import *\nexcept E:\n    from .a import *\n");
    assert_eq!(outline.exported_modules, [".a", "b"]);
    assert_eq!(outline.imports, [".a", "b"]);
    assert_eq!(outline.scopes[0].names.names().count(), 0);
    assert!(outline.exports.is_empty());
}

#[test]
fn imports_inside_of_functions_bind_there() {
    let outline = read("def f():\n    from .x import y\n");
    assert_eq!(bindings(&outline, "y").len(), 0);
    assert_eq!(bound_in(&outline.scopes[function(&outline, "f").scope as usize], "y").len(), 1);
    assert_eq!(outline.imports, [".x"]);
}

#[test]
fn modules_are_loaded_by_name() {
    for call in [
        "import importlib\nx = importlib.import_module('.a', package=p)",
        "import importlib as il\nx = il.import_module(name='.a')",
        "from importlib import import_module as load\nx = load('.a')",
        "x = __import__('.a')",
    ] {
        let outline = read(call);
        assert_eq!(shown(&outline, value(&outline, "x")), "module .a", "{call}");
        assert_eq!(outline.imports.last().map(String::as_str), Some(".a"), "{call}");
        assert!(!outline.loads_unknown, "{call}");
    }
}

#[test]
fn a_module_without_a_written_name_is_not_known() {
    let outline = read("import importlib\nx = importlib.import_module('a.' + name())\n");
    assert!(outline.loads_unknown);
    assert_eq!(callees(&outline), ["name", "importlib.import_module"]);
    // A method of that name loads no module.
    let other = read("x = tools.import_module(y)\n");
    assert!(!other.loads_unknown);
}

#[test]
fn the_dots_of_an_import_are_bounded() {
    let outline = read(&format!("from {}x import y\n", ".".repeat(10_000)));
    assert!(outline.imports[0].len() < 100, "{}", outline.imports[0].len());
}
