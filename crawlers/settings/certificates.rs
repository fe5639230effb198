//! Certificates of authorities that npm, Node and pip are told to trust on this machine, such as a company's own.
//!
//! The system's store, `SSL_CERT_FILE` and `SSL_CERT_DIR` are the TLS library's own affair. Sources: npm's documentation of
//! `ca` and `cafile`, Node's of `NODE_EXTRA_CA_CERTS`, pip's of `cert`, Requests' of `REQUESTS_CA_BUNDLE`.

use std::path::{Path, PathBuf};

use super::npmrc::NpmrcFiles;
use super::{Environment, ReadFile, npmrc, pip};

/// Certificates that one setting names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedCertificates {
    /// The setting, for a person: `NODE_EXTRA_CA_CERTS`, `cafile in .npmrc`.
    pub origin: String,
    /// The file that it names; none where the certificates stand in the setting itself.
    pub path: Option<PathBuf>,
    /// Their text, in PEM; none where the file cannot be read.
    pub pem: Option<String>,
}

/// The variables that name a file, in the order in which they are told of.
const VARIABLES: [&str; 4] = ["NODE_EXTRA_CA_CERTS", "PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"];

/// The certificates that the settings of npm, Node and pip name, each setting once.
pub fn certificates(environment: Environment<'_>, read_file: ReadFile<'_>) -> Vec<TrustedCertificates> {
    let home = environment("HOME").or_else(|| environment("USERPROFILE"));
    let of_file = |origin: String, path: &str| {
        // npm takes a tilde as its shell would.
        let path = match (path.strip_prefix("~/"), &home) {
            (Some(rest), Some(home)) => Path::new(home).join(rest),
            _ => PathBuf::from(path),
        };
        TrustedCertificates { pem: read_file(&path), path: Some(path), origin }
    };
    let of_text = |origin: String, text: &str| {
        // A value has one line; the breaks of PEM are written as two letters.
        TrustedCertificates { pem: Some(text.replace("\\n", "\n")), path: None, origin }
    };
    let set = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
    let mut found: Vec<_> =
        VARIABLES.iter().filter_map(|name| Some(of_file((*name).to_owned(), &set(name)?))).collect();
    let files = NpmrcFiles::read(environment, read_file);
    for key in ["cafile", "ca"] {
        let variable = format!("npm_config_{key}");
        let value = npmrc::variable(environment, &variable).map(|value| (variable, value));
        let value = value.or_else(|| files.find(key).map(|it| (format!("{key} in {}", it.origin), it.address)));
        // `null` is npm's word for none.
        let Some((origin, value)) = value.filter(|(_, value)| value != "null") else { continue };
        found.push(if key == "cafile" { of_file(origin, &value) } else { of_text(origin, &value) });
    }
    let of_pip = pip::setting(environment, read_file, &["cert"]);
    found.extend(of_pip.map(|it| of_file(format!("cert in {}", it.origin), &it.address)));
    found
}
