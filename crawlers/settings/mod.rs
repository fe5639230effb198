//! The addresses of registries: what the operator configured, else what npm and pip themselves would ask on this
//! machine.
//!
//! The environment and the file system are passed in, so that a test decides what they hold.

mod certificates;
mod npmrc;
mod pip;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use capdex_model::snapshot::GapReason;
use url::Url;

pub use certificates::{TrustedCertificates, certificates};
pub use npmrc::{npm_base_url, npm_scopes};
pub use pip::pypi_base_url;

use crate::CrawlError;
use crate::http::{AllowedBaseUrl, Credential, HttpSettings, Secret, redact};

/// Gives the value of an environment variable.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Gives the text of a file; none where it cannot be read.
pub type ReadFile<'a> = &'a dyn Fn(&std::path::Path) -> Option<String>;

/// The base address of a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    /// The address: http or https, without user name and password, without a slash at its end.
    pub url: String,
    /// The credential for the registry.
    pub credentials: Option<Credential>,
    /// The place in which the address was found, for a person: `configuration`, the name of a variable, the path of a
    /// file, or `built in`.
    pub origin: String,
}

impl BaseUrl {
    /// Lets the client ask this address in requests of the source `id`, wherever its host leads, and prove to it who asks
    /// in requests of sources of this `kind`.
    pub fn configure(&self, id: &str, kind: &str, http: &mut HttpSettings) {
        http.allowed_base_urls.push(AllowedBaseUrl::new(id, &self.url));
        let credentials = self.credentials.clone();
        http.credentials.extend(credentials.map(|credential| Credential { kind: kind.to_owned(), ..credential }));
    }
}

/// A found address, not yet read.
struct FoundAddress {
    address: String,
    origin: String,
}

/// Reads an address. User name and password in it become the credential for `credential_path` on its host.
///
/// # Errors
/// `Malformed` for what is no address, `Refused` for a scheme other than http and https.
fn read_base_url(found: FoundAddress, credential_path: Option<&str>) -> Result<BaseUrl, CrawlError> {
    let FoundAddress { address, origin } = found;
    let mut url = Url::parse(address.trim()).map_err(|error| CrawlError::Malformed {
        subject: format!("the registry address from {origin}"),
        reason: GapReason::Malformed,
        detail: error.to_string(),
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(CrawlError::Refused {
            subject: redact(url.as_str()),
            detail: format!("the registry address from {origin} is neither http nor https"),
        });
    }
    // A credential must not stay in the address, which is printed and recorded.
    let user = (!url.username().is_empty() || url.password().is_some())
        .then(|| basic(&percent_decoded(url.username()), &percent_decoded(url.password().unwrap_or_default())));
    // Neither can fail for http and https.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    let text = url.as_str().trim_end_matches('/').to_owned();
    let credentials = user.map(|authorization| {
        let base_url = credential_path.and_then(|path| url.join(path).ok()).map_or_else(|| text.clone(), Into::into);
        Credential::authorization(base_url, authorization)
    });
    Ok(BaseUrl { url: text, credentials, origin })
}

/// The header value for a user name and a password.
fn basic(user: &str, password: &str) -> Secret {
    Secret::new(format!("Basic {}", STANDARD.encode(format!("{user}:{password}"))))
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(capdex_model::digest::bytes_of_hex).as_deref() {
            Some([byte]) => {
                bytes.push(*byte);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod certificate_tests;
#[cfg(test)]
mod tests;
