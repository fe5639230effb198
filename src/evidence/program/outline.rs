//! An outline: the names, values, functions and classes of one module in one form, whatever its language.
//!
//! The readers of JavaScript and Python make it; the evaluator (`values`) reads it. Nothing in it borrows the text, so
//! that the outlines of a whole package can stand side by side. Expressions are numbered: a [`NodeId`] is an index into
//! [`Outline::nodes`]. Only what can say what a package registers is kept; control flow is flattened.

use std::collections::BTreeMap;

use serde_json::Value;

use super::bound::BoundNames;

/// The number of an expression in its module.
pub(super) type NodeId = u32;
/// The number of a scope in its module; 0 is the module's own.
pub(super) type ScopeId = u32;
/// The number of a function in its module.
pub(super) type FunctionId = u32;
/// The number of a class in its module.
pub(super) type ClassId = u32;

/// What stands for the function around an expression at the top of its module.
pub(super) const NO_FUNCTION: FunctionId = FunctionId::MAX;

/// The scope of the module itself.
pub(super) const MODULE_SCOPE: ScopeId = 0;

/// The language of a module, where the evaluator has to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum ModuleLanguage {
    /// JavaScript or TypeScript.
    #[default]
    JavaScript,
    /// Python.
    Python,
}

/// One module.
#[derive(Clone, Debug, Default)]
pub(super) struct Outline {
    /// The path in the bundle.
    pub path: String,
    /// The language.
    pub language: ModuleLanguage,
    /// The expressions.
    pub nodes: Vec<Expression>,
    /// The scopes; the first is the module's own.
    pub scopes: Vec<Scope>,
    /// The functions, loops among them.
    pub functions: Vec<Function>,
    /// The classes.
    pub classes: Vec<Class>,
    /// The exported names and what they stand for. JavaScript: `default` for the default export, and `module.exports =
    /// x` stands as `=`. Python exports every name of the module scope and leaves this empty.
    pub exports: BTreeMap<String, NodeId>,
    /// The modules of which everything is exported again: `export * from "x"`, `from x import *`. As written.
    pub exported_modules: Vec<String>,
    /// The calls, constructions among them, in the order of the text.
    pub calls: Vec<NodeId>,
    /// The object literals and dictionaries, in the order of the text.
    pub objects: Vec<NodeId>,
    /// The assignments to members, and the additions to lists and maps, in the order of the text.
    pub writes: Vec<Write>,
    /// The modules that it names in any way, as written, each once: imports, `require`, `import()`.
    pub imports: Vec<String>,
    /// True where it loads a module whose name is put together at run time.
    pub loads_unknown: bool,
}

/// An expression and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    /// The form and the parts.
    pub node: Node,
    /// The byte at which it begins.
    pub offset: u32,
    /// The function or loop around it; [`NO_FUNCTION`] at the top of the module. An `Option` would take twice the room, and a
    /// bundle has a million expressions.
    pub function: FunctionId,
}

/// The form of an expression. Parentheses, `await`, casts and type assertions are left out: their operand stands for
/// them.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// Anything that has no other form here. What stands within it is still outlined.
    Unknown,
    /// A string, escapes resolved.
    Text(Box<str>),
    /// A number, a truth value, null or None.
    Plain(Box<Value>),
    /// A regular expression of JavaScript.
    Pattern(Box<Pattern>),
    /// Pieces of text that are joined: a template literal, an f-string; `"%s" % x` has its format and an unknown piece.
    Joined(Box<[NodeId]>),
    /// A name, with the scope in which it is looked up first.
    Name(Box<str>, ScopeId),
    /// `this`. Python's `self` is a plain name, bound to the first parameter of its method.
    This,
    /// `super` as the callee or object in a class: `super(…)`, `super.x`, `super().x`.
    Super,
    /// `object.name`, `object?.name`, `object["name"]`.
    Member(NodeId, Box<str>),
    /// `object[expression]`, where the key is no literal text.
    Index(NodeId, NodeId),
    /// A call or construction.
    Call {
        /// The callee.
        callee: NodeId,
        /// The arguments in order.
        arguments: Box<[Argument]>,
        /// True for `new X(…)`.
        constructs: bool,
    },
    /// An object literal or dictionary.
    Object(Box<[Entry]>),
    /// A list, tuple or set.
    List(Box<[Element]>),
    /// A function, arrow function or lambda.
    Function(FunctionId),
    /// A class expression, or the class that a declaration makes.
    Class(ClassId),
    /// One of several: `a ? b : c`, `a || b`, `a ?? b`, Python's `b if a else c`, `a or b`; a type `A | B`.
    Choice(Box<[NodeId]>),
    /// `a === b ? c : d`, `c if a == b else d`.
    Picked {
        /// What is compared.
        sides: [NodeId; 2],
        /// The value where both are equal, then the other.
        arms: [NodeId; 2],
    },
    /// `a + b`; `a / b` of paths in Python has a text `/` in between.
    Sum(NodeId, NodeId),
    /// A whole module: `require("x")`, `await import("x")`, Python's `importlib.import_module("x")`. As written.
    Module(Box<str>),
    /// A comprehension: one value for each turn of a loop (a [`Function`] of kind [`FunctionKind::Loop`]; a nested
    /// comprehension has its inner loop inside the outer). `key` is there for dictionaries. A filter is left out.
    Each {
        /// The innermost loop.
        turn: FunctionId,
        /// The key, for dictionaries.
        key: Option<NodeId>,
        /// The value.
        value: NodeId,
    },
}

