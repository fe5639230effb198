//! The path of a repository at a forge, out of an address that may go on behind it.
//!
//! What cannot be read as a whole path is none: a cut one would be somebody else's repository. Source: GitLab's
//! documentation of groups ("Subgroups") and of reserved names.

use super::is_name;

/// The most parts of a path at a forge with groups in groups.
const MAX_PARTS: usize = 20;

/// Parts at which GitLab's own pages of a repository begin. No subgroup and no repository can have such a name.
const RESERVED: [&str; 17] = [
    "-",
    "badges",
    "blame",
    "blob",
    "builds",
    "commits",
    "create",
    "create_dir",
    "edit",
    "files",
    "find_file",
    "new",
    "preview",
    "raw",
    "refs",
    "tree",
    "wikis",
];

/// The shape of the paths of a forge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForgePaths {
    /// An owner and a name.
    OwnerAndName,
    /// Groups in groups, and a name: two to twenty parts.
    Groups,
}

impl ForgePaths {
    /// The shape at the forge whose interface is at this address: GitLab's ends with its version.
    pub fn of_interface(base_url: &str) -> Self {
        if base_url.trim_end_matches('/').ends_with("/api/v4") { Self::Groups } else { Self::OwnerAndName }
    }

    /// The path of the repository that the path of an address leads to, in lower case. It ends at `.git`, at the forge's
    /// own pages, or where the address ends.
    pub(crate) fn read(self, path: &str) -> Option<String> {
        let path = path.split(['#', '?']).next()?;
        let mut kept: Vec<&str> = Vec::new();
        for part in path.split('/').filter(|part| !part.is_empty()) {
            let is_over = match self {
                Self::OwnerAndName => kept.len() == 2,
                // Only a group at the top may have one of these names.
                Self::Groups => !kept.is_empty() && RESERVED.contains(&part),
            };
            if is_over {
                break;
            }
            let bare = part.strip_suffix(".git").filter(|_| !kept.is_empty());
            kept.push(bare.unwrap_or(part));
            if bare.is_some() {
                break;
            }
        }
        self.is_whole(&kept).then(|| kept.join("/").to_ascii_lowercase())
    }

    /// Returns true if these parts are a whole path.
    pub(crate) fn is_whole(self, parts: &[&str]) -> bool {
        let is_long_enough = match self {
            Self::OwnerAndName => parts.len() == 2,
            Self::Groups => (2..=MAX_PARTS).contains(&parts.len()),
        };
        // No account begins with a dot, but repositories do (`.github`, `.claude`).
        let begins = parts.first().is_some_and(|owner| !owner.starts_with('.'));
        is_long_enough && begins && parts.iter().all(|part| is_name(part))
    }
}

/// The host and the path in the form that ssh and git take: `git@host:path`.
pub(crate) fn of_scp(text: &str) -> Option<(&str, &str)> {
    let (user, rest) = text.split_once('@')?;
    let (host, path) = rest.split_once(':')?;
    let is_plain = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    // A scheme before it makes it an address, whose port stands at the same place.
    (is_plain(user) && is_plain(host) && !path.starts_with("//")).then_some((host, path))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn groups_in_groups_are_read_whole() {
        for (path, expected) in [
            ("Acme/Flat", "acme/flat"),
            ("/acme/tools/notes/", "acme/tools/notes"),
            ("acme/a/b/deep.git", "acme/a/b/deep"),
            ("acme/a/b/deep.git/info/refs", "acme/a/b/deep"),
            ("acme/tools/notes/-/tree/main/x", "acme/tools/notes"),
            ("acme/tools/notes/blob/main/README.md", "acme/tools/notes"),
            ("acme/tools?x=/y", "acme/tools"),
            ("tree/notes", "tree/notes"),
        ] {
            assert_eq!(ForgePaths::Groups.read(path).as_deref(), Some(expected), "{path}");
        }
        let of = |parts: usize| vec!["g"; parts].join("/");
        assert_eq!(ForgePaths::Groups.read(&of(20)), Some(of(20)));
        for path in ["", "acme", "acme/-/x", &of(21), "acme/../x", "acme/a b/c", ".acme/x"] {
            assert_eq!(ForgePaths::Groups.read(path), None, "{path}");
        }
    }

    #[test]
    fn elsewhere_a_repository_has_an_owner_and_a_name() {
        assert_eq!(ForgePaths::OwnerAndName.read("o/n/src/branch/main").as_deref(), Some("o/n"));
        assert_eq!(ForgePaths::OwnerAndName.read("o/n.git").as_deref(), Some("o/n"));
        assert!(!ForgePaths::OwnerAndName.is_whole(&["a", "b", "c"]));
        assert_eq!(ForgePaths::of_interface("https://f.test/api/v4/"), ForgePaths::Groups);
        assert_eq!(ForgePaths::of_interface("https://f.test/api/v1"), ForgePaths::OwnerAndName);
    }

    #[test]
    fn the_form_of_ssh_is_a_host_and_a_path() {
        assert_eq!(of_scp("git@gitlab.com:acme/x.git"), Some(("gitlab.com", "acme/x.git")));
        for text in ["", "a/b", "https://me@host:80/x", "ssh://git@host:22/x", "@host:x", "git@:x", "git@host"] {
            assert_eq!(of_scp(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_path_is_read_without_panic_and_whole(path in "([a-z.-]{0,4}/?|\\PC){0,30}") {
            for paths in [ForgePaths::Groups, ForgePaths::OwnerAndName] {
                if let Some(read) = paths.read(&path) {
                    prop_assert!(paths.is_whole(&read.split('/').collect::<Vec<_>>()));
                }
            }
        }
    }
}
