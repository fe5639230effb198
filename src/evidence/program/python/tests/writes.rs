//! Writes to members and elements.

use super::*;

fn writes(text: &str) -> Vec<String> {
    let outline = read(text);
    outline.writes.iter().map(|write| shown_write(&outline, write)).collect()
}

fn shown_write(outline: &Outline, write: &Write) -> String {
    let object = shown(outline, write.object);
    let value = shown(outline, write.value);
    match &write.part {
        Part::Member(name) => format!("{object}.{name} = {value}"),
        Part::Keyed(key) => format!("{object}[{}] = {value}", shown(outline, *key)),
        Part::Element => format!("{object} << {value}"),
        Part::Elements => format!("{object} <<< {value}"),
    }
}

#[test]
fn assignments_to_members_are_writes() {
    assert_eq!(writes("class A:\n    def __init__(self):\n        self.x = 1\n"), ["self.x = 1"]);
    assert_eq!(writes("a.b: int = 'v'"), ["a.b = 'v'"]);
    assert_eq!(writes("a['k'] = v\na[k] = w\na[0] = z\n"), ["a.k = v", "a[k] = w", "a[0] = z"]);
    assert_eq!(writes("a.b = c['d'] = v"), ["a.b = v", "c.d = v"]);
}

#[test]
fn members_in_tuples_are_written_by_place() {
    assert_eq!(writes("a.b, a.c = x, y"), ["a.b = x", "a.c = y"]);
    assert_eq!(writes("a.b, a.c = pair()"), ["a.b = pair()[0]", "a.c = pair()[1]"]);
    assert_eq!(writes("a.b, a.c = x, *y"), ["a.b = x", "a.c = [x, *y][1]"]);
    assert_eq!(writes("*a.b, a.c = x"), ["a.b = ?", "a.c = ?"]);
    assert_eq!(writes("with f() as a.b: pass"), ["a.b = ?"]);
}

#[test]
fn additions_are_writes() {
    assert_eq!(writes("a.append(1)\na.b.add(2)\na.insert(0, 3)\n"), ["a << 1", "a.b << 2", "a << 3"]);
    assert_eq!(writes("a.extend(b)\na.update(c)\na.update(k=1, **d)\n"), ["a <<< b", "a <<< c", "a.k = 1", "a <<< d"]);
    assert_eq!(writes("a.b += c\na['k'] += d\na.n -= 1\n"), ["a.b <<< c", "a.k <<< d"]);
    // Methods of the same name with other arguments do something else.
    assert_eq!(writes("a.add('x', f)\na.append(*b)\na.insert(x=1)\nappend(1)\n"), [""; 0]);
    assert_eq!(callees(&read("a.append(f())")), ["f", "a.append"]);
}

#[test]
fn a_write_knows_its_place() {
    let outline = read("pass\na.b = 1\nc.append(2)\n");
    let offsets: Vec<u32> = outline.writes.iter().map(|write| write.offset).collect();
    assert_eq!(offsets, [5, 13]);
}

#[test]
fn what_is_deleted_is_not_written() {
    assert_eq!(writes("del a.b, a[f()]"), [""; 0]);
    assert_eq!(callees(&read("del a.b, a[f()]")), ["f"]);
}

#[test]
fn self_is_the_first_parameter() {
    let outline = read("class A:\n    def m(self):\n        self.x = 1\n");
    let Node::Name(_, scope) = outline.node(outline.writes[0].object) else { panic!("self is a name") };
    assert!(matches!(bound_in(&outline.scopes[*scope as usize], "self")[0].origin, Origin::Parameter(0, 0)));
    assert!(matches!(outline.node(outline.writes[0].value), Node::Plain(value) if **value == json!(1)));
}
