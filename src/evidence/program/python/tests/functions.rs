//! Functions: parameters, results and kinds.

use super::*;

#[test]
fn parameters_have_kinds_annotations_and_defaults() {
    let outline = read("def f(a, b: int = 1, /, c='x', *d, e: str, g=None, **h): pass\n");
    let shapes: Vec<(&str, ParameterKind)> =
        function(&outline, "f").parameters.iter().map(|one| (one.name.as_str(), one.kind)).collect();
    let plain = ParameterKind::Plain;
    let by_name = ParameterKind::KeywordOnly;
    let expected = [
        ("a", plain),
        ("b", plain),
        ("c", plain),
        ("d", ParameterKind::Rest),
        ("e", by_name),
        ("g", by_name),
        ("h", ParameterKind::KeywordRest),
    ];
    assert_eq!(shapes, expected);
    let parameters = &function(&outline, "f").parameters;
    assert_eq!(parameters[1].annotation.map(|id| shown(&outline, id)).as_deref(), Some("int"));
    assert_eq!(parameters[1].default.map(|id| shown(&outline, id)).as_deref(), Some("1"));
    assert_eq!(parameters[2].default.map(|id| shown(&outline, id)).as_deref(), Some("'x'"));
    assert_eq!(parameters[5].default.map(|id| shown(&outline, id)).as_deref(), Some("null"));
    assert_eq!(parameters[0].annotation, None);
}

#[test]
fn parameters_are_bound_by_place() {
    let outline = read("def f(a, *b, c):\n    return c\n");
    let scope = &outline.scopes[function(&outline, "f").scope as usize];
    for (index, name) in ["a", "b", "c"].into_iter().enumerate() {
        let Origin::Parameter(0, place) = bound_in(scope, name)[0].origin else { panic!("{name} is a parameter") };
        assert_eq!(place, index);
    }
}

fn annotation(text: &str) -> String {
    let outline = read(&format!("def f(x: {text}): pass\n"));
    shown(&outline, function(&outline, "f").parameters[0].annotation.expect("x has an annotation"))
}

#[test]
fn annotations_are_types() {
    assert_eq!(annotation("'models.Query'"), "models.Query");
    assert_eq!(annotation("'a b'"), "'a b'");
    assert_eq!(annotation("int | 'Q' | None"), "((int | Q) | null)");
    assert_eq!(annotation("dict[str, list['Q']]"), "dict[[str, list[Q]]]");
    assert_eq!(annotation("Literal['a', 'b']"), "Literal[['a', 'b']]");
    assert_eq!(annotation("Annotated['Q', 'how much', Field(ge=0)]"), "Annotated[[Q, 'how much', Field(ge=0)]]");
    assert_eq!(annotation("Callable[['Q'], None]"), "Callable[[[Q], null]]");
}

#[test]
fn results_of_loops_and_branches_are_those_of_the_function() {
    let text = "
async def f(xs):
    if a:
        return 'one'
    async for x in xs:
        while b:
            yield 'two'
        [(yield 'three') for y in x]
    yield from others
    return
";
    let outline = read(text);
    let returns: Vec<String> = function(&outline, "f").returns.iter().map(|id| shown(&outline, *id)).collect();
    assert_eq!(returns, ["'one'", "'two'", "'three'", "others[?]"]);
    let loops = outline.functions.iter().filter(|one| matches!(one.kind, FunctionKind::Loop { .. }));
    assert!(loops.clone().all(|one| one.returns.is_empty()));
    assert_eq!(loops.count(), 2);
}

#[test]
fn a_function_keeps_its_own_results() {
    let outline = read("def f():\n    def g():\n        return 1\n    h = lambda: 2\n    return g\n");
    assert_eq!(function(&outline, "f").returns.len(), 1);
    assert_eq!(function(&outline, "g").parent, Some(number_of(&outline, "f")));
    assert_eq!(shown(&outline, function(&outline, "h").returns[0]), "2");
}

#[test]
fn docstrings_lose_their_indentation() {
    let outline = read("def f():\n    '''Adds.\n\n      More:\n        deep\n    '''\n");
    assert_eq!(function(&outline, "f").doc.as_deref(), Some("Adds.\n\nMore:\n  deep"));
    assert_eq!(function(&read("def f():\n    1\n"), "f").doc, None);
}

#[test]
fn decorators_are_expressions_outermost_first() {
    let outline = read("@app.tool(name='x')\n@cached\ndef f(): pass\n");
    let decorators: Vec<String> = function(&outline, "f").decorators.iter().map(|id| shown(&outline, *id)).collect();
    assert_eq!(decorators, ["app.tool(name='x')", "cached"]);
    assert_eq!(outline.around(function(&outline, "f").decorators[0]), None);
}

#[test]
fn lambdas_are_named_by_what_they_are_first_bound_to() {
    let outline = read("a = lambda x, y=1: x\nb = a\nc = {'d': lambda: 0}\ne.g = lambda: 0\nh = [lambda: 0]\n");
    let names: Vec<Option<&str>> = outline.functions.iter().map(|function| function.name.as_deref()).collect();
    assert_eq!(names, [Some("a"), Some("d"), Some("g"), None]);
    let lambda = function(&outline, "a");
    assert_eq!(lambda.kind, FunctionKind::Plain);
    assert_eq!(lambda.parameters.len(), 2);
    assert_eq!(lambda.returns.len(), 1);
    assert!(matches!(outline.node(lambda.returns[0]), Node::Name(_, scope) if *scope == lambda.scope));
}

#[test]
fn kinds_follow_class_and_decorators() {
    let text = "
class C:
    def __init__(self): pass
    def m(self): pass
    @property
    def p(self): pass
    @p.setter
    def p(self, value): pass
    @functools.cached_property
    def q(self): pass
    @staticmethod
    def s(): pass
    @classmethod
    async def k(cls): pass
    def outer(self):
        def inner(): pass
def __init__(): pass
";
    let outline = read(text);
    assert_eq!(function(&outline, "m").kind, FunctionKind::Method);
    assert_eq!(function(&outline, "q").kind, FunctionKind::Getter);
    assert_eq!(function(&outline, "inner").kind, FunctionKind::Plain);
    assert_eq!(function(&outline, "inner").class, None);
    assert_eq!(function(&outline, "m").class, Some(0));
    assert!(function(&outline, "s").is_static && function(&outline, "k").is_static);
    assert!(!function(&outline, "m").is_static);
    let methods = &class(&outline, "C").methods;
    let kind = |name: &str| outline.functions[methods[name] as usize].kind;
    assert_eq!(kind("__init__"), FunctionKind::Constructor);
    // The setter does not take the place of the getter.
    assert_eq!(kind("p"), FunctionKind::Getter);
    assert_eq!(outline.functions.last().map(|function| function.kind), Some(FunctionKind::Plain));
}

#[test]
fn type_parameters_stand_for_nothing() {
    let outline = read("T = 1\ndef f[T: bound()](x: T) -> result():\n    return T\n");
    assert_eq!(callees(&outline), ["bound", "result"]);
    let scope = &outline.scopes[function(&outline, "f").scope as usize];
    assert!(matches!(bound_in(scope, "T")[0].origin, Origin::Unknown));
}
