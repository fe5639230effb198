//! `TaintPropagation`: the taint sources of values, followed through the assignments, calls and returns of one file.
//!
//! One bit for each taint source, joined while the tree is walked: each expression leaves what it may hold in `held`.
//! Linear in the text. It errs towards saying nothing: a name that is bound more than once carries nothing from one
//! function into another. The walks over JavaScript and Python share it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// The set of sources that a value may come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaintSources(u32);

impl TaintSources {
    /// Nothing that is followed.
    pub const NONE: Self = Self(0);
    /// An argument of an MCP tool: whatever a model was talked into passing.
    pub const TOOL_INPUT: Self = Self(1);
    /// The query, parameters or body of a request that a server of this file answers.
    pub const REQUEST: Self = Self(1 << 1);
    /// The whole environment.
    pub const ENVIRONMENT: Self = Self(1 << 2);
    /// One variable of the environment whose name says that it is secret.
    pub const TOKEN: Self = Self(1 << 3);
    /// The path of a file in which programs keep secrets.
    pub const SECRET_PATH: Self = Self(1 << 4);
    /// The content of such a file.
    pub const SECRET: Self = Self(1 << 5);
    /// The content of any file.
    pub const FILE: Self = Self(1 << 6);
    /// The name of the machine.
    pub const HOST_NAME: Self = Self(1 << 7);
    /// The name of the user.
    pub const USER_NAME: Self = Self(1 << 8);
    /// The machine's network addresses.
    pub const HOST_NETWORK: Self = Self(1 << 9);
    /// Data that came over the network.
    pub const ANSWER: Self = Self(1 << 10);
    /// Data that was decoded, decrypted, unpacked or put together from numbers.
    pub const DECODED: Self = Self(1 << 11);
    /// A connection to another machine, or a request being written.
    pub const CONNECTION: Self = Self(1 << 12);
    /// A process that was started.
    pub const PROCESS: Self = Self(1 << 13);
    /// A file to which something from the network was written.
    pub const FETCHED_FILE: Self = Self(1 << 14);
    /// The text of the clipboard.
    pub const CLIPBOARD: Self = Self(1 << 15);
    /// Something was asked about the value on the way (a prefix, a pattern, membership).
    pub const CHECKED: Self = Self(1 << 16);
    /// The value is put together with other text.
    pub const COMPOSED: Self = Self(1 << 17);
    /// A token that a program or the machine's own service hands out to whoever asks on this machine.
    pub const AMBIENT_CREDENTIAL: Self = Self(1 << 18);

    /// The rows of a database.
    pub const DATABASE: Self = Self(1 << 19);

    /// An argument of a tool that has room for no text: a number, a choice.
    pub const TOOL_NUMBER: Self = Self(1 << 20);
    /// The path of a file by which the system knows its users, or of a program that everybody runs.
    pub const SYSTEM_PATH: Self = Self(1 << 21);

    /// The sources that remain in a file that it is written to: that it was fetched, or decoded.
    pub(super) fn in_file(self) -> Self {
        let fetched = if self.any(Self::ANSWER) { Self::FETCHED_FILE } else { Self::NONE };
        fetched | (self & Self::DECODED)
    }

    /// True where it holds any of these.
    pub fn any(self, wanted: Self) -> bool {
        self.0 & wanted.0 != 0
    }

    /// The number of these that it holds.
    pub fn count(self, wanted: Self) -> u32 {
        (self.0 & wanted.0).count_ones()
    }

    /// True where it holds nothing.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for TaintSources {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for TaintSources {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitAnd for TaintSources {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Not for TaintSources {
    type Output = Self;
    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// The taint sources that reach a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaintedArguments {
    /// Through the object whose method it is.
    pub receiver: TaintSources,
    /// Through its first argument.
    pub first: TaintSources,
    /// Through its other arguments.
    pub rest: TaintSources,
}

impl TaintedArguments {
    /// Through its arguments.
    pub fn arguments(self) -> TaintSources {
        self.first | self.rest
    }

    /// Through anything.
    pub fn all(self) -> TaintSources {
        self.receiver | self.first | self.rest
    }
}

/// The taint sources that are worth a second walk when a function turns out to give or take them after it was used.
const WORTH: TaintSources = TaintSources(
    TaintSources::TOOL_INPUT.0
        | TaintSources::ENVIRONMENT.0
        | TaintSources::SECRET.0
        | TaintSources::AMBIENT_CREDENTIAL.0
        | TaintSources::FILE.0
        | TaintSources::TOOL_NUMBER.0
        | TaintSources::SYSTEM_PATH.0
        | TaintSources::DATABASE.0
        | TaintSources::CLIPBOARD.0
        | TaintSources::TOKEN.0
        | TaintSources::HOST_NAME.0
        | TaintSources::USER_NAME.0
        | TaintSources::HOST_NETWORK.0
        | TaintSources::DECODED.0,
);

