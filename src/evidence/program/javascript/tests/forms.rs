//! Expressions, writes, and texts of any kind.

use super::*;

#[test]
fn members_and_additions_are_writes() {
    let outline = script(
        "a.b = 1; a['c'] = 2; a[k] = 3; a.push(4, ...l); a.unshift(5); s.add(6); m.set('n', 7); this.x = 8; a.t += 9;
         a.u ??= 10; a.v--; [a.w] = z; Object.assign(a, b); map.set(only); f(a.y = g());",
    );
    assert_eq!(
        writes(&outline),
        [
            "a.b 1",
            "a.c 2",
            "a[k] 3",
            "a <- 4",
            "a <-... l",
            "a <- 5",
            "s <- 6",
            "m['n'] 7",
            "this.x 8",
            "a.t <-... 9",
            "a.u 10",
            "a.v ?",
            "a.w ?",
            "a.y g()"
        ]
    );
    assert_eq!(outline.calls.len(), 8);
}

#[test]
fn expressions_have_their_forms() {
    let cases = [
        ("'a\\n' + b + 1", "(('a\n' + b) + 1)"),
        ("`a${b}c`", "`'a' b 'c'`"),
        ("`plain\\t`", "'plain\t'"),
        ("dedent`a`", "dedent(`'a'`)"),
        ("a && b", "b"),
        ("(a || b) ?? c", "((a | b) | c)"),
        ("a ? b : c", "(b | c)"),
        ("(a, b)", "b"),
        ("[!0, !1, -1.5, 2, void 0, undefined, null, true, 10n]", "[true, false, -1.5, 2, null, null, null, true, 10]"),
        ("a?.b?.[c]?.(...d)", "a.b[c](...d)"),
        ("a['b'][0]", "a.b[0]"),
        ("new X(a)", "new X(a)"),
        ("{ a, ...b, ['c']: 1, [d]: 2, 3: e, get f() { return 1 } }", "{a: a, ...b, c: 1, [d]: 2, 3: e}"),
        ("[...a, b]", "[...a, b]"),
        ("/x/g", "/x/"),
        ("/x/m", "?"),
        ("(<T>a!) as B satisfies C", "a"),
        ("await a", "a"),
        ("(y = z)", "y"),
        ("a - b", "?"),
        ("typeof f()", "?"),
        ("import.meta.url", "?.url"),
        ("1e999", "?"),
    ];
    for (text, wanted) in cases {
        assert_eq!(value(text), wanted, "{text}");
    }
    let outline = typescript("x(typeof f(), !g(), a - h(), { get y() { return i() } }, (j(), k))");
    assert_eq!(outline.calls.len(), 6);
}

#[test]
fn markup_is_walked() {
    let outline = outline_as("const x = <A b={f()} {...g()}>{h()}<B /><>{...i()}</></A>;", SourceType::jsx()).unwrap();
    assert_eq!(calls(&outline), ["f()", "g()", "h()", "i()"]);
    assert_eq!(bound(&outline, "x"), ["?"]);
}

#[test]
fn calls_and_objects_stand_in_the_order_of_the_text() {
    let outline = script("a({ n: 1, o: b({ n: 2 }) }).c({ n: 3 });");
    assert_eq!(calls(&outline)[0], "a({n: 1, o: b({n: 2})})");
    assert_eq!(calls(&outline)[2], "b({n: 2})");
    let objects: Vec<_> = outline.objects.iter().map(|id| show(&outline, *id)).collect();
    assert_eq!(objects, ["{n: 1, o: b({n: 2})}", "{n: 2}", "{n: 3}"]);
}

#[test]
fn long_sums_need_no_deep_stack() {
    let outline = script(&format!("const x = 'a'{};", " + 'a'".repeat(2000)));
    assert_eq!(outline.nodes.iter().filter(|node| matches!(node.node, Node::Sum(..))).count(), 2000);
}

