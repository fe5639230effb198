//! Tests of the nesting bound: what must stay shallow, and what must be seen.

use super::javascript::MAX_ANGLES;
use super::*;

#[test]
fn plain_programs_stay_shallow() {
    let line = "const a = foo(b, [1, 2]).map((x) => x / 2);\nif (a) { bar(`${a}/x`) } else { baz() }\n";
    assert!(javascript(&line.repeat(2_000), false, true) < 30);
    let line = "def f(a, b=1):\n    if a:\n        return {\"x\": f\"{a}/{b}\", 'y': [1, 2]}\n";
    assert!(python(&line.repeat(2_000)) < 40);
}

#[test]
fn code_without_semicolons_stays_shallow() {
    let line = "const x = await thing.do(a, b)\nfoo(x)\nbar.baz(x)\nlet y = x.z\n";
    assert!(javascript(&line.repeat(2_000), false, true) < 40);
}

#[test]
fn every_kind_of_chain_is_seen() {
    let chains = [
        "(",
        "[",
        "{",
        "!",
        "-",
        "a=>",
        "a?b:",
        "a.b",
        "a+",
        "typeof ",
        "if(a)",
        "else if(a)",
        "a:",
        "new ",
        "`${",
        "a()",
        "await\n",
        "if(a)\n",
        "x=",
        "class extends ",
        "a<",
        "async ",
    ];
    for chain in chains {
        assert!(javascript(&chain.repeat(LIMIT * 2), false, false) > LIMIT, "{chain}");
    }
    for chain in ["(", "[", "{", "-", "not ", "a+", "a.b", "lambda:", "a if b else ", "f\"{", "a()", "await "] {
        assert!(python(&chain.repeat(LIMIT * 2)) > LIMIT, "{chain}");
    }
}

#[test]
fn strings_and_comments_hide_no_brackets_and_add_none() {
    let text = "f(\")))\"); // (((\n/* ((( */ g(/[(]/, ')');\n";
    assert!(javascript(&text.repeat(3_000), false, true) < 20);
    let text = "f(\")))\") # (((\n'''((('''\n";
    assert!(python(&text.repeat(3_000)) < 20);
}

#[test]
fn the_limit_of_brackets_holds_to_the_bracket() {
    let nested = |depth: usize| format!("{}{};", "(".repeat(depth), ")".repeat(depth)).repeat(3);
    assert!(javascript(&nested(MAX_BRACKETS), false, false) <= LIMIT);
    assert!(javascript(&nested(MAX_BRACKETS + 1), false, false) > LIMIT);
    assert!(python(&nested(MAX_BRACKETS)) <= LIMIT);
    assert!(python(&nested(MAX_BRACKETS + 1)) > LIMIT);
}

#[test]
fn open_angles_are_bounded_where_they_may_be_types() {
    for chain in ["a<b<", "a<b,c<d,", "f(a<b,"] {
        assert!(javascript(&chain.repeat(MAX_ANGLES + 1), false, true) > LIMIT, "{chain}");
        assert!(javascript(&chain.repeat(MAX_ANGLES + 1), false, false) < LIMIT, "{chain}");
    }
    let honest = "const a: Map<string, Set<number>> = new Map();\nif (a < b) { c<d>(e) }\n";
    assert!(javascript(&honest.repeat(1_000), false, true) < 40);
}

#[test]
fn markup_is_never_counted_down() {
    assert!(javascript(&"<a>it's {f()} </a>\n".repeat(LIMIT), true, true) > LIMIT);
}
