//! Certificates of authorities that are trusted beside the system's: where they come from, and whether they can be read.

use std::path::Path;

use capdex_crawlers::http::count_authorities;
use capdex_crawlers::settings::TrustedCertificates;

use super::{DoctorContext, Health, HealthFinding};
use crate::config::{certificates, variable};

/// What to do about a certificate that is not accepted.
pub(super) const ADVICE: &str = "its certificate is not trusted here: name your company's authority (PEM) in SSL_CERT_FILE, \
    NODE_EXTRA_CA_CERTS, PIP_CERT or REQUESTS_CA_BUNDLE, or in `cafile` of .npmrc";

pub(super) fn check(_: &DoctorContext<'_>) -> Vec<HealthFinding> {
    let system = ["SSL_CERT_FILE", "SSL_CERT_DIR"].into_iter().filter_map(|name| Some((name, variable(name)?)));
    let system = system.filter(|(_, path)| !path.is_empty()).map(|(name, path)| of_system(name, Path::new(&path)));
    system.chain(certificates().iter().map(judge)).collect()
}

/// A variable in place of the system's own store.
fn of_system(name: &str, path: &Path) -> HealthFinding {
    let shown = path.display();
    match std::fs::metadata(path) {
        Ok(_) => {
            HealthFinding::new("certificates", name, (Health::Ok, format!("{shown} in place of the system's")), "")
        }
        Err(error) => {
            let found = format!("{shown} cannot be read: {error}");
            HealthFinding::new("certificates", name, (Health::Fail, found), "name a file that is there, or unset it")
        }
    }
}

fn judge(trusted: &TrustedCertificates) -> HealthFinding {
    let say = |health, found: String, advice: &str| {
        HealthFinding::new("certificates", &trusted.origin, (health, found), advice)
    };
    let place = trusted.path.as_ref().map_or_else(|| "its text".to_owned(), |path| path.display().to_string());
    if trusted.pem.is_none() {
        return say(Health::Warn, format!("{place} cannot be read"), "name a file in PEM that is there, or unset it");
    }
    match count_authorities(trusted) {
        (0, _) => say(Health::Warn, format!("no certificate of an authority is in {place}"), "put one there, in PEM"),
        (good, 0) => say(Health::Ok, format!("{good} beside the system's, from {place}"), ""),
        (good, bad) => {
            let found = format!("{good} beside the system's, from {place}; {bad} are no certificates of authorities");
            say(Health::Warn, found, "take out what is no certificate")
        }
    }
}
