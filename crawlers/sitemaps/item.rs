//! The page of one entry: the repository that it links to.
//!
//! The name comes from the address, because titles and descriptions of such pages were seen to be those of the site.

use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Claims, Listing};

use crate::references;

/// First parts of GitHub's paths that are no account.
const NO_ACCOUNTS: [&str; 16] = [
    "about",
    "apps",
    "collections",
    "contact",
    "customer-stories",
    "enterprise",
    "explore",
    "features",
    "join",
    "login",
    "marketplace",
    "orgs",
    "pricing",
    "search",
    "sponsors",
    "topics",
];

/// The listing of an entry by its page, and the digest of what it says.
///
/// # Errors
/// The fault of a page that is not the entry's: it does not have the parts of its name in it.
pub(super) fn read(key: &ListingKey, html: &str, not_its_own: &[&str]) -> Result<(Listing, Digest), String> {
    let lower = html.to_ascii_lowercase();
    let is_missing = |part: &str| !part.is_empty() && !lower.contains(&part.to_ascii_lowercase());
    // Challenges and error pages come with status 200 too.
    if key.name.split('/').any(is_missing) {
        return Err("the page does not name its entry".to_owned());
    }
    let repository = repository(&lower, not_its_own);
    let address = repository.as_ref().map(|repository| format!("https://github.com/{}", repository.name));
    let digest = Digest::of_json(&address);
    // A page without a link says nothing of a repository elsewhere.
    let claims = Claims { repository: address.map_or(Claim::Unknown, Claim::Known), ..Claims::default() };
    let references = references::sorted([repository]);
    Ok((Listing { key: key.clone(), locators: Vec::new(), claims, references }, digest))
}

/// The first repository of GitHub in a page, in lower case, that is not one of the site's own.
fn repository(page: &str, not_its_own: &[&str]) -> Option<ListingKey> {
    let links = page.split("github.com/").skip(1).filter_map(|rest| {
        // Pages hold their data as JSON inside of scripts, where a slash may be escaped.
        let end = rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || "-_./".contains(letter)));
        let path = rest.get(..end.unwrap_or(rest.len()))?.trim_end_matches(['.', '/']);
        let key = references::of_repository(&format!("github:{path}"))?;
        let (owner, _) = key.name.split_once('/')?;
        (!NO_ACCOUNTS.contains(&owner) && !not_its_own.contains(&key.name.as_str())).then_some(key)
    });
    links.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(page: &str) -> Option<String> {
        repository(&page.to_ascii_lowercase(), &["site/own"]).map(|key| key.name)
    }

    #[test]
    fn the_first_repository_that_is_not_the_sites_own_is_taken() {
        let page = r#"<a href="https://github.com/site/own">us</a> <a href="https://github.com/sponsors/x">give</a>
            <a href="https://github.com/login"></a> {"url":"https://github.com/Owner/Name.git"} https://github.com/b/c"#;
        assert_eq!(found(page).as_deref(), Some("owner/name"));
        assert_eq!(found("see https://github.com/a/b.").as_deref(), Some("a/b"));
        assert_eq!(found("(https://github.com/a/b/tree/main)").as_deref(), Some("a/b"));
        assert_eq!(found("https://github.com/a"), None);
        assert_eq!(found("github.com/../x"), None);
        assert_eq!(found(""), None);
    }

    #[test]
    fn a_page_that_does_not_name_its_entry_is_not_its_page() {
        let key = ListingKey::new("site", "Owner/fetch");
        assert!(read(&key, "<title>Just a moment...</title>", &[]).is_err());
        let (listing, _) = read(&key, "fetch by owner: https://github.com/owner/fetch", &[]).expect("its page");
        assert_eq!(listing.references, [ListingKey::new("github", "owner/fetch")]);
        let (bare, _) = read(&key, "fetch by owner", &[]).expect("its page");
        assert_eq!(bare.claims.repository, Claim::Unknown);
        assert_eq!(bare.references.len(), 0);
    }
}