/// A regular expression.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// The expression, as JavaScript or Python writes it.
    pub text: String,
    /// True where it is to be found everywhere, and not just once.
    pub everywhere: bool,
    /// True where letters are equal in either case.
    pub ignores_case: bool,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    /// The keyword, in Python.
    pub name: Option<String>,
    /// True for `...x`, `*x` and `**x`.
    pub spread: bool,
    /// The value.
    pub value: NodeId,
}

/// An entry of an object literal. Methods are entries whose value is a function; getters and setters are left out.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The key.
    pub key: Key,
    /// The value.
    pub value: NodeId,
}

/// A key of an object literal.
#[derive(Clone, Debug)]
pub(super) enum Key {
    /// A key that is written.
    Named(String),
    /// `[expression]: …`, or a Python key that is no literal.
    Computed(NodeId),
    /// `...x`, `**x`: all entries of the value.
    Spread,
}

/// An element of a list.
#[derive(Clone, Debug)]
pub(super) struct Element {
    /// True for `...x` and `*x`.
    pub spread: bool,
    /// The value.
    pub value: NodeId,
}

/// A scope: JavaScript's functions, blocks and classes; Python's module, functions, classes, comprehensions.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// The scope around it.
    pub parent: Option<ScopeId>,
    /// The names that are bound in it, each with all of its bindings in the order of the text.
    pub names: BoundNames,
}

/// What binds a name.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    /// Where its value comes from.
    pub origin: Origin,
    /// The way from there by destructuring: `const {a: [b]} = x` binds `b` by key `a`, then place 0.
    pub path: Vec<Step>,
    /// The value where there is none at the end of the path.
    pub default: Option<NodeId>,
}

/// One step of destructuring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The value of a key.
    Key(String),
    /// An element of a list.
    At(usize),
    /// What is left after the other keys or elements.
    Rest,
}

/// Where the value of a binding comes from.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// An expression; a name that is assigned again has one binding for each assignment.
    Expression(NodeId),
    /// `x += y`: text or a list is added to.
    Added(NodeId),
    /// A parameter of a function, or the variable of a loop (parameter 0 of it).
    Parameter(FunctionId, usize),
    /// A name of another module.
    Import(Box<Import>),
    /// A function.
    Function(FunctionId),
    /// A class.
    Class(ClassId),
    /// Something that cannot be told: a `catch` parameter, a `with … as x`, a deleted name.
    Unknown,
}

/// What a name of another module stands for.
#[derive(Clone, Debug)]
pub(super) struct Import {
    /// The module as written; Python's relative imports keep their dots.
    pub module: String,
    /// The name there; none for the whole module. `default` for the default export.
    pub name: Option<String>,
}

/// The kind of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FunctionKind {
    /// A function, arrow function or lambda.
    Plain,
    /// A method of a class.
    Method,
    /// A constructor, or Python's `__init__`.
    Constructor,
    /// A getter or property: reading it calls it.
    Getter,
    /// No function: the body of a loop or comprehension, which stands inside as if it were one. `for (const x of xs)`
    /// has one parameter bound to an element of `xs`; `for (x in xs)` to a key.
    Loop {
        /// What is gone through.
        over: NodeId,
        /// True for JavaScript's `for … in`, which goes through the keys. What a loop over a dictionary goes through depends on
        /// the language, and the evaluator knows it.
        keys: bool,
    },
}

