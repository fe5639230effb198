//! Addresses of pages, for whoever knows where the site is found.

use capdex_model::ids::CapabilityId;

use crate::report::paths;

/// The page of all alerts of the site at an address.
pub fn alerts(site: &str) -> String {
    of(site, &paths::part("alerts", 1))
}

/// The page of a capability of the site at an address.
pub fn capability(site: &str, id: &CapabilityId) -> String {
    of(site, &paths::capability(id))
}

fn of(site: &str, path: &str) -> String {
    format!("{}/{path}", site.trim_end_matches('/'))
}
