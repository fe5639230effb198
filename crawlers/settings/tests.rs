//! Machines by hand: an environment and files, and what npm and pip would ask there.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;

use super::*;

struct Machine {
    variables: BTreeMap<&'static str, String>,
    files: BTreeMap<&'static str, String>,
}

impl Machine {
    fn new(variables: &[(&'static str, &str)], files: &[(&'static str, &str)]) -> Self {
        let owned = |pairs: &[(&'static str, &str)]| pairs.iter().map(|(key, value)| (*key, (*value).into())).collect();
        Self { variables: owned(variables), files: owned(files) }
    }

    fn npm(&self, configured: Option<&str>) -> Result<BaseUrl, CrawlError> {
        npm_base_url(&|name| self.variables.get(name).cloned(), &|path| self.read(path), configured)
    }

    fn scopes(&self) -> Result<BTreeMap<String, BaseUrl>, CrawlError> {
        npm_scopes(&|name| self.variables.get(name).cloned(), &|path| self.read(path))
    }

    fn pypi(&self, configured: Option<&str>) -> Result<BaseUrl, CrawlError> {
        pypi_base_url(&|name| self.variables.get(name).cloned(), &|path| self.read(path), configured)
    }

    fn read(&self, path: &Path) -> Option<String> {
        self.files.get(path.to_str()?).cloned()
    }
}

fn url(found: Result<BaseUrl, CrawlError>) -> (String, String) {
    let found = found.expect("an address");
    (found.url, found.origin)
}

fn credential(found: &BaseUrl) -> Option<(&str, &str)> {
    found.credentials.as_ref().map(|found| (found.base_url.as_str(), found.value.reveal()))
}

#[test]
fn npm_is_asked_where_npm_itself_would() {
    let all = Machine::new(
        &[("npm_config_registry", "https://env.test/"), ("HOME", "/home/a")],
        &[
            (".npmrc", "; comment\nregistry = \"https://here.test/npm/\"\n"),
            ("/home/a/.npmrc", "registry=https://home.test"),
            ("/etc/npmrc", "registry=https://global.test"),
        ],
    );
    let is = |url: &str, origin: &str| (url.to_owned(), origin.to_owned());
    assert_eq!(url(all.npm(Some("https://mine.test"))), is("https://mine.test", "configuration"));
    assert_eq!(url(all.npm(None)), is("https://env.test", "npm_config_registry"));
    let mut machine = all;
    machine.variables.remove("npm_config_registry");
    assert_eq!(url(machine.npm(None)), is("https://here.test/npm", ".npmrc"));
    machine.files.remove(".npmrc");
    assert_eq!(url(machine.npm(None)), is("https://home.test", "/home/a/.npmrc"));
    machine.files.remove("/home/a/.npmrc");
    assert_eq!(url(machine.npm(None)), is("https://global.test", "/etc/npmrc"));
    machine.files.clear();
    assert_eq!(url(machine.npm(None)).1, "built in");
    machine.variables.insert("NPM_CONFIG_REGISTRY", "http://upper.test:4873/".into());
    assert_eq!(url(machine.npm(None)).0, "http://upper.test:4873");
}

#[test]
fn npm_reads_the_files_that_its_variables_name() {
    let files = [("/u", "registry=https://user.test"), ("/p/etc/npmrc", "registry=https://prefix.test")];
    let machine = Machine::new(&[("npm_config_userconfig", "/u"), ("HOME", "/home/a")], &files);
    assert_eq!(url(machine.npm(None)).0, "https://user.test");
    assert_eq!(url(Machine::new(&[("npm_config_prefix", "/p")], &files).npm(None)).0, "https://prefix.test");
    assert_eq!(url(Machine::new(&[("npm_config_globalconfig", "/u")], &files).npm(None)).0, "https://user.test");
}

#[test]
fn npm_tokens_belong_to_the_nearest_path() {
    let npmrc = "registry=https://h.test:8080/a/b\n//h.test:8080/:_authToken=far\n//h.test:8080/a/:_authToken=${TOKEN}\n\
                 //h.test/:_authToken=other\n@s:registry=https://s.test\n//s.test/:_auth=dTpw\n\
                 @t:registry=https://t.test/\n//t.test/:username=u\n//t.test/:_password=cA==\n@n:registry=https://n.test";
    let machine = Machine::new(&[("TOKEN", "near")], &[(".npmrc", npmrc)]);
    let found = machine.npm(None).expect("an address");
    assert_eq!(credential(&found), Some(("https://h.test:8080/a/b", "Bearer near")));
    let scopes = machine.scopes().expect("addresses");
    assert_eq!(scopes.keys().collect::<Vec<_>>(), ["@n", "@s", "@t"]);
    let of = |scope: &str| scopes.get(scope).expect("it is there");
    assert_eq!(credential(of("@s")), Some(("https://s.test", "Basic dTpw")));
    assert_eq!(credential(of("@t")), Some(("https://t.test", "Basic dTpw")));
    assert_eq!(credential(of("@n")), None);
    assert!(!format!("{found:?}").contains("near"));
}

#[test]
fn npm_variables_are_put_in_or_left() {
    let of = |value: &str| {
        let machine = Machine::new(&[("A", "a.test")], &[(".npmrc", value)]);
        machine.npm(None).map(|found| found.url)
    };
    assert_eq!(of("registry=https://${A}/x").as_deref(), Ok("https://a.test/x"));
    assert_eq!(of("registry=https://b${B?}.test").as_deref(), Ok("https://b.test"));
    // What stays as it is written is the name of no host, so that nothing can be sent anywhere.
    assert_eq!(of("registry=https://${B}/").as_deref(), Ok("https://${b}"));
    assert_eq!(of("registry=https://${A").as_deref(), Ok("https://${a"));
}

#[test]
fn an_address_that_does_not_parse_is_never_passed_over() {
    for (address, is_refused) in [("nonsense", false), ("file:///etc", true), ("ftp://h.test", true)] {
        for found in [
            Machine::new(&[], &[]).npm(Some(address)),
            Machine::new(&[("npm_config_registry", address)], &[]).npm(None),
            Machine::new(&[("PIP_INDEX_URL", address)], &[]).pypi(None),
        ] {
            let error = found.expect_err("no address");
            assert_eq!(matches!(error, CrawlError::Refused { .. }), is_refused, "{error}");
        }
    }
}

#[test]
fn pypi_is_asked_where_pip_itself_would() {
    let conf = |host: &str| {
        format!("[install]\nindex-url = https://no.test\n[global]\n# x\nindex-url = https://{host}/simple/\n")
    };
    let (named, user, old, machine_wide) = (conf("named.test"), conf("user.test"), conf("old.test"), conf("etc.test"));
    let mut machine = Machine::new(
        &[("PIP_INDEX_URL", "https://env.test/simple"), ("PIP_CONFIG_FILE", "/named"), ("HOME", "/home/a")],
        &[
            ("/named", &named),
            ("/home/a/.config/pip/pip.conf", &user),
            ("/home/a/.pip/pip.conf", &old),
            ("/etc/pip.conf", &machine_wide),
        ],
    );
    let is = |url: &str, origin: &str| (url.to_owned(), origin.to_owned());
    assert_eq!(url(machine.pypi(Some("http://127.0.0.1:1/"))), is("http://127.0.0.1:1", "configuration"));
    assert_eq!(url(machine.pypi(None)), is("https://env.test/simple", "PIP_INDEX_URL"));
    machine.variables.remove("PIP_INDEX_URL");
    assert_eq!(url(machine.pypi(None)), is("https://named.test/simple", "/named"));
    machine.variables.insert("PIP_CONFIG_FILE", "/dev/null".into());
    assert_eq!(url(machine.pypi(None)).1, "built in");
    machine.variables.remove("PIP_CONFIG_FILE");
    assert_eq!(url(machine.pypi(None)).0, "https://user.test/simple");
    machine.files.remove("/home/a/.config/pip/pip.conf");
    assert_eq!(url(machine.pypi(None)).0, "https://old.test/simple");
    machine.files.remove("/home/a/.pip/pip.conf");
    assert_eq!(url(machine.pypi(None)).0, "https://etc.test/simple");
    machine.files.insert("/etc/pip.conf", "[global]\ncert = /x\n".into());
    let (built_in, origin) = url(machine.pypi(None));
    assert!(built_in.starts_with("https://"));
    assert!(built_in.ends_with("/simple"));
    assert_eq!(origin, "built in");
}

#[test]
fn users_in_addresses_become_credentials_and_are_never_printed() {
    let machine = Machine::new(&[("PIP_INDEX_URL", "https://us%40er:p%3Ass@h.test/r/simple?canary#canary")], &[]);
    let found = machine.pypi(None).expect("an address");
    assert_eq!(found.url, "https://h.test/r/simple");
    let header = format!("Basic {}", STANDARD.encode("us@er:p:ss"));
    assert_eq!(credential(&found), Some(("https://h.test/", header.as_str())));
    assert!(!format!("{found:?}").contains("p%3Ass"));
    let mut http = HttpSettings::default();
    found.configure("corp", "npm", &mut http);
    assert_eq!(http.allowed_base_urls, [AllowedBaseUrl::new("corp", "https://h.test/r/simple")]);
    assert_eq!(http.credentials.len(), 1);
}

proptest! {
    #[test]
    fn any_file_is_read_without_panic(text in "(registry=|@s:registry=|//h/:_authToken=|\\$\\{|\\}|\n|=|\\[global\\]|index-url|\\PC){0,20}") {
        let machine = Machine::new(&[("A", "b")], &[(".npmrc", &text), ("/etc/pip.conf", &text)]);
        let _ = (machine.npm(None), machine.scopes(), machine.pypi(None));
    }

    #[test]
    fn any_address_is_read_without_panic(address in "(https://)?[a-z%0-9:@/?#é]{0,30}") {
        let machine = Machine::new(&[], &[]);
        let _ = (machine.npm(Some(&address)), machine.pypi(Some(&address)));
        let _ = percent_decoded(&address);
    }
}
