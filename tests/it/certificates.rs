//! A registry whose certificate a company's own authority signed: listed where npm, Node or pip are told to trust it, else
//! refused, with a word on what to set.

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::Value;

use crate::rows::{rows, text};
use crate::support::archives;
use crate::support::capdex::{Capdex, Run};
use crate::support::directory::Directory;
use crate::support::registry::packument;

const AUTHORITY: &str = include_str!("tls/authority.pem");
const HERE: &str = include_str!("tls/here.pem");
const ELSEWHERE: &str = include_str!("tls/elsewhere.pem");
const KEY: &str = include_str!("tls/server.key.pem");

/// A registry with one package, which shows this certificate.
fn registry(certificate: &str) -> Directory {
    let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).expect("a certificate");
    let key = PrivateKeyDer::from_pem_slice(KEY.as_bytes()).expect("a key");
    let tls = ServerConfig::builder_with_provider(rustls::crypto::ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .expect("versions of TLS")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("a key that fits");
    let directory = Directory::start_with_tls(tls, |_: &str| (503, ""));
    let url = directory.url();
    directory.change(move |path| {
        let files: &[(&str, &[u8])] =
            &[("package.json", br#"{"name": "acme-tides", "version": "1.0.0", "license": "MIT"}"#)];
        let archive = archives::npm_tarball("acme-tides", "1.0.0", files);
        let at = format!("{url}/acme-tides/-/acme-tides-1.0.0.tgz");
        (200, if path.ends_with(".tgz") { archive } else { packument("acme-tides", "1.0.0", &archive, &at) })
    });
    directory
}

/// A folder with the authority's certificate and a schedule; npm's settings name the registry.
fn folder(registry: &Directory, npmrc: &str) -> Capdex {
    let capdex = Capdex::offline();
    capdex
        .write("ca.pem", AUTHORITY)
        .write(".npmrc", format!("registry={}/\n{npmrc}\n", registry.url()))
        .write("schedule.toml", "name = \"tls\"\n[http]\nmax_tries = 1\n[sources.npm]\nwatchlist = [\"acme-tides\"]\n");
    capdex
}

/// Runs with one more variable, which names the certificate; none where it is empty.
fn run(capdex: &Capdex, arguments: &[&str], variable: &str) -> Run {
    let mut command = capdex.command(arguments);
    // The file names the registry here.
    command.env_remove("npm_config_registry");
    if !variable.is_empty() {
        command.env(variable, capdex.path().join("ca.pem"));
    }
    Run::of(&command.output().expect("the binary starts"))
}

fn night(capdex: &Capdex, variable: &str) -> Run {
    let arguments = ["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", "2026-11-20T01:00:00Z"];
    run(capdex, &arguments, variable)
}

/// What the doctor says of the source: health, what it found, what it advises.
fn doctor(capdex: &Capdex, variable: &str) -> [String; 3] {
    let run = run(capdex, &["doctor", "--config", "schedule.toml", "--format", "json"], variable);
    let document: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let items = document["items"].as_array().expect("items");
    let item = items.iter().find(|item| text(item, "check") == "source").expect("the source");
    ["health", "found", "advice"].map(|column| text(item, column).to_owned())
}

#[test]
fn each_setting_that_names_an_authority_lets_a_night_list() {
    let authority = AUTHORITY.trim_end().replace('\n', "\\n");
    let in_text = format!("ca=\"{authority}\"");
    let settings = [
        ("cafile=./ca.pem", ""),
        (in_text.as_str(), ""),
        ("", "SSL_CERT_FILE"),
        ("", "NODE_EXTRA_CA_CERTS"),
        ("", "npm_config_cafile"),
        ("", "PIP_CERT"),
        ("", "REQUESTS_CA_BUNDLE"),
    ];
    let registry = registry(HERE);
    std::thread::scope(|scope| {
        for (npmrc, variable) in settings {
            let registry = &registry;
            scope.spawn(move || {
                let capdex = folder(registry, npmrc);
                let run = night(&capdex, variable);
                let setting = npmrc.get(..6).unwrap_or(variable);
                assert_eq!(run.code, Some(0), "{setting}: {} {}", run.stdout, run.stderr);
                let listed = rows(&capdex.path().join("out"), "capabilities");
                assert!(listed.iter().any(|row| text(row, "package") == "npm:acme-tides"), "{setting}: {listed:?}");
            });
        }
    });
    let doctor = doctor(&folder(&registry, ""), "NODE_EXTRA_CA_CERTS");
    assert_eq!(doctor[0], "ok", "{doctor:?}");
}

#[test]
fn without_its_authority_a_registry_is_refused_and_the_doctor_says_what_to_set() {
    let registry = registry(HERE);
    let capdex = folder(&registry, "");
    let run = night(&capdex, "");
    assert_eq!(run.code, Some(4), "{} {}", run.stdout, run.stderr);
    let [health, found, advice] = doctor(&capdex, "");
    assert_eq!(health, "fail");
    assert!(found.contains("certificate"), "{found}");
    for setting in ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "PIP_CERT", "REQUESTS_CA_BUNDLE", "cafile"] {
        assert!(advice.contains(setting), "{setting}: {advice}");
    }
    assert_eq!(registry.paths(), [""; 0], "nothing is said to who could not prove itself");
}

#[test]
fn a_certificate_for_another_host_is_refused_although_its_authority_is_trusted() {
    let registry = registry(ELSEWHERE);
    let capdex = folder(&registry, "cafile=./ca.pem");
    let run = night(&capdex, "SSL_CERT_FILE");
    assert_eq!(run.code, Some(4), "{} {}", run.stdout, run.stderr);
    let [health, found, _] = doctor(&capdex, "SSL_CERT_FILE");
    assert_eq!(health, "fail");
    assert!(found.contains("certificate"), "{found}");
    assert_eq!(registry.paths(), [""; 0]);
}
