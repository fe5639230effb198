//! Keys: a number for each word, and sets of such numbers; and sets of marks. They tell most words and texts from what
//! is looked for without a look at their letters.
//!
//! Word lists and sentences have such sets, which are compared before any word is.

/// A number of a word's letters (FNV-1a): words with another one are other words.
pub(crate) const fn hash(word: &[u8]) -> u32 {
    let (mut hash, mut rest) = (0x811c_9dc5_u32, word);
    while let [byte, behind @ ..] = rest {
        hash = (hash ^ *byte as u32).wrapping_mul(0x0100_0193);
        rest = behind;
    }
    hash
}

/// The key of a word with such a hash.
pub(super) const fn key(hash: u32) -> u8 {
    hash.to_be_bytes()[0]
}

/// A set of keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordKeys([u64; 4]);

impl WordKeys {
    /// Every key.
    pub(super) const ALL: Self = Self([u64::MAX; 4]);

    /// The keys of a choice of words; every key where one of them fits more than one word.
    pub(super) const fn of(words: &[&str]) -> Self {
        let (mut keys, mut rest) = (Self([0; 4]), words);
        while let [first, others @ ..] = rest {
            // A prefix fits words with any hash, so it lets every key through.
            keys = match first.as_bytes() {
                [.., b'*'] => Self::ALL,
                word => keys.with(key(hash(word))),
            };
            rest = others;
        }
        keys
    }

    /// These and one more.
    pub(super) const fn with(self, key: u8) -> Self {
        let (Self([a, b, c, d]), bit) = (self, 1 << (key % 64));
        match key / 64 {
            0 => Self([a | bit, b, c, d]),
            1 => Self([a, b | bit, c, d]),
            2 => Self([a, b, c | bit, d]),
            _ => Self([a, b, c, d | bit]),
        }
    }

    /// True where a key is among them.
    pub(super) fn hold(&self, key: u8) -> bool {
        self.0.get(usize::from(key / 64)).is_some_and(|bits| bits >> (key % 64) & 1 == 1)
    }

    /// True where two sets have a key in common.
    pub(super) const fn meet(&self, other: &Self) -> bool {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        (a & e) | (b & f) | (c & g) | (d & h) != 0
    }
}

/// A set of marks of ASCII, and whether there is anything but printable ASCII.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(u128);

impl Marks {
    /// Anything may be there.
    pub const ANY: Self = Self(u128::MAX);
    /// Something other than printable ASCII, blanks and line ends.
    pub const STRANGE: Self = Self(1);

    /// Those of some that are ASCII.
    pub const fn of(marks: &[char]) -> Self {
        let (mut set, mut rest) = (Self(0), marks);
        while let [mark, others @ ..] = rest {
            if mark.is_ascii() {
                set = set.with(*mark as u8);
            }
            rest = others;
        }
        set
    }

    /// These and one more.
    pub(super) const fn with(self, mark: u8) -> Self {
        if mark.is_ascii() { Self(self.0 | 1 << mark) } else { self }
    }

    /// Both sets together.
    pub(super) const fn with_all(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// True where two sets have one in common.
    pub const fn any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// True where a byte is among them.
    pub(super) const fn hold(self, byte: u8) -> bool {
        byte.is_ascii() && self.0 >> byte & 1 == 1
    }
}