/// The number of parameters of a function that are told apart.
const MAX_PARAMETERS: usize = 8;
/// The longest path in plain text that is kept, and how many of them.
const MAX_PATH: usize = 260;
const MAX_FILES: usize = 200;

#[derive(Default)]
struct Scope {
    declared: Vec<String>,
    name: Option<String>,
    returned: TaintSources,
    /// The sources held where the function stands.
    outside: TaintSources,
}

/// The state of the walk.
#[derive(Default)]
pub(super) struct TaintPropagation {
    /// The sources that the expression walked last may hold.
    pub(super) held: TaintSources,
    /// The sources that the function walked last returned.
    pub(super) returned: TaintSources,
    /// The sources that a promise in the making was resolved with.
    pub(super) promised: TaintSources,
    /// The sources given to the parameters of the function walked next.
    pub(super) given: TaintSources,
    /// The name of the function walked next.
    pub(super) name: Option<String>,
    /// True where another walk would know more.
    pub(super) again: bool,
    /// True once a call was met that runs text which is no literal: from then on answers are worth another walk.
    pub(super) runs_text: bool,
    names: BTreeMap<String, Vec<(usize, TaintSources)>>,
    /// The sources written to files that are named in plain text.
    files: BTreeMap<String, TaintSources>,
    scopes: Vec<Scope>,
    returns: BTreeMap<String, TaintSources>,
    inputs: BTreeMap<String, Vec<TaintSources>>,
    /// The same for arguments that are given by name.
    named: BTreeMap<String, BTreeMap<String, TaintSources>>,
    entered: BTreeSet<String>,
}

impl TaintPropagation {
    /// The sources that a name may hold.
    pub(super) fn of(&self, name: &str) -> TaintSources {
        // Most files follow nothing: this saves a look-up for every identifier.
        if self.names.is_empty() {
            return TaintSources::NONE;
        }
        self.names.get(name).and_then(|stack| stack.last()).map_or(TaintSources::NONE, |(_, sources)| *sources)
    }

    /// The sources that are worth another walk. Answers are, where a program runs text: most programs pass answers on and
    /// would be read twice for nothing.
    fn worth(&self) -> TaintSources {
        if self.runs_text { WORTH | TaintSources::ANSWER } else { WORTH }
    }

    /// Takes what the expression walked last may hold.
    pub(super) fn take(&mut self) -> TaintSources {
        std::mem::take(&mut self.held)
    }

    /// Declares a name in the innermost function. Names that hold nothing are kept only where they hide one that does.
    pub(super) fn declare(&mut self, name: &str, sources: TaintSources) {
        if sources.is_empty() && (self.names.is_empty() || !self.names.contains_key(name)) {
            return;
        }
        let depth = self.scopes.len();
        let stack = self.names.entry(name.to_owned()).or_default();
        match stack.last_mut() {
            // Joined and never replaced, so that the last of two branches does not clear the first.
            Some((at, known)) if *at == depth => *known |= sources,
            _ => {
                stack.push((depth, sources));
                if let Some(scope) = self.scopes.last_mut() {
                    scope.declared.push(name.to_owned());
                }
            }
        }
    }

    /// The sources behind a path in plain text, where this file wrote there before.
    pub(super) fn at_path(&self, path: &str) -> TaintSources {
        if self.files.is_empty() {
            return TaintSources::NONE;
        }
        self.files.get(path).copied().unwrap_or_default()
    }

    /// Notes what is written to a path in plain text.
    pub(super) fn write_to(&mut self, path: &str, sources: TaintSources) {
        // Bounds memory; to forget the rest errs towards saying nothing.
        if path.len() <= MAX_PATH && self.files.len() < MAX_FILES {
            *self.files.entry(path.to_owned()).or_default() |= sources;
        }
    }

    /// Adds to what a name may hold: for the whole file where the name is bound but once, else in this function.
    pub(super) fn assign(&mut self, name: &str, sources: TaintSources, unique: bool) {
        if sources.is_empty() {
            return;
        }
        let depth = self.scopes.len();
        match self.names.get_mut(name).and_then(|stack| stack.last_mut()) {
            Some((_, known)) => *known |= sources,
            // Bound once, it is the same variable in every function, so it outlives this one.
            None if unique => {
                self.names.insert(name.to_owned(), vec![(0, sources)]);
            }
            None => {
                self.names.insert(name.to_owned(), vec![(depth, sources)]);
                if let Some(scope) = self.scopes.last_mut() {
                    scope.declared.push(name.to_owned());
                }
            }
        }
    }

