//! Any text: no panic, no number without a meaning, no time beyond the length of the text.

use super::*;

/// Every number that an outline holds must lead somewhere.
fn check(outline: &Outline) {
    let node = |id: NodeId| assert!(id == NodeId::MAX || (id as usize) < outline.nodes.len(), "node {id}");
    let function = |id: FunctionId| assert!((id as usize) < outline.functions.len(), "function {id}");
    let scope = |id: ScopeId| assert!((id as usize) < outline.scopes.len(), "scope {id}");
    for expression in &outline.nodes {
        Some(expression.function)
            .filter(|id| *id != crate::program::outline::NO_FUNCTION)
            .into_iter()
            .for_each(function);
        match &expression.node {
            Node::Name(_, id) => scope(*id),
            Node::Function(id) => function(*id),
            Node::Each { turn, .. } => function(*turn),
            Node::Class(id) => assert!((*id as usize) < outline.classes.len()),
            _ => {}
        }
        parts(&expression.node).into_iter().for_each(node);
    }
    for (index, one) in outline.functions.iter().enumerate() {
        // Parents come first, so that following them ends.
        assert!(one.parent.is_none_or(|parent| (parent as usize) < index));
        scope(one.scope);
        let halves = one.parameters.iter().flat_map(|parameter| [parameter.annotation, parameter.default]).flatten();
        one.returns.iter().chain(&one.decorators).copied().chain(halves).for_each(node);
        if let FunctionKind::Loop { over, .. } = one.kind {
            node(over);
        }
    }
    for (index, one) in outline.scopes.iter().enumerate() {
        assert!(one.parent.is_none_or(|parent| (parent as usize) < index));
        for binding in one.names.bindings() {
            match binding.origin {
                Origin::Expression(id) | Origin::Added(id) => node(id),
                Origin::Parameter(id, place) => {
                    assert!(place < outline.functions[id as usize].parameters.len());
                }
                Origin::Function(id) => function(id),
                Origin::Class(id) => assert!((id as usize) < outline.classes.len()),
                Origin::Import(_) | Origin::Unknown => {}
            }
        }
    }
    for class in &outline.classes {
        class.bases.iter().copied().for_each(node);
        class.fields.iter().flat_map(|field| [field.value, field.annotation]).flatten().for_each(node);
        class.methods.values().copied().for_each(function);
    }
    for write in &outline.writes {
        [write.object, write.value].into_iter().for_each(node);
        if let Part::Keyed(key) = write.part {
            node(key);
        }
    }
    outline.calls.iter().chain(&outline.objects).copied().for_each(node);
}

/// The parts of an expression.
fn parts(node: &Node) -> Vec<NodeId> {
    match node {
        Node::Joined(ids) | Node::Choice(ids) => ids.to_vec(),
        Node::Picked { sides, arms } => [*sides, *arms].concat(),
        Node::Member(object, _) => vec![*object],
        Node::Index(left, right) | Node::Sum(left, right) => vec![*left, *right],
        Node::Call { callee, arguments, .. } => {
            arguments.iter().map(|argument| argument.value).chain([*callee]).collect()
        }
        Node::Object(entries) => entries
            .iter()
            .flat_map(|entry| match entry.key {
                Key::Computed(key) => vec![key, entry.value],
                _ => vec![entry.value],
            })
            .collect(),
        Node::List(elements) => elements.iter().map(|element| element.value).collect(),
        Node::Each { key, value, .. } => key.iter().copied().chain([*value]).collect(),
        _ => Vec::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,200}") {
        check(&read(&text));
    }

    #[test]
    fn no_row_of_words_makes_it_panic(pieces in prop::collection::vec(prop::sample::select(vec![
        "def f(a, *b, c=1, **d):", "class A(B, metaclass=C):", "lambda x: ", "for x, *y in ", "async ", "await ", "yield ",
        "yield from ", "return ", "import a.b as c", "from . import *", "from .a import b as c", "global x", "nonlocal x",
        "with open(p) as ", "try:", "except E as e:", "match x:", "case [a, *b]:", "case {'k': v, **r}:", "del ", "type T[U] = ",
        "x", "self.y", "a['k']", "(", ")", "[", "]", "{", "}", "**", "*", ":", ":=", "=", "+=", "|=", "|", "+", "/", "%", " if ",
        " else ", " and ", " or ", " for z in ", "f'{", "}'", "'text'", "...", "super()", "__import__(", ".append(", ".update(",
        "@property", "@a.setter", ",", ".", "\n", "\n    ", "\n        ", " ", "é", "1e999", "-1", "x: 'Q' = "]), 0..60)) {
        check(&read(&pieces.concat()));
    }
}

#[test]
fn a_long_sum_costs_no_stack() {
    let text = format!("x = {}'end'\n", "'a' + ".repeat(3_000));
    let outline = read(&text);
    check(&outline);
    assert_eq!(outline.nodes.len(), 6_001);
    assert!(matches!(outline.node(value(&outline, "x")), Node::Sum(..)));
}

#[test]
fn wide_targets_take_their_elements_in_linear_time() {
    let (targets, values) = ("a.b, ".repeat(60_000), "1, ".repeat(60_000));
    let outline = read(&format!("{targets} = {values}\n"));
    assert_eq!(outline.writes.len(), 60_000);
    assert!(matches!(outline.node(outline.writes[63].value), Node::Plain(_)));
    assert!(matches!(outline.node(outline.writes[64].value), Node::Index(..)));
}

#[test]
fn many_imports_are_noted_once_in_linear_time() {
    let text: String = (0..60_000).map(|index| format!("import m{index}\n")).collect();
    let outline = read(&text.repeat(2));
    assert_eq!(outline.imports.len(), 60_000);
    assert_eq!(bindings(&outline, "m7").len(), 2);
}
