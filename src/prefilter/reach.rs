//! The longest match of an expression in a text: its fixed length, and the longest runs of letters and blanks that the
//! text has, as often as the expression may take one in.
//!
//! Exact on purpose: a text with a run of a hundred thousand blanks has long matches, and they are found.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};
use serde::{Deserialize, Serialize};

/// The longest runs of a text, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runs {
    /// Blanks.
    pub blanks: usize,
    /// Bytes of words.
    pub word: usize,
    /// Anything but blanks.
    pub dense: usize,
    /// Anything but line breaks.
    pub line: usize,
}

/// The length of a match: so many bytes, and so many runs of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchReach {
    fixed: usize,
    runs: Runs,
}

impl MatchReach {
    /// The reach of an expression, or of a part of one; none where nothing bounds it.
    pub fn of(part: &Hir) -> Option<Self> {
        match part.kind() {
            HirKind::Empty | HirKind::Look(_) => Some(Self::default()),
            HirKind::Literal(literal) => Some(Self { fixed: literal.0.len(), ..Self::default() }),
            HirKind::Class(_) => Some(Self { fixed: part.properties().maximum_len()?, ..Self::default() }),
            HirKind::Capture(capture) => Self::of(&capture.sub),
            HirKind::Repetition(repetition) => match repetition.max {
                Some(most) => Some(Self::of(&repetition.sub)?.times(usize::try_from(most).ok()?)),
                None => of_run(repetition),
            },
            HirKind::Concat(parts) => sum(parts, usize::saturating_add),
            HirKind::Alternation(parts) => sum(parts, usize::max),
        }
    }

    /// The most bytes that a match can have in a text with such runs.
    pub fn within(&self, longest: &Runs) -> usize {
        let of_runs = [
            self.runs.blanks.saturating_mul(longest.blanks),
            self.runs.word.saturating_mul(longest.word),
            self.runs.dense.saturating_mul(longest.dense),
            self.runs.line.saturating_mul(longest.line),
        ];
        of_runs.into_iter().fold(self.fixed, usize::saturating_add)
    }

    fn joined(self, other: Self, join: fn(usize, usize) -> usize) -> Self {
        let runs = Runs {
            blanks: join(self.runs.blanks, other.runs.blanks),
            word: join(self.runs.word, other.runs.word),
            dense: join(self.runs.dense, other.runs.dense),
            line: join(self.runs.line, other.runs.line),
        };
        Self { fixed: join(self.fixed, other.fixed), runs }
    }

    fn times(self, count: usize) -> Self {
        let all = Self { fixed: count, runs: Runs { blanks: count, word: count, dense: count, line: count } };
        self.joined(all, usize::saturating_mul)
    }
}

fn sum(parts: &[Hir], join: fn(usize, usize) -> usize) -> Option<MatchReach> {
    parts.iter().try_fold(MatchReach::default(), |all, part| Some(all.joined(MatchReach::of(part)?, join)))
}

/// A repetition without end of bytes of one kind is a run of them.
fn of_run(repetition: &Repetition) -> Option<MatchReach> {
    let all = |fits: fn(u8) -> bool| holds_only(&repetition.sub, fits);
    let mut runs = Runs::default();
    if all(is_blank) {
        runs.blanks = 1;
    } else if all(is_word) {
        runs.word = 1;
    } else if all(|byte| !is_blank(byte)) {
        runs.dense = 1;
    } else if all(|byte| byte != b'\n') {
        runs.line = 1;
    } else {
        return None;
    }
    Some(MatchReach { fixed: 0, runs })
}

/// True where every match of a part consists of bytes of one kind.
pub(crate) fn holds_only(part: &Hir, fits: fn(u8) -> bool) -> bool {
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => true,
        HirKind::Literal(literal) => literal.0.iter().all(|byte| fits(*byte)),
        HirKind::Class(Class::Bytes(class)) => class.iter().all(|range| (range.start()..=range.end()).all(fits)),
        HirKind::Class(Class::Unicode(_)) => false,
        HirKind::Capture(capture) => holds_only(&capture.sub, fits),
        HirKind::Repetition(repetition) => holds_only(&repetition.sub, fits),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().all(|part| holds_only(part, fits)),
    }
}

/// The class that `\s` stands for. Without a jump, so that many bytes are asked at once.
pub const fn is_blank(byte: u8) -> bool {
    (byte.wrapping_sub(b'\t') < 5) | (byte == b' ')
}

/// A byte as the prefilter looks at it: in lower case, and every blank as a space.
pub const fn seen(byte: u8) -> u8 {
    if is_blank(byte) { b' ' } else { byte.to_ascii_lowercase() }
}

/// The class that `\w` stands for. Without a jump, too.
pub const fn is_word(byte: u8) -> bool {
    let small = byte | 0x20;
    (small.wrapping_sub(b'a') < 26) | (byte.wrapping_sub(b'0') < 10) | (byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::super::parsed;
    use super::*;

    #[test]
    fn every_byte_is_of_its_kind() {
        for byte in 0..=u8::MAX {
            assert_eq!(is_word(byte), byte.is_ascii_alphanumeric() || byte == b'_', "{byte}");
            assert_eq!(is_blank(byte), matches!(byte, b'\t'..=b'\r' | b' '), "{byte}");
        }
    }

    fn reach(pattern: &str) -> Option<usize> {
        let parsed = parsed(pattern).expect("the pattern is valid");
        MatchReach::of(&parsed).map(|reach| reach.within(&Runs { blanks: 10, word: 100, dense: 1_000, line: 10_000 }))
    }

    #[test]
    fn a_match_is_as_long_as_its_parts() {
        assert_eq!(reach(r"\bcurl\b"), Some(4));
        assert_eq!(reach(r"(?:curl|wget2)[^\n]{0,80}"), Some(85));
        assert_eq!(reach(r"a\s+b"), Some(12));
        assert_eq!(reach(r"(?:\w+[ \t]+){0,3}x*"), Some(3 * 110 + 100));
        assert_eq!(reach(r"[\w.-]+\S*"), Some(2_000));
        assert_eq!(reach(r"a[^\n]*"), Some(10_001));
        assert_eq!(reach(r"(?:ab)+(?:\.[\w-]+)*"), Some(1_100));
    }

    #[test]
    fn what_nothing_bounds_has_no_length() {
        assert_eq!(reach(r"(?:ab )+\n"), Some(10_001));
        assert_eq!(reach(r"(?:a\s+)+"), None);
        assert_eq!(reach(r"a[^b]*"), None);
    }
}
