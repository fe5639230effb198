//! `TaintedValue`: the data in a pipe, a variable or a file, as far as the text of a script tells.
//!
//! Each command takes one as its input and gives one as its output.

/// The longest text that is kept of what flows; a longer one is unknown.
const LONGEST: usize = 4 << 10;
/// The number of names that are kept of each kind.
const MOST: usize = 4;

/// The text before the name of a secret that no file holds: a program or the machine's own service hands it out.
pub(super) const AMBIENT_CREDENTIAL: &str = "the output of ";

/// The known text and taint sources of some data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TaintedValue {
    /// Its text; where it is not known, what is shown in its place.
    pub(super) text: String,
    /// True where the text is not known.
    pub(super) unknown: bool,
    /// It came over the network.
    pub(super) network: bool,
    /// It came out of this decoder.
    pub(super) decoded: Option<&'static str>,
    /// It holds what this secret path names.
    pub(super) secret: Option<String>,
    /// It holds this variable, whose name says that it is secret.
    pub(super) token: Option<String>,
    /// It holds this variable, which comes from outside the text.
    pub(super) given: Option<String>,
    /// It holds such a variable in an encoding that its sender chose.
    pub(super) encoded: Option<String>,
    /// It holds all environment variables.
    pub(super) environment: bool,
    /// It holds the user's work: the source of the repository, a folder of documents, a file that the script is given.
    pub(super) work: bool,
    /// The addresses that it came from.
    pub(super) addresses: Vec<String>,
    /// The files that it was read from.
    pub(super) files: Vec<String>,
}

impl TaintedValue {
    /// Known text.
    pub(super) fn of(text: impl Into<String>) -> Self {
        let mut value = Self { text: text.into(), ..Self::default() };
        value.cap();
        value
    }

    /// The unknown content of a file.
    pub(super) fn of_file(path: &str) -> Self {
        Self { unknown: true, files: vec![path.to_owned()], ..Self::default() }
    }

    /// Unknown data that came from addresses.
    pub(super) fn of_network(addresses: Vec<String>) -> Self {
        Self { unknown: true, network: true, addresses, ..Self::default() }
    }

    /// Adds what else flows, its text behind this one's.
    pub(super) fn join(&mut self, other: &Self) {
        self.text.push_str(&other.text);
        self.unknown |= other.unknown;
        self.taint(other);
        self.cap();
    }

    /// Takes over where other data came from, not its text.
    pub(super) fn taint(&mut self, other: &Self) {
        self.network |= other.network;
        self.environment |= other.environment;
        self.work |= other.work;
        // The first origin is kept: it is the one that the event names.
        self.decoded = self.decoded.or(other.decoded);
        if self.secret.is_none() {
            self.secret.clone_from(&other.secret);
        }
        if self.token.is_none() {
            self.token.clone_from(&other.token);
        }
        if self.given.is_none() {
            self.given.clone_from(&other.given);
        }
        if self.encoded.is_none() {
            self.encoded.clone_from(&other.encoded);
        }
        add(&mut self.addresses, &other.addresses);
        add(&mut self.files, &other.files);
    }

    /// The same data after a program changed it.
    pub(super) fn changed(mut self) -> Self {
        self.unknown = true;
        self.text.clear();
        self
    }

    /// The text, where it is known and there is some.
    pub(super) fn known(&self) -> Option<&str> {
        (!self.unknown && !self.text.is_empty()).then_some(self.text.as_str())
    }

    fn cap(&mut self) {
        if self.text.len() > LONGEST {
            // Dropped and not cut: half a command would be followed as another one.
            self.text = String::new();
            self.unknown = true;
        }
    }
}

fn add(names: &mut Vec<String>, more: &[String]) {
    for name in more {
        // An event shows a few; a loop over a list of addresses must not grow it.
        if names.len() < MOST && !names.contains(name) {
            names.push(name.clone());
        }
    }
}
