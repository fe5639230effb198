//! Patterns in which `*` stands for any text: of suppressions, and of the files that a method reads.

/// True where a text fits a pattern in which `*` stands for any text, also none. Takes time in proportion to both.
pub fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    // The text before the first `*` is bound to the beginning, and the text after the last to the end.
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        // The earliest place leaves the most for the parts after it.
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, text) in
            [("a", "a"), ("*", ""), ("a*", "a"), ("a*c", "abc"), ("*b*b*", "abxbc"), ("a*bc", "abcbc")]
        {
            assert!(fits(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a", "ab"), ("", "a"), ("a*a", "a"), ("a*c", "acb"), ("*b*b*", "ab"), ("[a]", "a")] {
            assert!(!fits(pattern, text), "{pattern} {text}");
        }
    }
}
