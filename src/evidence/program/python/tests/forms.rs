//! The forms of expressions.

use super::*;

#[test]
fn text_is_joined_and_its_escapes_are_resolved() {
    assert_eq!(form("'a\\x41' \"b\""), "'aAb'");
    assert_eq!(form("b'raw'"), "?");
    assert_eq!(form("f'{a} of {b.c}'"), "joined(a, ' of ', b.c)");
    assert_eq!(form("'so ' f'{a}'"), "joined('so ', a)");
    assert_eq!(form("f'{a!r} {b:>{width()}}'"), "joined(?, ' ', ?)");
    assert_eq!(callees(&read("x = f'{b:>{width()}}'")), ["width"]);
    assert_eq!(form("'%s: %s' % (a, b)"), "joined('%s: %s', ?)");
    assert_eq!(form("'{}'.format(a)"), "'{}'.format(a)");
    assert_eq!(form("t'{f()}'"), "?");
}

#[test]
fn operators_have_forms() {
    assert_eq!(form("a + 'b' + c"), "((a + 'b') + c)");
    assert_eq!(form("root / 'etc' / name"), "((root + ('/' + 'etc')) + ('/' + name))");
    assert_eq!(form("a | b"), "(a | b)");
    assert_eq!(form("a or b or c"), "(a | b | c)");
    assert_eq!(form("a and b and c"), "c");
    assert_eq!(form("a if b else c"), "(a | c)");
    assert_eq!(form("a * b"), "?");
    assert_eq!(form("a < b"), "?");
    assert_eq!(form("not a"), "?");
}

#[test]
fn plain_values_keep_their_type() {
    assert_eq!(form("True"), "true");
    assert_eq!(form("None"), "null");
    assert_eq!(form("-1"), "-1");
    assert_eq!(form("+2"), "2");
    assert_eq!(form("-1.5"), "-1.5");
    assert_eq!(form("0x10"), "16");
    // Neither a number beyond 64 bits nor an infinite one has a value; null would say None.
    assert_eq!(form("99999999999999999999"), "?");
    assert_eq!(form("1e999"), "?");
    assert_eq!(form("2j"), "?");
}

#[test]
fn members_and_keys_are_told_apart() {
    assert_eq!(form("a.b['c'].d"), "a.b.c.d");
    assert_eq!(form("a[0]"), "a[0]");
    assert_eq!(form("a[k]"), "a[k]");
    assert_eq!(form("a[f():g()]"), "a[?]");
    assert_eq!(callees(&read("a[f():g()]")), ["f", "g"]);
    assert_eq!(form("Map[str, int]"), "Map[[str, int]]");
}

#[test]
fn types_outside_of_annotations_keep_their_text() {
    assert_eq!(form("Literal['fast']"), "Literal['fast']");
    assert_eq!(form("typing.Optional['Model']"), "typing.Optional[Model]");
}

#[test]
fn lists_and_dictionaries_keep_order_and_spreads() {
    assert_eq!(form("[a, *b]"), "[a, *b]");
    assert_eq!(form("(a, 1)"), "[a, 1]");
    assert_eq!(form("{a, 'b'}"), "[a, 'b']");
    assert_eq!(form("{'k': 1, n: 2, **more}"), "{k: 1, [n]: 2, **more}");
    let outline = read("a = {'outer': {'inner': 1}}\nb = {}");
    let objects: Vec<String> = outline.objects.iter().map(|id| shown(&outline, *id)).collect();
    assert_eq!(objects, ["{inner: 1}", "{outer: {inner: 1}}", "{}"]);
}

#[test]
fn calls_keep_all_of_their_arguments() {
    assert_eq!(form("f(a, *b, k=c, **d)"), "f(a, *b, k=c, *d)");
    assert_eq!(form("await f(1)"), "f(1)");
    assert_eq!(form("Field(...)"), "Field(Ellipsis)");
    assert_eq!(bindings(&read("Field(...)"), "Ellipsis").len(), 0);
}

#[test]
fn a_call_is_found_wherever_it_stands() {
    let text = "
assert a(), b()
raise c() from d()
while e():
    pass
if f():
    pass
elif g():
    h()
else:
    i()
try:
    j()
except k():
    l()
else:
    m()
finally:
    n()
with o(), p():
    q()
match r():
    case S(t=T.u) if v():
        w()
del x()[y()]
z() < aa() < bb()
-cc()
(dd())[ee()] = ff()
gg().hh += ii()
jj(): kk() = ll()
";
    // A value is worked out before its target.
    let expected = "a b c d e f g h i j k l m n o p q r v w x y z aa bb cc ff dd ee gg ii kk ll jj";
    assert_eq!(callees(&read(text)).join(" "), expected);
}

#[test]
fn super_has_a_form_unless_the_module_binds_it() {
    let outline = read("class A(B):\n    def f(self):\n        x = super().f\n        return super(A, self).g()");
    assert_eq!(shown(&outline, function(&outline, "f").returns[0]), "super.g()");
    assert_eq!(callees(&outline), ["super.g"]);
    assert_eq!(callees(&read("def super(): pass\nsuper()")), ["super"]);
}

#[test]
fn nodes_know_their_place() {
    let outline = read("x = 'ä'\ndef f():\n    return g()\n");
    let call = outline.calls[0];
    assert_eq!(outline.offset(call), 29);
    assert_eq!(outline.around(call), Some(number_of(&outline, "f")));
    assert_eq!(outline.around(value(&outline, "x")), None);
    assert_eq!(outline.path, "server.py");
    assert_eq!(outline.language, ModuleLanguage::Python);
}
