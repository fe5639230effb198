//! From bundles to judged capabilities: gather, decompose, evaluate, score. The same for files and for the store.
//!
//! Bundles come from folders and from the store alike, and results go wherever the caller puts them.

use std::collections::BTreeMap;

use capdex_corpus::drift::Pins;
use capdex_db::Scanned;
use capdex_evidence::Evidence;
use capdex_evidence::decompose::decompose_counted;
use capdex_evidence::subject::Subject;
use capdex_evidence::surfaces::{inventory, unread_server};
use capdex_model::bundle::Bundle;
use capdex_model::capability::{Capability, Kind};
use capdex_model::facts::SparseFacts;
use capdex_model::score::{Score, Verdict};
use capdex_model::snapshot::{Completeness, Gap, GapReason, capped_gaps};
use capdex_model::surface::SurfaceInventory;
use capdex_model::time::AsOf;
use capdex_rubrics::{RUBRICS, verdict};
use rayon::prelude::*;

/// The most bundles that are read in step, and the most capabilities that are judged so.
///
/// Rules and tables take more room than the processor's nearest memory has: in step each of them is fetched from further
/// away once for all. With many more bundles these no longer fit themselves.
const IN_STEP: usize = 16;
const CAPABILITIES_IN_STEP: usize = 2 * IN_STEP;
/// The most bytes that bundles read in step hold; one that holds more goes by itself.
const BYTES_IN_STEP: u64 = 512 * 1024;

/// Splits items into runs whose bundles are to be scanned in step: some small ones, or a large one by itself. A run has
/// fewer where one of so many threads would have nothing to do.
pub fn steps<T>(items: &[T], threads: usize, bundle: impl Fn(&T) -> &Bundle) -> Vec<&[T]> {
    // Fewer in step where there are few items, or some threads would have nothing to do.
    let most = (items.len() / threads.max(1)).clamp(1, IN_STEP);
    let mut steps = Vec::new();
    let mut rest = items;
    while !rest.is_empty() {
        let mut held = 0;
        let fits = |item: &&T| {
            held += bundle(item).size();
            held <= BYTES_IN_STEP
        };
        // At least one, or a bundle above the bound would never be taken.
        let (step, later) = rest.split_at(rest.iter().take(most).take_while(fits).count().max(1));
        steps.push(step);
        rest = later;
    }
    steps
}

/// Finds the capabilities of some bundles and runs every rule over each; for each bundle in the order of `decompose`.
/// A single bundle uses the thread pool that it is called in. Results of a bundle depend on it alone.
pub fn scan_all(bundles: &[&Bundle]) -> Vec<Vec<Scanned>> {
    read_all(bundles).1
}

/// The same for one bundle.
pub fn scan(bundle: &Bundle) -> Vec<Scanned> {
    read(bundle).1
}

/// The same with the evidence, for those who look at it again.
pub fn read(bundle: &Bundle) -> (Evidence, Vec<Scanned>) {
    let (evidence, scanned) = read_all(&[bundle]);
    (evidence.into_iter().next().unwrap_or_default(), scanned.concat())
}

fn read_all(bundles: &[&Bundle]) -> (Vec<Evidence>, Vec<Vec<Scanned>>) {
    let evidence = Evidence::gather_all(bundles);
    let found: Vec<BundleCapabilities> =
        bundles.iter().zip(&evidence).map(|(bundle, evidence)| BundleCapabilities::of(bundle, evidence)).collect();
    let asked: Vec<(&Bundle, Subject)> = found.iter().flat_map(BundleCapabilities::subjects).collect();
    // One large bundle is spread over the pool; several small ones are spread by the caller.
    let told: Vec<Answers> = if bundles.len() == 1 {
        let most = (asked.len() / rayon::current_num_threads()).clamp(1, CAPABILITIES_IN_STEP);
        asked.par_chunks(most).flat_map_iter(told_in_step).collect()
    } else {
        asked.chunks(CAPABILITIES_IN_STEP).flat_map(told_in_step).collect()
    };
    // Answers come in the order of the questions, bundle after bundle.
    let mut told = told.into_iter();
    let mut scanned = |capability| {
        let Answers { pins, surfaces, facts, completeness } = told.next()?;
        Some(Scanned { capability, pins, surfaces, facts, completeness })
    };
    let by_bundle = found.into_iter().map(|found| found.capabilities.into_iter().filter_map(&mut scanned).collect());
    let mut by_bundle: Vec<Vec<Scanned>> = by_bundle.collect();
    for scanned in &mut by_bundle {
        capdex_rules::within_input(&mut scanned.iter_mut().map(|one| &mut one.facts).collect::<Vec<_>>());
    }
    (evidence, by_bundle)
}

