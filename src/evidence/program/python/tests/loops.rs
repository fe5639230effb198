//! Loops and comprehensions.

use super::*;

/// What a loop goes through, shown.
fn over(outline: &Outline, turn: FunctionId) -> String {
    match outline.functions[turn as usize].kind {
        FunctionKind::Loop { over, keys: false } => shown(outline, over),
        other => panic!("{other:?} is no loop"),
    }
}

#[test]
fn a_loop_binds_its_variable_in_the_scope_around() {
    let outline = read("for name, (a, b) in rows():\n    f(name)\nelse:\n    g()\n");
    assert_eq!(over(&outline, 0), "rows()");
    let binding = &bindings(&outline, "a")[0];
    assert!(matches!(binding.origin, Origin::Parameter(0, 0)));
    assert_eq!(binding.path, [Step::At(1), Step::At(0)]);
    assert_eq!(outline.functions[0].scope, MODULE_SCOPE);
    assert_eq!(outline.functions[0].parameters.len(), 1);
    let around: Vec<Option<FunctionId>> = outline.calls.iter().map(|id| outline.around(*id)).collect();
    assert_eq!(around, [None, Some(0), None]);
}

#[test]
fn a_function_in_a_loop_stands_inside_of_it() {
    let outline = read("for x in xs:\n    def f(): pass\n    for y in x: pass\n");
    assert_eq!(function(&outline, "f").parent, Some(0));
    assert_eq!(outline.functions[2].parent, Some(0));
    assert_eq!(outline.functions[0].parameters[0].name, "x");
}

#[test]
fn every_comprehension_is_a_loop() {
    for (text, expected) in [
        ("x = [f(y) for y in ys if g(y)]", "each 0 f(y)"),
        ("x = {y for y in ys}", "each 0 y"),
        ("x = (y async for y in ys)", "each 0 y"),
        ("x = {y.key: y for y in ys}", "each 0 y.key: y"),
    ] {
        let outline = read(text);
        assert_eq!(shown(&outline, value(&outline, "x")), expected);
        assert_eq!(over(&outline, 0), "ys");
        assert_eq!(bindings(&outline, "y").len(), 0, "{text}");
        let scope = &outline.scopes[outline.functions[0].scope as usize];
        assert!(matches!(bound_in(scope, "y")[0].origin, Origin::Parameter(0, 0)), "{text}");
    }
}

#[test]
fn the_inner_loop_stands_inside_of_the_outer() {
    let outline = read("x = [f(a, b) for a in as_ for b in a.items()]\n");
    let Node::Each { turn, .. } = outline.node(value(&outline, "x")) else { panic!("it is a comprehension") };
    assert_eq!(over(&outline, *turn), "a.items()");
    let outer = outline.functions[*turn as usize].parent.expect("it has an outer loop");
    assert_eq!(over(&outline, outer), "as_");
    assert_eq!(outline.functions[outer as usize].parent, None);
    // The calls in order: `a.items()` in the outer loop, `f(a, b)` in the inner.
    let around: Vec<Option<FunctionId>> = outline.calls.iter().map(|id| outline.around(*id)).collect();
    assert_eq!(around, [Some(outer), Some(*turn)]);
    assert_eq!(outline.around(value(&outline, "x")), None);
}