/// A function.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// Its name; of an anonymous function the variable, property or member that it is first bound to.
    pub name: Option<String>,
    /// The kind.
    pub kind: FunctionKind,
    /// The function or loop around it.
    pub parent: Option<FunctionId>,
    /// The class whose method it is.
    pub class: Option<ClassId>,
    /// The scope of its parameters.
    pub scope: ScopeId,
    /// Its parameters. Python methods have `self` or `cls` as the first.
    pub parameters: Vec<Parameter>,
    /// The expressions that it returns or yields; an arrow function without a block has one.
    pub returns: Vec<NodeId>,
    /// The docstring without its indentation, as `inspect.cleandoc` gives it.
    pub doc: Option<String>,
    /// The decorators, outermost first, as expressions.
    pub decorators: Vec<NodeId>,
    /// True for a static method or class method.
    pub is_static: bool,
    /// The byte at which it begins.
    pub offset: u32,
}

/// A parameter.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    /// Its name; empty where it is taken apart at once.
    pub name: String,
    /// The annotation as an expression, in Python. `X | Y` is a [`Node::Choice`], `X[Y]` a [`Node::Index`]; a quoted
    /// annotation is read as the expression that it quotes, where that is a plain name.
    pub annotation: Option<NodeId>,
    /// The default.
    pub default: Option<NodeId>,
    /// How arguments reach it.
    pub kind: ParameterKind,
}

/// How arguments reach a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParameterKind {
    /// By position, or by name in Python.
    Plain,
    /// By name alone.
    KeywordOnly,
    /// All that are left: `...rest`, `*args`.
    Rest,
    /// All named ones that are left: `**kwargs`.
    KeywordRest,
}

/// A class.
#[derive(Clone, Debug)]
pub(super) struct Class {
    /// Its name; of an anonymous class the variable that it is bound to.
    pub name: Option<String>,
    /// The expressions that it extends.
    pub bases: Vec<NodeId>,
    /// Its fields in the order of the text: class fields and static fields, Python's class-level assignments and
    /// annotations. `this.x = …` is a [`Write`].
    pub fields: Vec<Field>,
    /// Its methods by name; of two with one name the last. Static ones, getters and the constructor (as `constructor` or
    /// `__init__`) among them.
    pub methods: BTreeMap<String, FunctionId>,
    /// The docstring.
    pub doc: Option<String>,
    /// True for `abstract class` and a Python class with `ABC` among its bases.
    pub is_abstract: bool,
    /// The byte at which it begins.
    pub offset: u32,
}

/// A field of a class.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Option<NodeId>,
    /// The annotation as an expression, in Python.
    pub annotation: Option<NodeId>,
}

/// A write to something that has a name already.
#[derive(Clone, Debug)]
pub(super) struct Write {
    /// The object that is written to: `x` of `x.y = z`, of `x.push(z)`, `this`.
    pub object: NodeId,
    /// The part of it.
    pub part: Part,
    /// The value.
    pub value: NodeId,
    /// The byte at which it begins.
    pub offset: u32,
}

/// The part that is written.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// `x.y = z`, `x["y"] = z`.
    Member(String),
    /// `x[k] = z`, `x.set(k, z)`; the key.
    Keyed(NodeId),
    /// `x.push(z)`, `x.append(z)`, `x.add(z)`, `x.unshift(z)`.
    Element,
    /// `x.push(...z)`, `x.extend(z)`, `x += z` on a member: all elements of it.
    Elements,
}

impl Node {
    /// A number, a truth value or null.
    pub(super) fn plain(value: impl Into<Value>) -> Self {
        Self::Plain(Box::new(value.into()))
    }
}

impl Import {
    /// Where the value of a binding comes from that names a module, or something in one.
    pub(super) fn of(module: &str, name: Option<String>) -> Origin {
        Origin::Import(Box::new(Self { module: module.to_owned(), name }))
    }
}

impl Function {
    /// True for the body of a loop.
    pub(super) const fn is_loop(&self) -> bool {
        matches!(self.kind, FunctionKind::Loop { .. })
    }
}

impl Outline {
    /// The form of an expression.
    pub(super) fn node(&self, id: NodeId) -> &Node {
        self.nodes.get(id as usize).map_or(&Node::Unknown, |expression| &expression.node)
    }

    /// The function or loop around an expression.
    pub(super) fn around(&self, id: NodeId) -> Option<FunctionId> {
        let around = self.nodes.get(id as usize)?.function;
        (around != NO_FUNCTION).then_some(around)
    }

    /// The byte at which an expression begins.
    pub(super) fn offset(&self, id: NodeId) -> u32 {
        self.nodes.get(id as usize).map_or(0, |expression| expression.offset)
    }

    /// A function by its number.
    pub(super) fn function(&self, id: FunctionId) -> Option<&Function> {
        self.functions.get(id as usize)
    }

    /// A class by its number.
    pub(super) fn class(&self, id: ClassId) -> Option<&Class> {
        self.classes.get(id as usize)
    }
}
