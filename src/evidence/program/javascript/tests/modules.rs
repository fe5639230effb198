//! Imports, exports and enums.

use super::*;

#[test]
fn imports_bind_names_of_modules() {
    let outline = typescript(
        "import a, { b as c, type T } from 'm'; import * as d from 'n'; import 'o'; import type { U } from 'p';
         import { type V } from 'q'; import e = require('r'); import g = d.h.i;",
    );
    let all: Vec<_> = ["a", "c", "d", "e", "g", "T", "U", "V"].map(|name| bound(&outline, name).concat()).into();
    assert_eq!(all, ["import default of m", "import b of m", "import * of n", "import * of r", "d.h.i", "", "", ""]);
    assert_eq!(outline.imports, ["m", "n", "o", "r"]);
}

#[test]
fn exports_stand_for_what_is_exported() {
    let outline = typescript(
        "export const a = 1, { b, c: [d] } = x; export function f() {} export { a as g, type T }; export class K {}
         export { h, default as i } from './m'; export * from './n'; export * as j from './o'; export default { l: 1 };
         export type { U }; export interface V {} export type { W } from './p'; export declare const y: string;
         export enum E { A }",
    );
    assert_eq!(
        exports(&outline),
        [
            "E: E",
            "K: K",
            "a: a",
            "b: b",
            "d: d",
            "default: {l: 1}",
            "f: f",
            "g: a",
            "h: <./m>.h",
            "i: <./m>.default",
            "j: <./o>"
        ]
    );
    assert_eq!(outline.exported_modules, ["./n"]);
    assert_eq!(outline.imports, ["./m", "./n", "./o"]);
    assert_eq!(exports(&script("export default function () { return 1 }")), ["default: fn "]);
    assert_eq!(exports(&script("export default class Named {}")), ["default: Named"]);
    assert_eq!(exports(&typescript("export = x")), ["=: x"]);
}

#[test]
fn commonjs_exports_the_last_value_that_says_something() {
    let outline = script(
        "Object.defineProperty(exports, '__esModule', { value: true }); exports.a = exports.b = void 0;
         exports.a = 1; exports.a = tools; exports['c'] = () => 2; module.exports.d = 3; exports.a.push(exports.d);
         Object.defineProperty(exports, 'e', { enumerable: true, get: function () { return m.e; } });
         __exportStar(require('./n'), exports); tslib_1.__exportStar(require('./o'), exports);",
    );
    assert_eq!(exports(&outline), ["a: tools", "c: fn c", "d: 3", "e: m.e"]);
    assert_eq!(outline.exported_modules, ["./n", "./o"]);
    assert_eq!(bound(&outline, "exports.a"), ["1", "tools"]);
    assert_eq!(writes(&outline), ["exports.a <- exports.d"]);
    assert_eq!(exports(&script("module.exports = { a, b: 1 }")), ["=: {a: a, b: 1}"]);
    assert_eq!(exports(&script("exports = module.exports = main")), ["=: main"]);
    assert_eq!(exports(&script("exports.a = void 0")), [""; 0]);
}

#[test]
fn a_bundled_module_exports_nothing_from_the_bundle() {
    let text = "var inner = __commonJS({ 'a.js'(exports, module) { exports.a = 1; module.exports = 2; } });";
    let outline = script(text);
    assert_eq!(exports(&outline), [""; 0]);
    assert_eq!(writes(&outline), ["exports.a 1", "module.exports 2"]);
    let factory =
        script("(function (factory) { factory(require, exports) })(function (require, exports) { exports.a = 1 })");
    assert_eq!(exports(&factory), ["a: 1"]);
}

#[test]
fn tables_of_exports_are_read() {
    let outline = script(
        "var src_exports = {}; __export(src_exports, { a: () => a, b: () => b2 });
         module.exports = __toCommonJS(src_exports); var other = {}; __export(other, { c: () => c });
         0 && (module.exports = { a, b });",
    );
    assert_eq!(exports(&outline), ["a: a", "b: b2"]);
    assert_eq!(writes(&outline), ["src_exports.a a", "src_exports.b b2", "other.c c"]);
    assert_eq!(exports(&script("_export(exports, { a: function () { return a1 } })")), ["a: a1"]);
}

#[test]
fn modules_are_loaded_in_many_ways() {
    let outline = script(
        "const a = require('a'), b = await import('b'), c = __importDefault(require('c')), d = __toESM(require(`d`)),
         e = (0, tslib.__importStar)(require('e')); const load = createRequire(import.meta.url);
         const f = load('f'), g = createRequire(import.meta.url)('g').h; import('i').then(use);",
    );
    let all: Vec<_> = ["a", "b", "c", "d", "e", "f", "g"].map(|name| bound(&outline, name).concat()).into();
    assert_eq!(all, ["<a>", "<b>", "<c>", "<d>", "<e>", "<f>", "<g>.h"]);
    assert_eq!(outline.imports, ["a", "b", "c", "d", "e", "f", "g", "i"]);
    assert!(!outline.loads_unknown);
    for text in ["require(x)", "import(`./${x}.js`)", "require('./' + x)"] {
        let outline = script(text);
        assert!(outline.loads_unknown && outline.calls.len() == 1, "{text}");
    }
}

#[test]
fn enums_are_objects() {
    let outline = typescript("enum X { A = 'a', 'B-C' = 5, D } enum Y { A, B }");
    assert_eq!(bound(&outline, "X"), ["{A: 'a', B-C: 5, D: 6}"]);
    assert_eq!(bound(&outline, "Y"), ["{A: 0, B: 1}"]);
    let outline = typescript("namespace N { export const a = b(); const c = 1; export function d() {} } export { N }");
    assert_eq!(bound(&outline, "N"), ["{a: a, d: d}"]);
    assert_eq!(exports(&outline), ["N: N"]);
}

#[test]
fn compiled_enums_write_to_the_outer_name() {
    let plain = "var X; (function (X) { X['A'] = 'a'; X[X['B'] = 0] = 'B'; })(X || (X = {}));";
    let outline = script(plain);
    assert_eq!(bound(&outline, "X"), ["{}"]);
    assert_eq!(writes(&outline), ["X.A 'a'", "X[0] 'B'", "X.B 0"]);
    assert_eq!(scopes_of(&outline, "X"), [0]);
    let bundled =
        script("var X = (X2 => { X2['A'] = 'a'; return X2 })(X || {}); var Y; (e => { e.A = 'a' })(Y || (Y = {}));");
    assert_eq!((bound(&bundled, "X"), bound(&bundled, "Y")), (vec!["{}".to_owned()], vec!["{}".to_owned()]));
    assert_eq!(writes(&bundled), ["X.A 'a'", "Y.A 'a'"]);
    for export in ["X || (exports.X = X = {})", "X = exports.X || (exports.X = {})"] {
        let outline = script(&format!("var X; (function (X) {{ X.A = 'a'; }})({export});"));
        assert_eq!(exports(&outline), ["X: X"], "{export}");
        assert_eq!(writes(&outline), ["X.A 'a'"], "{export}");
    }
}
