//! The order of Python versions, as far as choosing the newest needs it.
//!
//! Must not know specifiers. Source: PEP 440; what does not parse comes before what does and counts as a pre-release.

/// A version that parses. Orders as PEP 440 says; local parts order as text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    epoch: u64,
    release: Vec<u64>,
    pre: Stage,
    /// None comes first: a version is older than its post-releases.
    post: Option<u64>,
    dev: Development,
    local: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// Nothing but a development release: older than any pre-release.
    Development,
    Alpha(u64),
    Beta(u64),
    Candidate(u64),
    Final,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Development {
    Numbered(u64),
    None,
}

impl Version {
    /// Reads any spelling that PEP 440 allows, normal or not.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let text = text.strip_prefix('v').unwrap_or(&text);
        let (public, local) = text.split_once('+').unwrap_or((text, ""));
        let (epoch, public) = match public.split_once('!') {
            Some((epoch, public)) => (epoch.parse().ok()?, public),
            None => (0, public),
        };
        let (release, mut rest) = read_release(public)?;
        let mut version = Self {
            epoch,
            release,
            pre: Stage::Final,
            post: None,
            dev: Development::None,
            local: local.replace(['-', '_'], "."),
        };
        while !rest.is_empty() {
            rest = version.read_suffix(rest)?;
        }
        if version.dev != Development::None && version.pre == Stage::Final && version.post.is_none() {
            version.pre = Stage::Development;
        }
        Some(version)
    }

    /// Whether it is an alpha, a beta, a candidate or a development release.
    pub(crate) fn is_prerelease(&self) -> bool {
        self.pre != Stage::Final || self.dev != Development::None
    }

    /// Reads one suffix such as `rc1`, `.post2` or `-3` into `self`, and gives what follows.
    fn read_suffix<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        let is_separator = |letter: char| matches!(letter, '.' | '-' | '_');
        let bare = text.strip_prefix(is_separator).unwrap_or(text);
        let word_end = bare.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(bare.len());
        let (word, rest) = bare.split_at_checked(word_end)?;
        let digits_at =
            rest.strip_prefix(is_separator).filter(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()));
        let digits = digits_at.unwrap_or(rest);
        let digits_end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
        let (number, after) = digits.split_at_checked(digits_end)?;
        let number = if number.is_empty() { None } else { Some(number.parse::<u64>().ok()?) };
        let value = number.unwrap_or(0);
        match word {
            "a" | "alpha" => self.pre = Stage::Alpha(value),
            "b" | "beta" => self.pre = Stage::Beta(value),
            "rc" | "c" | "pre" | "preview" => self.pre = Stage::Candidate(value),
            "post" | "rev" | "r" => self.post = Some(value),
            "dev" => self.dev = Development::Numbered(value),
            // `1.0-1` is `1.0.post1`.
            "" if text.starts_with('-') => self.post = Some(number?),
            _ => return None,
        }
        Some(after)
    }
}

/// Reads `1.2.3` from the beginning, without the zeros at its end, and gives what follows.
fn read_release(text: &str) -> Option<(Vec<u64>, &str)> {
    let mut release = Vec::new();
    let mut rest = text;
    loop {
        let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let (number, after) = rest.split_at_checked(end)?;
        release.push(number.parse().ok()?);
        match after.strip_prefix('.') {
            Some(next) if next.starts_with(|letter: char| letter.is_ascii_digit()) => rest = next,
            _ => {
                while release.last() == Some(&0) {
                    release.pop();
                }
                return Some((release, after));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn versions_order_as_the_standard_says() {
        let ordered = [
            "1.0.dev1",
            "1.0a1.dev1",
            "1.0a1",
            "1.0a2",
            "1.0b1",
            "1.0rc1",
            "1.0",
            "1.0+local",
            "1.0.post1.dev1",
            "1.0.post1",
            "1.0.1",
            "1.2",
            "1.10",
            "2020.1",
            "1!0.1",
        ];
        let parsed: Vec<_> = ordered.iter().map(|text| Version::parse(text).expect("a version")).collect();
        for (one, next) in parsed.iter().zip(parsed.iter().skip(1)) {
            assert!(one < next, "{one:?} {next:?}");
        }
    }

    #[test]
    fn spellings_of_one_version_are_equal() {
        for (one, other) in [
            ("1.0", "v1.0.0"),
            ("1.0rc1", "1.0-C.1"),
            ("1.0a0", "1.0alpha"),
            ("1.0.post1", "1.0-1"),
            ("1.0.post0", "1.0_rev"),
            ("1.0.dev0", "1.0-DEV"),
            ("1.0+a.b", "1.0+A-b"),
        ] {
            assert_eq!(Version::parse(one), Version::parse(other), "{one}");
            assert!(Version::parse(one).is_some());
        }
    }

    #[test]
    fn prereleases_are_told_and_nonsense_is_not_read() {
        let is_prerelease = |text: &str| Version::parse(text).expect("a version").is_prerelease();
        assert!(is_prerelease("1.0a1") && is_prerelease("1.0.dev1") && is_prerelease("1.0.post1.dev1"));
        assert!(!is_prerelease("1.0") && !is_prerelease("1.0.post1"));
        for text in ["", "a", "1.0x", "1.0..1", "1.0-", "1..0", "99999999999999999999", "1.0 2"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "[v0-9a-z.!+_ä-]{0,20}") {
            let _ = Version::parse(&text);
        }
    }
}
