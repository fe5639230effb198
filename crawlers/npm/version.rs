//! The order of versions, as far as a fallback needs it.
//!
//! Must not know ranges. Source: Semantic Versioning 2.0.0, section 11; what does not parse comes before what does.

/// A version that parses. Orders by precedence; build metadata is dropped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    core: (u64, u64, u64),
    is_release: bool,
    pre: Vec<Identifier>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    Number(u64),
    Text(String),
}

impl Version {
    /// Reads `1.2.3`, `1.2.3-beta.1` and the like.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.split_once('+').map_or(text, |(text, _)| text);
        let (core, pre) = text.split_once('-').map_or((text, None), |(core, pre)| (core, Some(pre)));
        let mut numbers = core.split('.').map(|number| number.parse::<u64>().ok());
        let core = (numbers.next()??, numbers.next()??, numbers.next()??);
        if numbers.next().is_some() {
            return None;
        }
        let identifier =
            |part: &str| part.parse().map_or_else(|_| Identifier::Text(part.to_owned()), Identifier::Number);
        let pre_identifiers = pre.map(|pre| pre.split('.').map(identifier).collect()).unwrap_or_default();
        Some(Self { core, is_release: pre.is_none(), pre: pre_identifiers })
    }

    /// Whether it is no pre-release.
    pub(crate) const fn is_release(&self) -> bool {
        self.is_release
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_order_as_the_standard_says() {
        let ordered = [
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1",
            "1.0.0",
            "1.0.1",
            "1.2.0",
            "1.10.0",
            "2.0.0",
        ];
        let parsed: Vec<_> = ordered.iter().map(|text| Version::parse(text).expect("a version")).collect();
        assert!(parsed.is_sorted());
        assert_eq!(Version::parse("1.0.0+a"), Version::parse("1.0.0+b"));
        for text in ["", "1", "1.2", "1.2.3.4", "v1.2.3", "latest", "99999999999999999999.0.0"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }
}
