//! Addresses at which forges give the archive of a repository's tree at one commit.
//!
//! Nothing is asked here: the address follows from the forge's known scheme.

use capdex_model::ids::ListingKey;
use capdex_model::listing::Locator;
use capdex_model::source_role::Ecosystem;
/// The archive of a repository, named by its key (`github:owner/name`, `git:host/owner/name`), at a commit in full hex that
/// the listing `by` pins. It is not the repository's own: a stranger chose the commit, and forges serve those of forks too.
pub(crate) fn of_commit(by: &ListingKey, repository: &ListingKey, commit: &str) -> Option<Locator> {
    let commit = commit.to_ascii_lowercase();
    // Only a full commit id pins bytes: a branch, a tag or a short id may lead elsewhere tomorrow.
    if !super::is_commit(&commit) {
        return None;
    }

    let url = match Ecosystem::of_word(&repository.source)? {
        Ecosystem::GitHub => format!("https://codeload.github.com/{}/tar.gz/{commit}", repository.name),
        Ecosystem::Git => {
            let (host, path) = repository.name.split_once('/')?;
            let (_, name) = path.rsplit_once('/')?;
            match host {
                "gitlab.com" => format!("https://{host}/{path}/-/archive/{commit}/{name}-{commit}.tar.gz"),
                _ => format!("https://{host}/{path}/archive/{commit}.tar.gz"),
            }
        }
        _ => return None,
    };
    // The identity names who pins it, so that a stranger's choice never passes for the repository's own.
    Some(Locator::GitArchive { repository: format!("pinned:{by}"), commit, url })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_forge_has_its_address_and_only_whole_commits_are_pins() {
        let sha = "A".repeat(40);
        let by = ListingKey::new("list", "x");
        let url = |source: &str, name: &str, commit: &str| match of_commit(&by, &ListingKey::new(source, name), commit)
        {
            Some(Locator::GitArchive { url, repository, commit }) => Some((url, repository, commit)),
            _ => None,
        };
        let low = "a".repeat(40);
        let github = url("github", "o/n", &sha).expect("a pin");
        assert_eq!(
            github,
            (format!("https://codeload.github.com/o/n/tar.gz/{low}"), "pinned:list:x".into(), low.clone())
        );
        let of = |name: &str| url("git", name, &sha).map(|(url, _, _)| url);
        assert_eq!(of("gitlab.com/o/n"), Some(format!("https://gitlab.com/o/n/-/archive/{low}/n-{low}.tar.gz")));
        let deep = format!("https://gitlab.com/o/g/n/-/archive/{low}/n-{low}.tar.gz");
        assert_eq!(of("gitlab.com/o/g/n"), Some(deep));
        assert_eq!(of("codeberg.org/o/n"), Some(format!("https://codeberg.org/o/n/archive/{low}.tar.gz")));
        for commit in ["main", "v1.2.3", "abcdef0", &"g".repeat(40), &"a".repeat(41)] {
            assert_eq!(url("github", "o/n", commit), None, "{commit}");
        }
        assert_eq!(url("npm", "x", &sha), None);
    }
}
