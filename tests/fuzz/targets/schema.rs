//! Tools lists: the schema walker with references and cycles, and every rule over what it finds.
//!
//! Holds for every input: it ends, each rule answers, and a second scan says the same.
#![no_main]

use std::collections::BTreeMap;

use capdex_evidence::Evidence;
use capdex_evidence::decompose::decompose;
use capdex_evidence::subject::Subject;
use capdex_model::bundle::{Bundle, BundleFile};
use capdex_model::facts::SparseFacts;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|schema: &str| {
    let text = format!(r#"{{"tools":[{{"name":"a","description":"b","inputSchema":{schema}}}]}}"#);
    let files = BTreeMap::from([("tools.json".to_owned(), BundleFile::new(text.into_bytes()))]);
    let bundle = Bundle::local("folder:fuzz", files);
    assert_eq!(scan(&bundle), scan(&bundle), "the same input gave other facts");
});

fn scan(bundle: &Bundle) -> Vec<SparseFacts> {
    let evidence = Evidence::gather(bundle);
    let capabilities = decompose(bundle, &evidence);
    let subject = |capability| Subject { capability, evidence: &evidence, claims: &bundle.claims, gaps: &bundle.gaps };
    capdex_rules::evaluate(&capabilities.iter().map(subject).collect::<Vec<_>>())
}