/// Every number of an expression, function, class or scope that an outline holds, as far as it is out of range.
fn strays(outline: &Outline) -> Vec<String> {
    let mut strays = Vec::new();
    let mut check = |id: NodeId, what: &str| {
        if id as usize >= outline.nodes.len() && id != NodeId::MAX {
            strays.push(format!("{what} {id}"));
        }
    };
    for expression in &outline.nodes {
        match &expression.node {
            Node::Joined(ids) | Node::Choice(ids) => ids.iter().for_each(|id| check(*id, "part")),
            Node::Picked { sides, arms } => sides.iter().chain(arms).for_each(|id| check(*id, "part")),
            Node::Member(id, _) => check(*id, "object"),
            Node::Index(one, two) | Node::Sum(one, two) => [one, two].into_iter().for_each(|id| check(*id, "side")),
            Node::Call { callee, arguments, .. } => {
                check(*callee, "callee");
                arguments.iter().for_each(|argument| check(argument.value, "argument"));
            }
            Node::Object(entries) => entries.iter().for_each(|entry| check(entry.value, "entry")),
            Node::List(elements) => elements.iter().for_each(|element| check(element.value, "element")),
            Node::Function(id) => assert!(outline.function(*id).is_some()),
            Node::Class(id) => assert!(outline.class(*id).is_some()),
            Node::Name(_, scope) => assert!(outline.scopes.len() > *scope as usize),
            _ => {}
        }
        assert!(
            expression.function == crate::program::outline::NO_FUNCTION
                || outline.function(expression.function).is_some()
        );
    }
    for binding in outline.scopes.iter().flat_map(|scope| scope.names.bindings()) {
        match &binding.origin {
            Origin::Expression(id) | Origin::Added(id) => check(*id, "origin"),
            Origin::Parameter(id, index) => assert!(outline.functions[*id as usize].parameters.len() > *index),
            Origin::Function(id) => assert!(outline.function(*id).is_some()),
            Origin::Class(id) => assert!(outline.class(*id).is_some()),
            Origin::Import(_) | Origin::Unknown => {}
        }
        binding.default.into_iter().for_each(|id| check(id, "default"));
    }
    for function in &outline.functions {
        function.returns.iter().chain(&function.decorators).for_each(|id| check(*id, "return"));
        assert!(outline.scopes.len() > function.scope as usize);
    }
    for class in &outline.classes {
        class.bases.iter().for_each(|id| check(*id, "base"));
        class.fields.iter().filter_map(|field| field.value).for_each(|id| check(id, "field"));
    }
    outline.writes.iter().for_each(|write| {
        check(write.object, "written");
        check(write.value, "value");
    });
    outline.exports.values().chain(&outline.calls).chain(&outline.objects).for_each(|id| check(*id, "listed"));
    strays
}

/// Statements and expressions that fit into each other, so that most of what comes out parses.
fn statement() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a",
        "'s'",
        "1",
        "this",
        "void 0",
        "require('m')",
        "import(a)",
        "exports.a",
        "module.exports",
        "/r/",
        "null",
        "`t${a}`",
        "super.x",
        "[, a]",
        "() => a",
        "class {}",
        "function a() { return b }",
    ]);
    let expression = leaf.prop_map(str::to_owned).prop_recursive(4, 24, 3, |inner| {
        let form = prop::sample::select(vec![
            "(@, @)",
            "@(...@)",
            "(@).a(@)",
            "[@, ...@]",
            "{ a: @, [@]: @, ...@, b() { return @ }, get c() { return @ } }",
            "@ + @",
            "@ && @",
            "a = @",
            "({ a, b: [a = @] } = @)",
            "(@)?.[@]",
            "new (@)(@)",
            "exports.a = @",
            "(function (X) { X[@] = @ })(X || (X = @))",
            "a.push(@, ...@)",
            "(@) => { for (const a of @) return @ }",
            "__export(exports, { a: () => @ })",
            "class A extends (@) { a = @; static #b = @; constructor() { super(@) } }",
            "Object.defineProperty(exports, 'a', { get: function () { return @ } })",
            "a.b += @",
            "tag`a${@}`",
        ]);
        (form, prop::collection::vec(inner, 5)).prop_map(|(form, parts)| fill(form, &parts))
    });
    let form = prop::sample::select(vec![
        "@;",
        "const a = @;",
        "let { a, ...b } = @;",
        "function a(b = @, { c }, ...d) { return @ }",
        "if (@) @; else @;",
        "for (var a in @) { @; }",
        "for (let i = @; @; i++) @;",
        "try { @; } catch (a) { @; }",
        "export default (@);",
        "export const a = @;",
        "switch (@) { case @: @; }",
        "module.exports = @;",
        "while (@) { @; }",
        "class a { @(){} }",
        "function* a() { yield @; yield* @; }",
        "export { a } from 'm';",
        "import a, { b } from 'm';",
        "@ @",
        "{ @",
    ]);
    (form, prop::collection::vec(expression, 5)).prop_map(|(form, parts)| fill(form, &parts))
}

fn fill(form: &str, parts: &[String]) -> String {
    let mut pieces = form.split('@');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for (piece, part) in pieces.zip(parts) {
        text.push_str(&format!("({part}){piece}"));
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_text_leads_out_of_its_outline(statements in prop::collection::vec(statement(), 0..8)) {
        // One by one as well, since a single fault makes the parser refuse the whole.
        for text in statements.iter().cloned().chain([statements.join("\n")]) {
            for kind in [SourceType::unambiguous(), SourceType::tsx(), SourceType::cjs()] {
                let outline = outline_as(&text, kind);
                prop_assert_eq!(outline.map(|outline| strays(&outline)).unwrap_or_default(), Vec::<String>::new());
            }
        }
    }
}
