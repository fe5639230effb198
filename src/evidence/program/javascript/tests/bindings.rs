//! Names, loops, functions and classes.

use super::*;

#[test]
fn names_bind_where_they_are_declared() {
    let outline = script(
        "let a = 1; function f(p) { var v = 2; if (p) { let a = 3; var w = 4; function g() {} a = 5; v = 6; } }
         f.x; a += 7; unheard = 8;",
    );
    assert_eq!(scopes_of(&outline, "a").len(), 2);
    assert_eq!(bound(&outline, "a"), ["1", "+= 7", "3", "5"]);
    assert_eq!(bound(&outline, "v"), ["2", "6"]);
    let scope = outline.functions[0].scope as usize;
    assert_eq!((scopes_of(&outline, "w"), scopes_of(&outline, "g")), (vec![scope], vec![scope]));
    assert_eq!(bound(&outline, "unheard"), ["8"]);
    assert_eq!(scopes_of(&outline, "unheard"), [0]);
}

#[test]
fn a_name_may_be_assigned_before_it_is_declared() {
    let outline = script("function set() { late = 1; } let late; late++; class late2 {}");
    assert_eq!((scopes_of(&outline, "late"), bound(&outline, "late")), (vec![0], vec!["1".to_owned(), "?".to_owned()]));
    assert_eq!(bound(&outline, "late2"), ["class late2"]);
}

#[test]
fn what_is_caught_is_unknown() {
    let outline = script("try { a() } catch ({ code }) { b(code) } finally { c() }");
    assert_eq!(bound(&outline, "code"), ["?.code"]);
    assert_eq!(calls(&outline), ["a()", "b(code)", "c()"]);
}

#[test]
fn destructuring_keeps_the_way_and_the_default() {
    let outline = script(
        "const { a: [, b = 1], 'c-d': c, [k()]: e, ...f } = x; [g, { h }] = y; ({ i, j: j2 = 2, ...o.p } = z);
         function q({ r = 3 }, [s] = [], ...t) {}",
    );
    let all: Vec<_> =
        ["b", "c", "e", "f", "g", "h", "i", "j2", "r", "s", "t"].map(|name| bound(&outline, name).concat()).into();
    assert_eq!(
        all,
        [
            "x.a[1] = 1",
            "x.c-d",
            "?",
            "x...",
            "y[0]",
            "y[1].h",
            "z.i",
            "z.j = 2",
            "parameter 0.r = 3",
            "parameter 1[0]",
            "parameter 2"
        ]
    );
    assert_eq!(calls(&outline), ["k()"]);
    let parameters = &outline.functions[0].parameters;
    assert_eq!(parameters.iter().map(|parameter| parameter.name.as_str()).collect::<Vec<_>>(), ["", "", "t"]);
    assert_eq!(parameters[1].default.map(|id| show(&outline, id)).as_deref(), Some("[]"));
    assert_eq!(parameters[2].kind, ParameterKind::Rest);
}

#[test]
fn loops_stand_inside_as_functions() {
    let outline = script(
        "function f() { for (const { name, run } of tools()) { server.tool(name, run); return name; }
         for (key in map) { use(key) } for (let i = 0; i < n; i++) step(i); while (more()) { go(); break }
         do { last() } while (left()) }",
    );
    assert_eq!(functions(&outline), ["f -> name", "loop of tools()", "loop in map"]);
    assert_eq!(
        (bound(&outline, "run"), bound(&outline, "key")),
        (vec!["parameter 0.run".to_owned()], vec!["parameter 0".to_owned()])
    );
    assert_eq!(
        calls(&outline),
        ["tools()", "server.tool(name, run)", "use(key)", "step(i)", "more()", "go()", "last()", "left()"]
    );
    let around = |call: usize| outline.around(outline.calls[call]);
    assert_eq!((around(0), around(1), around(2), around(3)), (Some(0), Some(1), Some(2), Some(0)));
    assert_eq!(outline.functions[1].parent, Some(0));
}

