//! Tools lists: the schema walker with references and cycles, and every rule over what it finds.
//!
//! Holds for every input: it ends, each rule answers, and a second scan says the same.
#![no_main]

use std::collections::BTreeMap;

use capdex_core::bundle::{Bundle, BundleFile};
use capdex_core::decompose::decompose;
use capdex_core::evidence::Evidence;
use capdex_core::fact::Facts;
use capdex_core::rules::{self, Subject};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|schema: &str| {
    let text = format!(r#"{{"tools":[{{"name":"a","description":"b","inputSchema":{schema}}}]}}"#);
    let files = BTreeMap::from([("tools.json".to_owned(), BundleFile::new(text.into_bytes()))]);
    let bundle = Bundle::local("folder:fuzz", files);
    assert_eq!(scan(&bundle), scan(&bundle), "the same input gave other facts");
});

fn scan(bundle: &Bundle) -> Vec<Facts> {
    let evidence = Evidence::gather(bundle);
    let capabilities = decompose(bundle, &evidence);
    let subject = |capability| Subject { capability, evidence: &evidence, claims: &bundle.claims, gaps: &bundle.gaps };
    rules::evaluate(&capabilities.iter().map(subject).collect::<Vec<_>>())
}
