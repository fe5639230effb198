//! What binds a name, and in which scope.

use super::*;

#[test]
fn a_name_has_a_binding_for_each_assignment() {
    let outline = read("a = b = 'x'\na: str = 'y'\nc: str\n");
    assert_eq!(bindings(&outline, "a").len(), 2);
    assert_eq!(shown(&outline, value(&outline, "a")), "'y'");
    assert_eq!(shown(&outline, value(&outline, "b")), "'x'");
    assert_eq!(bindings(&outline, "c").len(), 0);
}

#[test]
fn what_is_added_is_told_from_what_is_assigned() {
    let outline = read("a = 'x'\na += 'y'\nb = 1\nb -= 1\nd = {}\nd |= {'k': 1}\n");
    let Origin::Added(added) = bindings(&outline, "a")[1].origin else { panic!("it is added") };
    assert_eq!(shown(&outline, added), "'y'");
    assert!(matches!(bindings(&outline, "b")[1].origin, Origin::Unknown));
    assert_eq!(bindings(&outline, "d").len(), 1);
    assert!(matches!(outline.writes[0].part, Part::Elements));
    assert_eq!(shown(&outline, outline.writes[0].value), "{k: 1}");
}

#[test]
fn tuples_are_taken_apart_by_path() {
    let outline = read("a, (b, *c) = f()\n*d, e = g()\n[h] = i\n");
    let path = |name: &str| bindings(&outline, name)[0].path.clone();
    assert_eq!(path("a"), [Step::At(0)]);
    assert_eq!(path("b"), [Step::At(1), Step::At(0)]);
    assert_eq!(path("c"), [Step::At(1), Step::Rest]);
    assert_eq!(path("d"), [Step::Rest]);
    assert_eq!(path("h"), [Step::At(0)]);
    // How many elements `d` takes is not known.
    assert!(matches!(bindings(&outline, "e")[0].origin, Origin::Unknown));
    assert_eq!(shown(&outline, value(&outline, "a")), "f()");
}

#[test]
fn walrus_binds_outside_of_comprehensions() {
    let outline = read("def f(xs):\n    return [y for x in xs if (y := g(x))]\n");
    let scope = &outline.scopes[function(&outline, "f").scope as usize];
    assert!(matches!(bound_in(scope, "y")[0].origin, Origin::Expression(_)));
    assert_eq!(bindings(&outline, "y").len(), 0);
    let outline = read("if (z := h()):\n    pass\n");
    assert_eq!(shown(&outline, value(&outline, "z")), "h()");
}

#[test]
fn contexts_and_errors_are_not_known_but_open_files_are() {
    let text = "
with open(p) as a, session() as b, path.open() as c, pair() as (d, e):
    pass
try:
    pass
except E as f:
    pass
del g
match s:
    case [h, *i]: pass
    case {'k': j, **k}: pass
    case C(l, m=n) | C(l, n) as o: pass
";
    let outline = read(text);
    assert_eq!(shown(&outline, value(&outline, "a")), "open(p)");
    assert_eq!(shown(&outline, value(&outline, "c")), "path.open()");
    for name in ["b", "d", "e", "f", "g", "h", "i", "j", "k", "l", "n", "o"] {
        assert!(matches!(bindings(&outline, name)[0].origin, Origin::Unknown), "{name}");
    }
    assert_eq!(bindings(&outline, "m").len(), 0);
}

#[test]
fn global_and_nonlocal_bind_outside() {
    let text = "
def f():
    global a
    a = 1
    b = 2
    def g():
        nonlocal b
        b = 3
        c = a
";
    let outline = read(text);
    assert_eq!(shown(&outline, value(&outline, "a")), "1");
    let scope = |name: &str| &outline.scopes[function(&outline, name).scope as usize];
    assert_eq!(bound_in(scope("f"), "b").len(), 2);
    assert_eq!(bound_in(scope("f"), "a").len(), 0);
    assert_eq!(bound_in(scope("g"), "b").len(), 0);
    assert_eq!(bound_in(scope("g"), "c").len(), 1);
}

#[test]
fn a_global_name_is_looked_up_in_the_module() {
    let text = "def f():\n    x = 1\n    def g():\n        global x\n        return x\n";
    let outline = read(text);
    let returned = function(&outline, "g").returns[0];
    assert!(matches!(outline.node(returned), Node::Name(name, MODULE_SCOPE) if &**name == "x"));
}

#[test]
fn definitions_bind_their_names() {
    let outline = read("def f(): pass\nclass C: pass\n");
    assert!(matches!(bindings(&outline, "f")[0].origin, Origin::Function(0)));
    assert!(matches!(bindings(&outline, "C")[0].origin, Origin::Class(0)));
}

#[test]
fn a_class_hides_its_names_from_its_methods() {
    let text = "
def f():
    class C:
        x = 1
        y = x
        def m(self, z=x):
            return x
        class D:
            w = x
        v = [x for _ in x]
";
    let outline = read(text);
    let around = function(&outline, "f").scope;
    let method = function(&outline, "m");
    assert_eq!(outline.scopes[method.scope as usize].parent, Some(around));
    let scope_of = |id: NodeId| match outline.node(id) {
        Node::Name(_, scope) => *scope,
        other => panic!("{other:?} is no name"),
    };
    let fields = &class(&outline, "C").fields;
    let body = scope_of(fields[1].value.expect("y has a value"));
    assert_eq!(outline.scopes[body as usize].parent, Some(around));
    assert_eq!(scope_of(method.parameters[1].default.expect("z has a default")), body);
    assert_eq!(scope_of(method.returns[0]), method.scope);
    let inner = scope_of(class(&outline, "D").fields[0].value.expect("w has a value"));
    assert_eq!(outline.scopes[inner as usize].parent, Some(around));
    let Node::Each { turn, value, .. } = outline.node(fields[2].value.expect("v has a value")) else {
        panic!("v is a comprehension")
    };
    assert_eq!(outline.scopes[scope_of(*value) as usize].parent, Some(around));
    let FunctionKind::Loop { over, .. } = outline.functions[*turn as usize].kind else { panic!("it is a loop") };
    assert_eq!(scope_of(over), body);
}

#[test]
fn aliases_of_types_are_types() {
    let outline = read("type A = 'B' | None\ntype L[T: f()] = list[T]\n");
    assert_eq!(shown(&outline, value(&outline, "A")), "(B | null)");
    assert_eq!(shown(&outline, value(&outline, "L")), "list[T]");
    assert_eq!(callees(&outline), ["f"]);
}