#[test]
fn every_branch_is_walked() {
    let outline = script(
        "if (a()) b(); else if (c()) { d() } switch (e()) { case f(): g(); default: h() } l: { i() } throw j();",
    );
    assert_eq!(calls(&outline), ["a()", "b()", "c()", "d()", "e()", "f()", "g()", "h()", "i()", "j()"]);
}

#[test]
fn functions_are_named_by_what_they_are_bound_to() {
    let outline = script(
        "function a() { return 1; if (x) return 2 } const b = () => 3; const c = { d: function () {}, e() {}, get g() { return h() } };
         exports.i = async () => {}; j = function k() {}; m.n = () => 4; (() => 5)(); function* o() { yield 6; yield* p; }",
    );
    assert_eq!(
        functions(&outline),
        ["a -> 1, 2", "b -> 3", "d -> ", "e -> ", "g -> h()", "i -> ", "k -> ", "n -> 4", "? -> 5", "o -> 6"]
    );
    assert_eq!(bound(&outline, "c"), ["{d: fn d, e: fn e}"]);
    assert_eq!(outline.functions[4].kind, FunctionKind::Getter);
    // A function expression's own name is known inside of it alone.
    assert_eq!(scopes_of(&outline, "k"), [outline.functions[6].scope as usize]);
}

#[test]
fn classes_have_fields_methods_and_decorators() {
    let outline = typescript(
        "@Injectable() export abstract class A<T> extends mix(Base) {
           name = 'a'; static kind: string = 'b'; #secret = 1; open; run = async () => this.name;
           constructor(private readonly api: Api, plain: string) { super(api); this.#secret = plain; }
           get size() { return 2 } set size(x) {} static make() { return new A() }
           @Tool({ name: 'greet' }) async greet(@Arg() who) { return super.greet(who) } abstract later(): void;
           static { boot(A) } [Symbol.iterator]() {} }
         const B = class Inner { m() { return Inner } }; const C = class {};",
    );
    let class = &outline.classes[0];
    assert_eq!((class.name.as_deref(), class.is_abstract), (Some("A"), true));
    assert_eq!(class.bases.iter().map(|id| show(&outline, *id)).collect::<Vec<_>>(), ["mix(Base)"]);
    let fields: Vec<_> = class
        .fields
        .iter()
        .map(|field| format!("{} {}", field.name, field.value.map_or(String::new(), |id| show(&outline, id))))
        .collect();
    assert_eq!(fields, ["name 'a'", "kind 'b'", "#secret 1", "open ", "run fn run"]);
    let kinds: Vec<_> = class
        .methods
        .iter()
        .map(|(name, id)| {
            let function = &outline.functions[*id as usize];
            (name.as_str(), function.kind, function.is_static, function.class)
        })
        .collect();
    assert_eq!(
        kinds,
        [
            ("constructor", FunctionKind::Constructor, false, Some(0)),
            ("greet", FunctionKind::Method, false, Some(0)),
            ("make", FunctionKind::Method, true, Some(0)),
            ("size", FunctionKind::Getter, false, Some(0)),
        ]
    );
    let greet = &outline.functions[class.methods["greet"] as usize];
    assert_eq!(greet.decorators.iter().map(|id| show(&outline, *id)).collect::<Vec<_>>(), ["Tool({name: 'greet'})"]);
    assert_eq!(greet.returns.iter().map(|id| show(&outline, *id)).collect::<Vec<_>>(), ["super.greet(who)"]);
    assert_eq!(writes(&outline), ["this.api api", "this.#secret plain"]);
    assert!(calls(&outline).contains(&"boot(A)".to_owned()));
    assert_eq!(exports(&outline), ["A: A"]);
    assert_eq!(
        (bound(&outline, "B"), bound(&outline, "C")),
        (vec!["class Inner".to_owned()], vec!["class C".to_owned()])
    );
    assert_ne!(scopes_of(&outline, "Inner"), [0]);
}
