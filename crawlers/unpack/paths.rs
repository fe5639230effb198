//! Which paths may stand in a tree: relative, with `/` between components, and a name on every system.
//!
//! Nothing is repaired: a path that some reader would take differently is refused, so that what is analysed is what is
//! installed. Sources: POSIX.1 pathnames; Microsoft, "Naming Files, Paths, and Namespaces".

use unicode_normalization::UnicodeNormalization;

use super::UnpackLimits;

/// The bytes of a refused name that a gap repeats.
const SHOWN_BYTES: usize = 256;

/// Device names of Windows, which open a device with any extension (`nul.txt`). The numbered ones are in
/// [`is_reserved`].
const RESERVED: &[&str] = &["aux", "con", "conin$", "conout$", "nul", "prn"];

/// Gives the path under which a member stands in the tree. It is `outer` (empty, or the path of the archive around it
/// with `!/`), followed by the member's own name without leading `./`.
///
/// The error says in words what is wrong with the name.
pub(crate) fn admit(name: &[u8], outer: &str, limits: &UnpackLimits) -> Result<String, String> {
    if name.len() > limits.path_bytes {
        return Err(format!("{} bytes, more than {}", name.len(), limits.path_bytes));
    }
    let name = std::str::from_utf8(name).map_err(|_| "not UTF-8".to_owned())?;
    let mut own = name;
    while let Some(rest) = own.strip_prefix("./") {
        own = rest;
    }
    if own.starts_with('/') {
        return Err("an absolute path".to_owned());
    }
    if own.contains('\\') {
        return Err("a backslash, which some systems take as a separator".to_owned());
    }
    if own.chars().any(char::is_control) {
        return Err("a control character".to_owned());
    }
    if matches!(own.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic()) {
        return Err("a drive letter".to_owned());
    }
    own.split('/').try_for_each(check_component)?;
    let path = format!("{outer}{own}");
    if path.len() > limits.path_bytes {
        return Err(format!("{} bytes, more than {}", path.len(), limits.path_bytes));
    }
    let components = path.split('/').count();
    if components > limits.path_components {
        return Err(format!("{components} components, more than {}", limits.path_components));
    }
    Ok(path)
}

fn check_component(component: &str) -> Result<(), String> {
    let why = match component {
        "" => "an empty name",
        "." => "a `.` inside the path",
        ".." => "a `..`",
        _ if component.ends_with(['.', ' ']) => "a name that ends in a dot or space, which Windows drops",
        _ if component.ends_with('!') => "a name that ends in `!`, which marks the inside of an archive",
        _ if is_reserved(component) => "a device name of Windows",
        _ => return Ok(()),
    };
    Err(why.to_owned())
}