/// The answers about one capability.
struct Answers {
    pins: Pins,
    surfaces: SurfaceInventory,
    facts: SparseFacts,
    completeness: Completeness,
}

/// The capabilities of a bundle, each with the gaps that concern it.
struct BundleCapabilities<'a> {
    bundle: &'a Bundle,
    evidence: &'a Evidence,
    capabilities: Vec<Capability>,
    gaps: Vec<Vec<Gap>>,
}

impl<'a> BundleCapabilities<'a> {
    fn of(bundle: &'a Bundle, evidence: &'a Evidence) -> Self {
        let (capabilities, more) = decompose_counted(bundle, evidence);
        let subject = |capability| Subject { capability, evidence, claims: &bundle.claims, gaps: &[] };
        let unread = capabilities.iter().filter_map(|capability| unread_server(&subject(capability)));
        // Gaps of fetching and of reading alike: neither leaves the capability wholly known.
        let gaps = capped_gaps(bundle.gaps.iter().chain(&evidence.gaps).cloned().chain(more).chain(unread).collect());
        let gaps = gaps_by_capability(&capabilities, &gaps);
        Self { bundle, evidence, capabilities, gaps }
    }

    fn subjects(&self) -> impl Iterator<Item = (&'a Bundle, Subject<'_>)> {
        let Self { bundle, evidence, .. } = *self;
        let subject =
            move |(capability, gaps)| (bundle, Subject { capability, evidence, claims: &bundle.claims, gaps });
        self.capabilities.iter().zip(self.gaps.iter().map(Vec::as_slice)).map(subject)
    }
}

/// The capabilities of a bundle that are rows of the store: all but a rest without a file, which is judged where its files are.
/// It stays where it is all that there is, or has a gap that no other row has.
pub fn rows(mut scanned: Vec<Scanned>) -> Vec<Scanned> {
    let is_empty = |rest: &Scanned, others: &[Scanned]| {
        let is_told = |gap: &Gap| others.iter().any(|other| other.completeness.gaps().contains(gap));
        let is_claimed = rest.capability.files.is_empty() && !others.is_empty();
        rest.capability.kind == Kind::Package && is_claimed && rest.completeness.gaps().iter().all(is_told)
    };
    if scanned.split_last().is_some_and(|(rest, others)| is_empty(rest, others)) {
        scanned.pop();
    }
    scanned
}

