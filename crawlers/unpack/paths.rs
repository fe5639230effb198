//! Which paths may stand in a tree: relative, with `/` between components, and a name on every system.
//!
//! A name that installers clean up before they write it (`package//x`, `/x`, `aux.js`) gives the path that they make of
//! it, and a remark, because another system may take it differently. A name that leaves the tree is refused. Sources:
//! POSIX.1 pathnames; Microsoft, "Naming Files, Paths, and Namespaces"; node-tar and Python's `tarfile` as of 2026-07.

use unicode_normalization::UnicodeNormalization;

use super::UnpackLimits;

/// The bytes of a refused name that a gap repeats.
const SHOWN_BYTES: usize = 256;

/// Device names of Windows, which open a device with any extension (`nul.txt`). The numbered ones are in
/// [`is_reserved`].
const RESERVED: &[&str] = &["aux", "con", "conin$", "conout$", "nul", "prn"];

/// A path that may stand in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AdmittedPath {
    /// The path, with the archives around it.
    pub(crate) path: String,
    /// What is odd about the name as written; none for a plain one.
    pub(crate) note: Option<&'static str>,
}

/// Gives the path under which a member stands in the tree. It is `outer` (empty, or the path of the archive around it
/// with `!/`), followed by the member's own name without leading `./`, as installers write it.
///
/// The error says in words what is wrong with the name.
pub(crate) fn admit(name: &[u8], outer: &str, limits: &UnpackLimits) -> Result<AdmittedPath, String> {
    admit_from(NameOrigin::Archive, name, outer, limits)
}

/// The counterpart of [`admit`] for a name that stands on this machine's disk, below a folder that is read. What this system
/// takes as letters of a name stays, so that the path leads to the file.
pub(crate) fn admit_on_disk(name: &[u8], limits: &UnpackLimits) -> Result<AdmittedPath, String> {
    admit_from(NameOrigin::Disk, name, "", limits)
}

/// Who wrote a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameOrigin {
    Archive,
    Disk,
}

fn admit_from(origin: NameOrigin, name: &[u8], outer: &str, limits: &UnpackLimits) -> Result<AdmittedPath, String> {
    if name.len() > limits.path_bytes {
        return Err(format!("{} bytes, more than {}", name.len(), limits.path_bytes));
    }
    let text = String::from_utf8_lossy(name);
    let mut note = std::str::from_utf8(name).is_err().then_some("not UTF-8");
    let mut own = text.as_ref();
    while let Some(rest) = own.strip_prefix("./") {
        own = rest;
    }
    if own.contains('\0') {
        return Err("a zero byte".to_owned());
    }
    let mut plain = own.to_owned();
    if plain.contains('\\') {
        note = Some("a backslash, which some systems take as a separator");
        if origin == NameOrigin::Archive {
            plain = plain.replace('\\', "/");
        }
    }
    if plain.chars().any(char::is_control) {
        note = Some("a control character");
        plain = plain.replace(char::is_control, "\u{fffd}");
    }
    let mut rest = plain.as_str();
    loop {
        if matches!(rest.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic()) {
            note = Some("a drive letter");
            if origin == NameOrigin::Disk {
                break;
            }
            rest = rest.get(2..).unwrap_or_default();
        } else if let Some(relative) = rest.strip_prefix('/') {
            note = note.or(Some("an absolute path"));
            rest = relative;
        } else {
            break;
        }
    }
    let mut parts: Vec<String> = Vec::new();
    for component in rest.split('/') {
        if component == ".." {
            return Err("a `..`".to_owned());
        }
        let odd = oddity(component);
        note = note.or(odd);
        match component {
            "" | "." => {}
            // Our own mark for the inside of an archive must not be forged.
            _ if component.ends_with('!') => parts.push(format!("{component}_")),
            _ => parts.push(component.to_owned()),
        }
    }
    if parts.is_empty() {
        return Err(note.unwrap_or("an empty name").to_owned());
    }
    let path = format!("{outer}{}", parts.join("/"));
    fits(&path, limits)?;
    Ok(AdmittedPath { path, note })
}

/// Whether a whole path keeps to the limits. The error says which one it breaks.
pub(super) fn fits(path: &str, limits: &UnpackLimits) -> Result<(), String> {
    if path.len() > limits.path_bytes {
        return Err(format!("{} bytes, more than {}", path.len(), limits.path_bytes));
    }
    let components = path.split('/').count();
    if components > limits.path_components {
        return Err(format!("{components} components, more than {}", limits.path_components));
    }
    Ok(())
}

