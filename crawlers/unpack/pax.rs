//! PAX extended headers: the records that rename or resize the tar member after them.
//!
//! The parser is stricter than readers in use: wherever those disagree about a block of records, it is refused.
//! Stricter than readers in use: wherever those disagree about a block of records, it is refused. Source: POSIX.1-2024,
//! `pax`, "pax Extended Header"; GHSA-3pv8-6f4r-ffg2 for what disagreement allows.

/// The records that matter here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pax {
    /// The member's path.
    pub(super) path: Option<Vec<u8>>,
    /// The target of a link.
    pub(super) link: Option<Vec<u8>>,
    /// The member's size in bytes.
    pub(super) size: Option<u64>,
    /// True where the member is sparse.
    pub(super) sparse: bool,
    /// A remark, which changes nothing.
    pub(super) comment: Option<Vec<u8>>,
}

impl Pax {
    /// Reads a block of records `<length> <key>=<value>\n`. The error says what is wrong.
    pub(super) fn parse(mut block: &[u8]) -> Result<Self, String> {
        let mut pax = Self::default();
        while !block.is_empty() {
            let (key, value, rest) = record(block).ok_or("a record of an extended header is malformed")?;
            block = rest;
            let repeated = match key {
                b"path" => pax.path.replace(value.to_vec()).is_some(),
                b"comment" => pax.comment.replace(value.to_vec()).is_some(),
                b"linkpath" => pax.link.replace(value.to_vec()).is_some(),
                b"size" => {
                    let size = number(value).ok_or("the size in an extended header is no number")?;
                    pax.size.replace(size).is_some()
                }
                _ => {
                    pax.sparse |= key.starts_with(b"GNU.sparse.");
                    false
                }
            };
            // Readers differ in which of two values they take.
            if repeated {
                return Err(format!("an extended header states `{}` twice", String::from_utf8_lossy(key)));
            }
        }
        Ok(pax)
    }

    /// True where the records change neither where a member lies nor what it is called. Those of the whole archive must
    /// be so.
    pub(super) fn is_neutral(&self) -> bool {
        *self == Self { comment: self.comment.clone(), ..Self::default() }
    }
}

/// Splits off the first record: key, value, rest.
fn record(block: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = block.iter().position(|byte| *byte == b' ')?;
    let length = usize::try_from(number(block.get(..space)?)?).ok()?;
    let body = block.get(space + 1..length)?.strip_suffix(b"\n")?;
    let equals = body.iter().position(|byte| *byte == b'=')?;
    Some((body.get(..equals)?, body.get(equals + 1..)?, block.get(length..)?))
}

/// Decimal digits and nothing else.
fn number(text: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(text).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn records_are_read_by_their_length_and_not_by_lines() {
        let pax = Pax::parse(b"12 path=a\nb\n10 size=7\n20 mtime=1700000000\n").expect("parses");
        assert_eq!(pax, Pax { path: Some(b"a\nb".to_vec()), size: Some(7), ..Pax::default() });
        assert!(!pax.is_neutral());
        assert!(Pax::parse(b"13 comment=x\n").expect("parses").is_neutral());
        assert!(Pax::parse(b"22 GNU.sparse.major=1\n").expect("parses").sparse);
    }

    #[test]
    fn what_readers_take_differently_is_refused() {
        for block in [
            &b"8 path=a\n"[..],
            b"99 path=a\n",
            b"+9 path=a\n",
            b"x",
            b"0 ",
            b"10 size=-1\n",
            b"10 size=+1\n",
            b"10 path=a\n10 path=b\n",
        ] {
            assert!(Pax::parse(block).is_err(), "{block:?}");
        }
    }

    proptest! {
        #[test]
        fn no_block_panics(block in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Pax::parse(&block);
        }

        #[test]
        fn no_near_block_panics(block in "[0-9]{0,2} ?(path|size|x)?=?[0-9a]{0,5}\n?[0-9]{0,20} ?") {
            let _ = Pax::parse(block.as_bytes());
        }
    }
}