fn told_in_step(asked: &[(&Bundle, Subject<'_>)]) -> Vec<Answers> {
    let pins: Vec<Pins> = asked.iter().map(|(bundle, subject)| pins(bundle, subject)).collect();
    let facts = capdex_rules::evaluate(&asked.iter().map(|(_, subject)| *subject).collect::<Vec<_>>());
    let told = asked.iter().zip(pins).zip(facts).map(|(((bundle, subject), pins), facts)| {
        let completeness = completeness(bundle, subject.gaps);
        let facts = match completeness {
            Completeness::Analysed => facts,
            // A rule that found nothing in a part proves nothing about the whole.
            Completeness::Partial(_) => facts.with_absence_unproven(),
            // With nothing to read even a finding by absence would be wrong.
            Completeness::NotAssessable(_) => capdex_rules::unavailable(subject.capability.kind, &facts),
        };
        Answers { pins, surfaces: inventory(subject), facts, completeness }
    });
    told.collect()
}

fn pins(bundle: &Bundle, subject: &Subject<'_>) -> Pins {
    let digest_of = |path: &str| bundle.files.get(path).map(|file| file.digest);
    Pins::of(subject.capability, subject.evidence, digest_of, subject.tools())
}

/// Nothing at all to read is not assessable; a gap in what belongs to the capability makes it partial.
fn completeness(bundle: &Bundle, gaps: &[Gap]) -> Completeness {
    if bundle.files.is_empty() {
        let empty = || Gap::new(bundle.identity.clone(), GapReason::Empty, "there are no files");
        return Completeness::nothing_read(gaps.to_vec(), empty);
    }
    Completeness::from_gaps(gaps.to_vec())
}

/// For each capability the gaps that concern it. One concerns it in a file that it owns, or in the folder that it anchors
/// more closely than any other. Gaps that concern the input as a whole concern all, but for what its program registers, which
/// concerns servers and what brings them. The package's rest answers for the whole input.
fn gaps_by_capability(capabilities: &[Capability], gaps: &[Gap]) -> Vec<Vec<Gap>> {
    let mut by_capability: Vec<Vec<Gap>> = vec![Vec::new(); capabilities.len()];
    // Most bundles have no gap, and need no index.
    let owners = if gaps.is_empty() { Owners::default() } else { Owners::of(capabilities) };
    for gap in gaps {
        let concerned = match (gap.subject.as_str(), gap.reason) {
            // No text of a skill comes out of a program that was not followed to its end.
            (WHOLE, GapReason::Unresolved) => registering(capabilities),
            // An archive that could not be read to its end may have held anything.
            (WHOLE, _) => (0..capabilities.len()).collect(),
            _ => owners.concerned(gap),
        };
        for at in concerned {
            if let Some(own) = by_capability.get_mut(at) {
                own.push(gap.clone());
            }
        }
    }
    by_capability
}

/// Servers, plugins, which may bring some, and the package's rest.
fn registering(capabilities: &[Capability]) -> Vec<usize> {
    let registers = |kind: Kind| matches!(kind, Kind::McpServer | Kind::Plugin | Kind::Package);
    (0..capabilities.len()).filter(|at| capabilities.get(*at).is_some_and(|one| registers(one.kind))).collect()
}

/// The owners of files and the anchors of folders, by the index of the capability.
#[derive(Default)]
struct Owners<'a> {
    files: BTreeMap<&'a str, Vec<usize>>,
    anchors: BTreeMap<&'a str, Vec<usize>>,
    /// The package's rest, which answers for everything.
    rest: Vec<usize>,
}

impl<'a> Owners<'a> {
    fn of(capabilities: &'a [Capability]) -> Self {
        let mut owners = Self::default();
        for (at, capability) in capabilities.iter().enumerate() {
            if capability.kind == Kind::Package {
                // It owns no file of its own here, since it is concerned by every gap.
                owners.rest.push(at);
                continue;
            }
            for path in &capability.files {
                owners.files.entry(path).or_default().push(at);
            }
            owners.anchors.entry(&capability.path).or_default().push(at);
        }
        owners
    }

    /// The capabilities that a gap in a file or folder concerns: its owners, else those anchored most closely around it;
    /// and the package's rest. Where a budget left out a part of a folder, all that are anchored in it too.
    fn concerned(&self, gap: &Gap) -> Vec<usize> {
        let subject = gap.subject.as_str();
        // From the innermost folder outwards, and at last the root.
        let folders = subject.rmatch_indices('/').filter_map(|(at, _)| subject.get(..at));
        let mut around = std::iter::once(subject).chain(folders).chain([""]);
        // An owner is nearer than any folder.
        let owners = self.files.get(subject).or_else(|| around.find_map(|folder| self.anchors.get(folder)));
        let mut concerned = owners.cloned().unwrap_or_default();
        if matches!(gap.reason, GapReason::TooManyMembers | GapReason::ExpandedTooLarge | GapReason::RatioTooHigh) {
            // A folder of which a part was left out: it may have belonged to any capability in it.
            let start = format!("{subject}/");
            let below = self.anchors.range(start.as_str()..).take_while(|(path, _)| path.starts_with(&start));
            concerned.extend(below.flat_map(|(_, at)| at));
        }
        concerned.extend(&self.rest);
        concerned.sort_unstable();
        concerned.dedup();
        concerned
    }
}

/// The subject of a gap that concerns an archive as a whole.
const WHOLE: &str = ".";

/// Scores facts with every rubric, or with the one that `only` names.
pub fn score(facts: &SparseFacts, only: Option<&str>, at: AsOf) -> Vec<Score> {
    RUBRICS
        .iter()
        .filter(|rubric| only.is_none_or(|id| rubric.meta().rubric.id == id))
        .map(|rubric| rubric.score(facts, at))
        .collect()
}

/// Scores some facts with every rubric, each of which takes all of them before the next does.
pub fn score_all(facts: &[&SparseFacts], at: AsOf) -> Vec<Vec<Score>> {
    let mut scores: Vec<Vec<Score>> = facts.iter().map(|_| Vec::with_capacity(RUBRICS.len())).collect();
    // Rubric after rubric, so that the tables of one stay in the processor's memory.
    for rubric in RUBRICS {
        scores.iter_mut().zip(facts).for_each(|(scores, facts)| scores.push(rubric.score(facts, at)));
    }
    scores
}

/// The verdict over scores.
pub fn judge(scores: &[Score], completeness: &Completeness) -> Verdict {
    verdict(scores, completeness)
}

#[cfg(test)]
mod tests {
    use capdex_model::bundle::BundleFile;

    use super::*;

    fn bundle(name: &str, files: &[(&str, &str)]) -> Bundle {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), BundleFile::new(text.as_bytes())));
        Bundle::local(format!("folder:{name}"), files.collect())
    }

    /// Bundles of every kind, whole and partial, and one of which nothing could be read.
    fn bundles() -> Vec<Bundle> {
        let examples = capdex_rules::INDEX.all().iter().flat_map(|meta| &meta.examples.fires).step_by(3);
        let named = (0..).zip(examples).map(|(number, example)| {
            let files: Vec<_> = example.files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            Bundle { claims: example.claims.clone(), ..bundle(&number.to_string(), &files) }
        });
        let unread =
            Bundle { gaps: vec![Gap::new(WHOLE, GapReason::ExpandedTooLarge, "too large")], ..bundle("unread", &[]) };
        let partial = bundle("partial", &[("package.json", "{"), ("SKILL.md", "---\nname: a\n---\n")]);
        let many: Vec<String> = (0..70).map(|number| format!("skills/{number}/SKILL.md")).collect();
        let many: Vec<(&str, &str)> = many.iter().map(|path| (path.as_str(), "---\nname: a\n---\n# A")).collect();
        named.chain([unread, partial, bundle("many", &many)]).collect()
    }

    #[test]
    fn what_is_found_in_a_bundle_depends_on_it_alone() {
        let bundles = bundles();
        let told = |scanned: &[Scanned]| serde_json::to_value(scanned.iter().map(|one| &one.facts).collect::<Vec<_>>());
        let alone: Vec<Vec<Scanned>> = bundles.iter().map(scan).collect();
        for threads in [1, 5] {
            let in_step = steps(&bundles, threads, |bundle| bundle);
            let in_step = in_step.iter().flat_map(|step| scan_all(&step.iter().collect::<Vec<_>>()));
            for (alone, in_step) in alone.iter().zip(in_step) {
                assert_eq!(told(alone).expect("facts"), told(&in_step).expect("facts"));
                let kept = |one: &Scanned| {
                    let (pins, surfaces) = (one.pins.clone(), one.surfaces.clone());
                    (one.capability.clone(), pins, surfaces, one.completeness.clone())
                };
                assert_eq!(alone.iter().map(kept).collect::<Vec<_>>(), in_step.iter().map(kept).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn what_a_program_registers_is_no_gap_of_the_skill_beside_it() {
        let files = [
            (
                "package.json",
                r#"{"name":"a","version":"1.0.0","bin":"server.js","dependencies":{"@modelcontextprotocol/sdk":"1"}}"#,
            ),
            (
                "server.js",
                "const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');\nnew McpServer();\n",
            ),
            ("skills/b/SKILL.md", "---\nname: b\ndescription: Formats tables.\n---\n\nUse it for tables.\n"),
        ];
        let partial = |reason: GapReason| {
            let of = Bundle { gaps: vec![Gap::new(WHOLE, reason, "not followed to its end")], ..bundle("a", &files) };
            let told = scan(&of).into_iter();
            let has = |one: &Scanned| one.completeness.gaps().iter().any(|gap| gap.subject == WHOLE);
            told.map(|one| (one.capability.kind, has(&one))).collect::<BTreeMap<Kind, bool>>()
        };
        let registrations = partial(GapReason::Unresolved);
        assert_eq!(registrations.get(&Kind::McpServer), Some(&true));
        assert_eq!(registrations.get(&Kind::Skill), Some(&false));
        // What was cut off an archive may have been anything.
        assert_eq!(partial(GapReason::RatioTooHigh).get(&Kind::Skill), Some(&true));
    }

    #[test]
    fn a_step_is_short_and_a_large_bundle_goes_by_itself() {
        let large = "x".repeat(600 * 1024);
        let sizes = ["", "", &large, "", &large].map(|text| bundle("a", &[("README.md", text)]));
        let lengths =
            |threads| steps(&sizes, threads, |bundle| bundle).iter().map(|step| step.len()).collect::<Vec<_>>();
        assert_eq!(lengths(1), [2, 1, 1, 1]);
        assert_eq!(lengths(8), [1; 5]);
        let many = vec![bundle("a", &[]); 40];
        let lengths: Vec<usize> = steps(&many, 1, |bundle| bundle).iter().map(|step| step.len()).collect();
        assert_eq!(lengths, [16, 16, 8]);
    }
}
