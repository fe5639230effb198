//! `FolderOptions`: how a local input is read, and `PathPattern`, which names what is left out.

use crate::unpack::UnpackLimits;

/// How a local input is read.
#[derive(Clone, Debug)]
pub struct FolderOptions {
    /// The budgets of the whole input.
    pub limits: UnpackLimits,
    /// Paths of a folder that the operator leaves out.
    pub exclude: Vec<PathPattern>,
    /// True where installed dependencies and caches of a folder are left out: `node_modules`, virtual environments, the
    /// caches of package managers and tools.
    pub default_excludes: bool,
}

impl Default for FolderOptions {
    fn default() -> Self {
        Self { limits: UnpackLimits::default(), exclude: Vec::new(), default_excludes: true }
    }
}

/// A pattern for paths inside an input: `*` and `?` stand for letters of one name, `**` for any folders. A pattern without
/// a `/` is held against each name of a path, any other against the path from the input's root. What lies below a folder
/// that fits is left out with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern {
    parts: Vec<String>,
}

impl std::str::FromStr for PathPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain = text.strip_prefix("./").unwrap_or(text);
        let is_anchored = plain.trim_end_matches('/').contains('/');
        let mut parts: Vec<String> =
            plain.split('/').filter(|part| !part.is_empty()).map(|part| (*part).to_owned()).collect();
        if parts.is_empty() || parts.iter().any(|part| part == "." || part == "..") {
            return Err("give a path inside the input, such as vendor, docs/** or *.min.js".to_owned());
        }
        if !is_anchored {
            parts.insert(0, "**".to_owned());
        }
        Ok(Self { parts })
    }
}

impl PathPattern {
    /// True where a whole path fits. Folders above it are asked before it.
    pub fn fits(&self, path: &str) -> bool {
        let names: Vec<&str> = path.split('/').collect();
        // The patterns that are reached after each name, as in any machine of states: no pattern costs more than its length.
        let mut reached = vec![false; self.parts.len() + 1];
        if let Some(first) = reached.first_mut() {
            *first = true;
        }
        self.pass_any(&mut reached);
        for name in names {
            let mut next = vec![false; reached.len()];
            for (at, part) in self.parts.iter().enumerate() {
                if reached.get(at) != Some(&true) {
                    continue;
                }
                let to = if part == "**" {
                    at
                } else if name_fits(part, name) {
                    at + 1
                } else {
                    continue;
                };
                if let Some(slot) = next.get_mut(to) {
                    *slot = true;
                }
            }
            self.pass_any(&mut next);
            reached = next;
        }
        reached.last() == Some(&true)
    }

    /// A `**` may stand for no folder at all.
    fn pass_any(&self, reached: &mut [bool]) {
        for (at, part) in self.parts.iter().enumerate() {
            if part == "**"
                && reached.get(at) == Some(&true)
                && let Some(next) = reached.get_mut(at + 1)
            {
                *next = true;
            }
        }
    }
}

/// True where one name fits a part with `*` and `?`.
fn name_fits(part: &str, name: &str) -> bool {
    let (part, name): (Vec<char>, Vec<char>) = (part.chars().collect(), name.chars().collect());
    let (mut at, mut in_name) = (0, 0);
    // Where the last `*` stands, and how many letters it takes so far.
    let mut star: Option<(usize, usize)> = None;
    while let Some(letter) = name.get(in_name) {
        match part.get(at) {
            Some('*') => {
                star = Some((at, in_name));
                at += 1;
            }
            Some(own) if *own == '?' || own == letter => {
                at += 1;
                in_name += 1;
            }
            _ => {
                let Some((before, taken)) = star else { return false };
                star = Some((before, taken + 1));
                at = before + 1;
                in_name = taken + 1;
            }
        }
    }
    part.iter().skip(at).all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_names_anywhere_or_paths_from_the_root() {
        for (pattern, path, fits) in [
            ("vendor", "vendor", true),
            ("vendor", "a/vendor", true),
            ("vendor/", "a/vendor", true),
            ("vendor", "a/vendored", false),
            ("*.min.js", "a/b/x.min.js", true),
            ("*.min.js", "x.min.js.map", false),
            ("docs/*", "docs/a", true),
            ("docs/*", "a/docs/b", false),
            ("docs/*", "docs", false),
            ("./docs/api", "docs/api", true),
            ("**/build", "a/b/build", true),
            ("a/**/z", "a/z", true),
            ("a/**/z", "a/b/c/z", true),
            ("a/**", "a/b/c", true),
            ("?.md", "a.md", true),
            ("?.md", "ab.md", false),
            ("a*b*c", "aXbYbc", true),
            ("a*b*c", "aXbYb", false),
        ] {
            let parsed: PathPattern = pattern.parse().expect(pattern);
            assert_eq!(parsed.fits(path), fits, "{pattern} {path}");
        }
        for wrong in ["", "/", "../a", "."] {
            assert!(wrong.parse::<PathPattern>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_pattern_of_stars_costs_no_more_than_its_length() {
        let pattern: PathPattern = "**/a/".repeat(200).parse().expect("a pattern");
        assert!(!pattern.fits(&"a/".repeat(400).replace("//", "/").trim_end_matches('/').replace('a', "b")));
        assert!(!name_fits(&"*a".repeat(60), &"a".repeat(59)));
    }
}
