//! The parameters beside the path: decoded, known, bounded.
//!
//! A parameter that a route does not describe is a mistake of who asks, and said to be one.

use std::collections::BTreeMap;
use std::str::FromStr;

/// Bytes of one value at most.
const LONGEST: usize = 2_000;

/// The parameters of one request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct HttpQuery(BTreeMap<String, String>);

impl HttpQuery {
    /// Reads what stands after the `?`; only names in `known`, each once.
    pub(super) fn read(text: &str, known: &[&str]) -> Result<Self, String> {
        let mut values = BTreeMap::new();
        // An empty pair comes from `&&` or a trailing `&`, and means nothing.
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            // A plus sign is a blank in a query, and only there.
            let name = decoded(&name.replace('+', " ")).ok_or("a parameter's name is not UTF-8")?;
            let value = decoded(&value.replace('+', " ")).ok_or("a parameter's value is not UTF-8")?;
            // Checked against the route, so that a misspelt filter is told instead of giving everything.
            if !known.contains(&name.as_str()) {
                return Err(format!("there is no such parameter here; the parameters are: {}", known.join(", ")));
            }
            if value.len() > LONGEST || values.insert(name, value).is_some() {
                return Err("a parameter is given twice or is too long".to_owned());
            }
        }
        Ok(Self(values))
    }

    /// A parameter's text; none where it is not given or empty.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// A parameter as something that can be read from text.
    pub(super) fn parsed<T: FromStr>(&self, name: &str) -> Result<Option<T>, String> {
        self.text(name).map(|text| text.parse().map_err(|_| format!("{name} cannot be read"))).transpose()
    }

    /// The same for the same parameters, in whatever order they came.
    pub(super) fn key(&self) -> String {
        // Zero bytes between: a value that holds `&` or `=` cannot pass for two parameters.
        self.0.iter().map(|(name, value)| format!("\u{0}{name}={value}")).collect()
    }
}

/// Text without its percent signs; none where it is not UTF-8 then, or a sign stands alone.
pub(super) fn decoded(text: &str) -> Option<String> {
    // Most paths have no percent sign, and need no second pass.
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            // A sign without two digits has no meaning that two programs would agree on.
            let (high, low) = (digit(rest.next())?, digit(rest.next())?);
            bytes.push(high * 16 + low);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_known_single_and_decoded() {
        let known = ["q", "limit"];
        let query = HttpQuery::read("q=a%20b+c&limit=5&", &known).expect("reads");
        assert_eq!(query.text("q"), Some("a b c"));
        assert_eq!(query.parsed::<u64>("limit"), Ok(Some(5)));
        assert_eq!(query.key(), HttpQuery::read("limit=5&q=a+b%20c", &known).expect("reads").key());
        assert_eq!(HttpQuery::read("q=", &known).expect("reads").text("q"), None);
        assert!(HttpQuery::read("x=1", &known).is_err());
        assert!(HttpQuery::read("q=1&q=2", &known).is_err());
        assert!(HttpQuery::read("q=%ff", &known).is_err());
        assert!(HttpQuery::read("q=%2", &known).is_err());
        assert!(HttpQuery::read(&format!("q={}", "x".repeat(2_001)), &known).is_err());
        assert!(HttpQuery::read("limit=-1", &known).expect("reads").parsed::<u64>("limit").is_err());
    }
}
