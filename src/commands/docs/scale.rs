//! The page of scale, from the figures of measured nights.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;

use super::pages::page;

const HOW: &str = "What nights cost over an npm registry on loopback whose packages hold real skills (labelled sets, files up to 64 KiB in all, \
                   a third of their paragraphs mixed so that few are copies). The first night finds everything new, the second nothing \
                   changed, and the third a share of the packages with a new version. The time is that of the processor in user and \
                   system mode; wall time would say more of the machine than of the program. Memory is the most that was held in a \
                   stage, of which some was taken by stages before it. Written are all bytes handed to the system: the store, its log, \
                   the dataset.\n\n\
                   Written by `tests/nights.py CAPDEX --packages N --figures src/commands/docs/scale.json`, then `capdex docs docs`.\n\n";

const PAPER: &str = "Nothing in this table was measured. It takes the figures of the largest size above times the packages, as if every stage \
                     grew with them and no faster, on one machine of the same kind. What a host allows is not in it: nobody asks a registry \
                     as fast as loopback answers.\n\n";

/// Three nights at one size.
#[derive(Deserialize)]
struct Measured {
    packages: u64,
    changed: f64,
    day: String,
    text_bytes: u64,
    nights: Vec<Night>,
}

#[derive(Deserialize)]
struct Night {
    night: String,
    #[serde(flatten)]
    whole: Use,
    store_bytes: u64,
    dataset_bytes: u64,
    dataset_bytes_new: u64,
    stages: BTreeMap<String, Use>,
}

/// What a night, or a stage of one, used.
#[derive(Deserialize)]
struct Use {
    user_s: f64,
    system_s: f64,
    peak_mib: u64,
    written_bytes: u64,
}

impl Use {
    fn cpu_s(&self) -> f64 {
        self.user_s + self.system_s
    }
}

/// The stages in the order of a night.
const STAGES: [&str; 10] = ["list", "fetch", "rehash", "signals", "join", "scan", "score", "watch", "export", "alerts"];

/// The sizes that stand on paper.
const ON_PAPER: [u64; 3] = [1_000_000, 10_000_000, 100_000_000];

fn measured() -> Vec<Measured> {
    #[expect(clippy::expect_used, reason = "compiled in; a test reads it")]
    serde_json::from_str(include_str!("scale.json")).expect("the compiled-in figures parse, as tested")
}

/// The page.
pub(super) fn scale() -> String {
    let mut text = page("Scale");
    text.push_str(HOW);
    let measured = measured();
    for size in &measured {
        of_size(&mut text, size);
    }
    if let Some(largest) = measured.last() {
        on_paper(&mut text, largest);
    }
    text
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

fn of_size(text: &mut String, size: &Measured) {
    let _ = writeln!(text, "## {} packages\n", size.packages);
    let _ = writeln!(
        text,
        "Measured {}, over {} MB of text; {} % of the packages changed for the third night.\n",
        size.day,
        megabytes(size.text_bytes),
        size.changed * 100.0
    );
    for night in &size.nights {
        let _ = writeln!(text, "### {} packages, {} night\n", size.packages, night.night);
        let _ = writeln!(
            text,
            "Store {} MB; dataset {} MB, of which {} MB in files that were written anew.\n",
            megabytes(night.store_bytes),
            megabytes(night.dataset_bytes),
            megabytes(night.dataset_bytes_new)
        );
        let _ = writeln!(text, "| stage | CPU, s | memory, MiB | written, MB |\n|---|---|---|---|");
        let stages = STAGES.iter().filter_map(|name| Some((*name, night.stages.get(*name)?)));
        // What takes no time that a clock of hundredths can tell is left out.
        for (name, used) in stages.filter(|(_, used)| used.cpu_s() >= 0.005).chain([("all", &night.whole)]) {
            let (cpu, written) = (used.cpu_s(), megabytes(used.written_bytes));
            let _ = writeln!(text, "| {name} | {cpu:.2} | {} | {written} |", used.peak_mib);
        }
        text.push('\n');
    }
}

fn on_paper(text: &mut String, largest: &Measured) {
    let _ = writeln!(
        text,
        "## On paper\n\n{PAPER}| packages | night | CPU, hours | store, GB | dataset, GB |\n|---|---|---|---|---|"
    );
    for packages in ON_PAPER {
        let times = packages as f64 / largest.packages as f64;
        for night in &largest.nights {
            let _ = writeln!(
                text,
                "| {packages} | {} | {:.1} | {:.0} | {:.1} |",
                night.night,
                night.whole.cpu_s() * times / 3600.0,
                night.store_bytes as f64 * times / 1e9,
                night.dataset_bytes as f64 * times / 1e9
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_that_was_measured_has_its_row() {
        let measured = measured();
        assert!(!measured.is_empty());
        for night in measured.iter().flat_map(|size| &size.nights) {
            let unknown: Vec<_> = night.stages.keys().filter(|name| !STAGES.contains(&name.as_str())).collect();
            assert!(unknown.is_empty(), "{unknown:?}");
        }
    }
}
