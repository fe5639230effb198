//! Words that say what a thing is made of or for, and not whose it is. Put before or after a name, they make no new
//! one.
//!
//! The same words serve every directory. Some say what kind of thing it is (`mcp`, `server`), some only how it is dressed
//! (`js`, `new`): a vendor's word with one of the first is another thing of or for that vendor, and no likeness.

/// Words that are put around names of packages and servers, sorted; and whether each says what kind of thing it is.
const AFFIXES: [(&str, bool); 80] = [
    ("ai", true),
    ("api", true),
    ("app", true),
    ("async", false),
    ("auth", true),
    ("beta", false),
    ("bot", true),
    ("browser", true),
    ("cli", true),
    ("client", true),
    ("cloud", true),
    ("common", false),
    ("community", false),
    ("core", false),
    ("dev", false),
    ("es", false),
    ("es6", false),
    ("esm", false),
    ("extension", true),
    ("fork", false),
    ("framework", false),
    ("free", false),
    ("helper", false),
    ("helpers", false),
    ("install", false),
    ("installer", false),
    ("integration", true),
    ("io", true),
    ("java", false),
    ("js", false),
    ("kit", false),
    ("lab", false),
    ("latest", false),
    ("lib", false),
    ("library", false),
    ("light", false),
    ("lite", false),
    ("local", true),
    ("main", false),
    ("mcp", true),
    ("mod", false),
    ("modelcontextprotocol", false),
    ("module", false),
    ("my", false),
    ("new", false),
    ("next", false),
    ("node", false),
    ("nodejs", false),
    ("npm", false),
    ("official", false),
    ("org", false),
    ("orm", false),
    ("package", false),
    ("pip", false),
    ("pkg", false),
    ("plugin", true),
    ("plus", false),
    ("pro", false),
    ("py", false),
    ("python", false),
    ("python3", false),
    ("real", false),
    ("remote", true),
    ("rs", false),
    ("sdk", true),
    ("server", false),
    ("service", true),
    ("skill", true),
    ("skills", true),
    ("stable", false),
    ("team", false),
    ("tool", true),
    ("toolkit", true),
    ("tools", true),
    ("ts", false),
    ("typescript", false),
    ("unofficial", false),
    ("util", false),
    ("utils", false),
    ("v2", false),
];
/// The place in the table of the first affix that begins with each small letter, and the end of the table.
const STARTS: [usize; 27] = starts();

const fn starts() -> [usize; 27] {
    let (mut starts, mut letter, mut at) = ([0; 27], 0, 0);
    while letter < 27 {
        while at < AFFIXES.len() && (AFFIXES[at].0.as_bytes()[0] as usize) < b'a' as usize + letter {
            at += 1;
        }
        starts[letter] = at;
        letter += 1;
    }
    starts
}

/// Affixes, a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Affixes(u128);

impl Affixes {
    /// Those that say what kind of thing a name is the name of.
    const KINDS: Self = Self::kinds();

    const fn kinds() -> Self {
        let (mut bits, mut at) = (0, 0);
        while at < AFFIXES.len() {
            if AFFIXES[at].1 {
                bits |= 1 << at;
            }
            at += 1;
        }
        Self(bits)
    }

    /// The affix that a word is, as it stands there.
    pub(super) fn of(word: &str) -> Option<Self> {
        let letter = usize::from(word.bytes().next()?.checked_sub(b'a')?);
        let (from, to) = (*STARTS.get(letter)?, *STARTS.get(letter + 1)?);
        let at = AFFIXES.get(from..to)?.iter().position(|(affix, _)| *affix == word)?;
        Some(Self(1 << (from + at)))
    }

    /// True where a word is one of them.
    pub(super) fn has(word: &str) -> bool {
        Self::of(word).is_some()
    }

    pub(super) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// True where both have one.
    pub(super) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// True where one of them says what kind of thing a name is the name of.
    pub(super) fn say_kind(self) -> bool {
        self.meets(Self::KINDS)
    }
}

/// Those that are written without anything between them and the name, before it.
pub(super) const GLUED_BEFORE: [&str; 5] = ["mcp", "node", "py", "python", "the"];

/// Those that are written so after it.
pub(super) const GLUED_AFTER: [&str; 12] =
    ["api", "cli", "dev", "io", "js", "lib", "mcp", "node", "official", "py", "sdk", "ts"];

/// Words put to a brand in the name of a host to be taken for it, sorted.
pub(super) const HOST_AFFIXES: [&str; 44] = [
    "account", "accounts", "ai", "api", "app", "apps", "auth", "billing", "checkout", "cloud", "connect", "dev",
    "docs", "download", "gateway", "get", "help", "hub", "id", "install", "login", "mail", "mcp", "my", "official",
    "online", "pay", "payment", "payments", "portal", "pro", "secure", "security", "server", "service", "sign",
    "signin", "sso", "support", "team", "update", "verify", "wallet", "web",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_that_are_searched_are_sorted() {
        assert!(AFFIXES.is_sorted());
        assert!(HOST_AFFIXES.is_sorted());
    }

    #[test]
    fn every_affix_is_found_and_nothing_else() {
        for (at, (word, says_kind)) in AFFIXES.iter().enumerate() {
            let found = Affixes::of(word).unwrap();
            assert_eq!((found, found.say_kind()), (Affixes(1 << at), *says_kind), "{word}");
        }
        assert!(["", "a", "aj", "zz", "mcps", "{", "é", "Ai"].into_iter().all(|word| !Affixes::has(word)));
    }
}