/// What some system takes differently about a component.
fn oddity(component: &str) -> Option<&'static str> {
    match component {
        "" => Some("an empty name"),
        "." => Some("a `.` inside the path"),
        _ if component.ends_with(['.', ' ']) => Some("a name that ends in a dot or space, which Windows drops"),
        _ if component.ends_with('!') => Some("a name that ends in `!`, which marks the inside of an archive"),
        _ if is_reserved(component) => Some("a device name of Windows"),
        _ => None,
    }
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
        admit(name.as_bytes(), "", &UnpackLimits::default()).map(|admitted| admitted.path)
    }

    #[test]
    fn honest_paths_pass_as_they_are() {
        for path in
            ["a", "package/index.js", ".gitignore", "a b/c..d/...e", "日本/é.md", "console/com0/lpt10.c", "nulls"]
        {
            let plain = AdmittedPath { path: path.to_owned(), note: None };
            assert_eq!(admit(path.as_bytes(), "", &UnpackLimits::default()), Ok(plain));
        }
        assert_eq!(admitted("././package/a"), Ok("package/a".to_owned()));
    }

    #[test]
    fn a_name_that_leaves_the_tree_or_names_nothing_is_refused() {
        for path in ["", ".", "./", "..", "../a", "a/../b", "a/..", "..\\a", "/", "//", "C:", "a\0b", "C:/../a"] {
            assert!(admitted(path).is_err(), "{path:?}");
        }
    }

    #[test]
    fn a_name_that_installers_clean_up_gives_their_path_and_a_remark() {
        let odd = [
            ("/a", "a"),
            (".//a", "a"),
            ("//server/share/a", "server/share/a"),
            ("\\\\server\\share", "server/share"),
            ("a\\b", "a/b"),
            ("C:a", "a"),
            ("c:/a", "a"),
            ("C:\\a", "a"),
            ("/C:/a", "a"),
            ("a//b", "a/b"),
            ("a/", "a"),
            ("a/./b", "a/b"),
            ("a\nb", "a\u{fffd}b"),
            ("a\u{7f}", "a\u{fffd}"),
            ("a\u{85}b", "a\u{fffd}b"),
            ("a./b", "a./b"),
            ("a ", "a "),
            ("CON", "CON"),
            ("nul.txt", "nul.txt"),
            ("a/Aux.md", "a/Aux.md"),
            ("com1", "com1"),
            ("LPT9.log", "LPT9.log"),
            ("COM\u{b9}", "COM\u{b9}"),
            ("conin$", "conin$"),
            ("prn .txt", "prn .txt"),
            ("a.zip!/b", "a.zip!_/b"),
        ];
        for (name, path) in odd {
            let given = admit(name.as_bytes(), "", &UnpackLimits::default()).expect(name);
            assert_eq!(given.path, path, "{name:?}");
            assert!(given.note.is_some(), "{name:?}");
        }
        let bytes = admit(b"a\xff", "", &UnpackLimits::default()).expect("read under a shown name");
        assert_eq!((bytes.path.as_str(), bytes.note), ("a\u{fffd}", Some("not UTF-8")));
    }

    #[test]
    fn a_name_on_disk_stays_as_it_leads_to_the_file() {
        for name in ["a\\b", "c:d/e", "nul.md"] {
            let given = admit_on_disk(name.as_bytes(), &UnpackLimits::default()).expect(name);
            assert_eq!(given.path, name);
            assert!(given.note.is_some(), "{name}");
        }
        assert!(admit_on_disk(b"../a", &UnpackLimits::default()).is_err());
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
            if let Ok(AdmittedPath { path, .. }) = admit(&name, "", &UnpackLimits::default()) {
                prop_assert!(Path::new(&path).components().all(|part| matches!(part, Component::Normal(_))));
            }
        }

        #[test]
        fn an_admitted_spelling_never_leaves_the_tree(name in r"[a.:/\\! ]{0,12}") {
            if let Ok(AdmittedPath { path, .. }) = admit(name.as_bytes(), "o.zip!/", &UnpackLimits::default()) {
                prop_assert!(Path::new(&path).components().all(|part| matches!(part, Component::Normal(_))));
                prop_assert!(path.starts_with("o.zip!/"));
                prop_assert!(!path.contains('\\') && path.split('/').all(|part| part != ".."));
            }
        }
    }
}