    /// Enters the function whose name was left in `name`; gives what its parameters hold, in their order, and what any
    /// further ones do.
    pub(super) fn enter(&mut self) -> (Vec<TaintSources>, TaintSources) {
        let name = self.name.take();
        let given = std::mem::take(&mut self.given);
        let known = name.as_ref().and_then(|name| self.inputs.get(name)).cloned().unwrap_or_default();
        if let Some(name) = &name {
            self.entered.insert(name.clone());
        }
        // The expression around the function is half walked; its value comes back when the function is left.
        let outside = self.take();
        self.scopes.push(Scope { name, outside, ..Scope::default() });
        (known, given)
    }

    /// Leaves a function: it holds nothing itself, so what was held before it is held again.
    pub(super) fn leave(&mut self) {
        let Some(scope) = self.scopes.pop() else { return };
        for name in scope.declared {
            if let Some(stack) = self.names.get_mut(&name) {
                stack.pop();
                if stack.is_empty() {
                    self.names.remove(&name);
                }
            }
        }
        (self.returned, self.held) = (scope.returned, scope.outside);
        let worth = self.worth();
        if let (Some(name), false) = (scope.name, scope.returned.is_empty()) {
            let known = self.returns.entry(name).or_default();
            // Only what was not known before asks for another walk, so that a file that is understood gets none.
            if !(scope.returned & worth & !*known).is_empty() {
                self.again = true;
            }
            *known |= scope.returned;
        }
    }

    /// Notes that the innermost function returns what is held.
    pub(super) fn give_back(&mut self, sources: TaintSources) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.returned |= sources;
        }
    }

    /// The sources in the result of a call of a function of this file.
    pub(super) fn returns(&self, name: &str) -> TaintSources {
        if self.returns.is_empty() {
            return TaintSources::NONE;
        }
        self.returns.get(name).copied().unwrap_or_default()
    }

    /// Notes what a function of this file is called with.
    pub(super) fn pass(&mut self, name: &str, arguments: &[TaintSources]) {
        if arguments.iter().all(|sources| sources.is_empty()) {
            return;
        }
        let worth = self.worth();
        let known = self.inputs.entry(name.to_owned()).or_default();
        for (index, sources) in arguments.iter().take(MAX_PARAMETERS).enumerate() {
            if known.len() <= index {
                known.push(TaintSources::NONE);
            }
            if let Some(slot) = known.get_mut(index) {
                // A function that is still to be entered will see this in the same walk.
                if !(*sources & worth & !*slot).is_empty() && self.entered.contains(name) {
                    self.again = true;
                }
                *slot |= *sources;
            }
        }
    }

    /// Notes what a function of this file is given by the name of a parameter.
    pub(super) fn pass_named(&mut self, name: &str, parameter: &str, sources: TaintSources) {
        if sources.is_empty() {
            return;
        }
        let worth = self.worth();
        let slot = self.named.entry(name.to_owned()).or_default().entry(parameter.to_owned()).or_default();
        if !(sources & worth & !*slot).is_empty() && self.entered.contains(name) {
            self.again = true;
        }
        *slot |= sources;
    }

    /// The sources that a function of this file is given by the name of a parameter.
    pub(super) fn named(&self, name: &str, parameter: &str) -> TaintSources {
        if self.named.is_empty() {
            return TaintSources::NONE;
        }
        self.named.get(name).and_then(|given| given.get(parameter)).copied().unwrap_or_default()
    }

    /// Adds to what a member of a class of this file may hold, in whichever of its functions.
    pub(super) fn assign_member(&mut self, member: &str, sources: TaintSources) {
        // A function above the assignment can know of it in another walk alone.
        if !(sources & self.worth() & !self.of(member)).is_empty() {
            self.again = true;
        }
        self.assign(member, sources, true);
    }

    /// Begins another walk over the same file with what is known of its functions and its outermost names.
    pub(super) fn restart(&mut self) {
        self.scopes.clear();
        self.entered.clear();
        self.names.retain(|_, stack| {
            // What functions above an assignment could not know of a global, they know in the next walk.
            stack.truncate(1);
            stack.first().is_some_and(|(depth, _)| *depth == 0)
        });
        (self.held, self.again) = (TaintSources::NONE, false);
        (self.given, self.name, self.promised) = (TaintSources::NONE, None, TaintSources::NONE);
    }
}