fn is_reserved(component: &str) -> bool {
    // Windows opens the device for `con.txt` and `con .txt` too.
    let stem = component.split('.').next().unwrap_or(component).trim_end_matches(' ').to_lowercase();
    if RESERVED.contains(&stem.as_str()) {
        return true;
    }
    let number = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    // Windows counts the superscripts of Latin-1 as digits here.
    matches!(number, Some("1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "\u{b9}" | "\u{b2}" | "\u{b3}"))
}

/// The form under which paths become equal that a case-insensitive or normalising file system takes for one. It is NFKC
/// around a full change of case: the Unicode toNFKC_Casefold except for characters that it ignores.
pub(crate) fn fold(path: &str) -> String {
    if path.is_ascii() {
        return path.to_ascii_lowercase();
    }
    let folded: String = path.nfkc().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect();
    folded.nfkc().collect()
}

/// A refused name as a gap repeats it: as text, cut.
pub(crate) fn shown(name: &[u8]) -> String {
    let cut = name.get(..SHOWN_BYTES).unwrap_or(name);
    let text = String::from_utf8_lossy(cut);
    if cut.len() < name.len() { format!("{text}…") } else { text.into_owned() }
}

#[cfg(test)]
mod tests {
    use std::path::{Component, Path};

    use proptest::prelude::*;

    use super::*;

    fn admitted(name: &str) -> Result<String, String> {
        admit(name.as_bytes(), "", &UnpackLimits::default())
    }

    #[test]
    fn honest_paths_pass_as_they_are() {
        for path in
            ["a", "package/index.js", ".gitignore", "a b/c..d/...e", "日本/é.md", "console/com0/lpt10.c", "nulls"]
        {
            assert_eq!(admitted(path), Ok(path.to_owned()));
        }
        assert_eq!(admitted("././package/a"), Ok("package/a".to_owned()));
    }

    #[test]
    fn every_hostile_spelling_is_refused() {
        let hostile = [
            "",
            ".",
            "./",
            "..",
            "../a",
            "a/../b",
            "a/..",
            "/a",
            ".//a",
            "//server/share/a",
            "\\\\server\\share",
            "a\\b",
            "..\\a",
            "C:a",
            "c:/a",
            "C:\\a",
            "a//b",
            "a/",
            "a/./b",
            "a\0b",
            "a\nb",
            "a\u{7f}",
            "a\u{85}b",
            "a./b",
            "a ",
            "a. /b",
            "CON",
            "nul.txt",
            "a/Aux.md",
            "com1",
            "LPT9.log",
            "COM\u{b9}",
            "conin$",
            "prn .txt",
            "a.zip!/b",
        ];
        for path in hostile {
            assert!(admitted(path).is_err(), "{path:?}");
        }
        assert!(admit(b"a\xff", "", &UnpackLimits::default()).is_err());
    }

    #[test]
    fn length_counts_the_archives_around() {
        let limits = UnpackLimits { path_bytes: 10, ..UnpackLimits::default() };
        assert!(admit(b"123456789", "", &limits).is_ok());
        assert!(admit(b"1234567890", "", &limits).is_ok());
        assert!(admit(b"12345678901", "", &limits).is_err());
        assert!(admit(b"12345", "a.z!/", &limits).is_ok());
        assert!(admit(b"123456", "a.z!/", &limits).is_err());
    }

    #[test]
    fn components_count_the_archives_around() {
        let limits = UnpackLimits { path_components: 3, ..UnpackLimits::default() };
        assert!(admit(b"a/b", "", &limits).is_ok());
        assert!(admit(b"a/b/c", "", &limits).is_ok());
        assert!(admit(b"a/b/c/d", "", &limits).is_err());
        assert!(admit(b"b/c", "a!/", &limits).is_ok());
        assert!(admit(b"b/c/d", "a!/", &limits).is_err());
    }

    #[test]
    fn paths_fold_by_case_and_by_unicode_form() {
        assert_eq!(fold("README.md"), fold("readme.MD"));
        assert_eq!(fold("caf\u{e9}"), fold("CAFE\u{301}"));
        assert_eq!(fold("stra\u{df}e"), fold("STRASSE"));
        assert_eq!(fold("\u{fb01}le"), fold("file"));
        assert_ne!(fold("\u{430}"), fold("a"), "a homoglyph is another name");
    }

    proptest! {
        #[test]
        fn an_admitted_path_never_leaves_the_tree(name in proptest::collection::vec(any::<u8>(), 0..80)) {
            if let Ok(path) = admit(&name, "", &UnpackLimits::default()) {
                prop_assert!(Path::new(&path).components().all(|part| matches!(part, Component::Normal(_))));
            }
        }

        #[test]
        fn an_admitted_spelling_never_leaves_the_tree(name in r"[a.:/\\! ]{0,12}") {
            if let Ok(path) = admit(name.as_bytes(), "o.zip!/", &UnpackLimits::default()) {
                prop_assert!(Path::new(&path).components().all(|part| matches!(part, Component::Normal(_))));
                prop_assert!(path.starts_with("o.zip!/"));
                prop_assert!(!path.contains('\\') && path.split('/').all(|part| part != ".."));
            }
        }
    }
}
