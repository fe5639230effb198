//! Classes: bases, fields, methods.

use super::*;

#[test]
fn fields_are_assignments_and_annotations() {
    let text = "
class C:
    'A thing.'
    a: str = 'x'
    b: 'Other'
    c = 1
    if flag:
        d, e = 2, f()
    for g in h:
        pass
    i += 1
    j: int = lambda: 0
";
    let outline = read(text);
    let class = class(&outline, "C");
    let show = |id: Option<NodeId>| id.map_or("-".to_owned(), |id| shown(&outline, id));
    let fields: Vec<String> =
        class.fields.iter().map(|one| format!("{} {} {}", one.name, show(one.value), show(one.annotation))).collect();
    assert_eq!(fields, ["a 'x' str", "b - Other", "c 1 -", "d 2 -", "e f() -", "j function 1 int"]);
    assert_eq!(class.doc.as_deref(), Some("A thing."));
    assert_eq!(class.offset, 1);
}

#[test]
fn members_of_enumerations_are_fields() {
    let outline = read("class Names(str, Enum):\n    ADD = 'add'\n    SUB = 'sub'\n");
    let class = class(&outline, "Names");
    let bases: Vec<String> = class.bases.iter().map(|id| shown(&outline, *id)).collect();
    assert_eq!(bases, ["str", "Enum"]);
    assert_eq!(class.fields.len(), 2);
    assert_eq!(class.fields[1].value.map(|id| shown(&outline, id)).as_deref(), Some("'sub'"));
}

#[test]
fn a_class_is_abstract_by_its_base_or_a_method() {
    let text = "
class A(abc.ABC): pass
class B(Base):
    @abc.abstractmethod
    def run(self): pass
class C(Base, metaclass=make()): pass
class D(*bases): pass
";
    let outline = read(text);
    assert!(class(&outline, "A").is_abstract);
    assert!(class(&outline, "B").is_abstract);
    assert!(!class(&outline, "C").is_abstract);
    assert_eq!(class(&outline, "C").bases.len(), 1);
    assert_eq!(class(&outline, "D").bases.len(), 0);
    assert_eq!(callees(&outline), ["make"]);
}

#[test]
fn of_two_methods_with_one_name_the_last_counts() {
    let outline = read("@register\nclass C:\n    def m(self): pass\n    def m(self, more): pass\n");
    let class = class(&outline, "C");
    let method = outline.function(class.methods["m"]).expect("it is there");
    assert_eq!(method.parameters.len(), 2);
}

#[test]
fn a_class_in_a_function_is_of_that_function() {
    let outline = read("def f():\n    class C:\n        x = g()\n        def m(self): pass\n");
    assert_eq!(outline.around(outline.calls[0]), Some(0));
    assert_eq!(function(&outline, "m").parent, Some(0));
    assert_eq!(bindings(&outline, "C").len(), 0);
}
