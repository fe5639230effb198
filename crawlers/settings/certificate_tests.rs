//! Which certificates a machine's settings name, in every place where npm, Node and pip look.

use std::collections::BTreeMap;

use super::certificates;

/// What is found: the setting, and the text.
fn found(variables: &[(&str, &str)], files: &[(&str, &str)]) -> Vec<(String, Option<String>)> {
    let variables: BTreeMap<_, _> = variables.iter().copied().collect();
    let files: BTreeMap<_, _> = files.iter().copied().collect();
    let all = certificates(&|name| variables.get(name).map(|value| (*value).to_owned()), &|path| {
        files.get(path.to_str()?).map(|text| (*text).to_owned())
    });
    all.into_iter().map(|it| (it.origin, it.pem)).collect()
}

fn one(origin: &str, text: &str) -> Vec<(String, Option<String>)> {
    vec![(origin.to_owned(), Some(text.to_owned()))]
}

#[test]
fn each_setting_is_found_where_its_tool_looks() {
    for name in ["NODE_EXTRA_CA_CERTS", "PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "npm_config_cafile"] {
        assert_eq!(found(&[(name, "/ca.pem")], &[("/ca.pem", "A")]), one(name, "A"));
    }
    assert_eq!(found(&[("npm_config_ca", "A\\nB")], &[]), one("npm_config_ca", "A\nB"));
    let npmrc = |text: &str| found(&[("HOME", "/h")], &[(".npmrc", text), ("/h/ca.pem", "A")]);
    assert_eq!(npmrc("cafile=/h/ca.pem"), one("cafile in .npmrc", "A"));
    assert_eq!(npmrc("cafile = \"~/ca.pem\""), one("cafile in .npmrc", "A"));
    assert_eq!(npmrc("ca=\"A\\nB\""), one("ca in .npmrc", "A\nB"));
    assert_eq!(npmrc("ca[]=\"A\"\nca[]=\"B\""), one("ca in .npmrc", "A\nB\n"));
    assert_eq!(npmrc("ca=null"), []);
    let pip = [("/etc/pip.conf", "[install]\ncert = /no\n[global]\ncert = /ca.pem\n"), ("/ca.pem", "A")];
    assert_eq!(found(&[], &pip), one("cert in /etc/pip.conf", "A"));
}

#[test]
fn what_is_not_set_is_nothing_and_what_cannot_be_read_is_told() {
    assert_eq!(found(&[("NODE_EXTRA_CA_CERTS", ""), ("PIP_CERT", " ")], &[]), []);
    assert_eq!(found(&[("PIP_CERT", "/gone.pem")], &[]), [("PIP_CERT".to_owned(), None)]);
    let both = [(".npmrc", "cafile=/a.pem"), ("/a.pem", "A"), ("/b.pem", "B")];
    assert_eq!(found(&[("npm_config_cafile", "/b.pem")], &both), one("npm_config_cafile", "B"), "a variable wins");
}
