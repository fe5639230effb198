//! Clone families at the size of all directories: 100,000 made skills, sketched and grouped by the release code.
//!
//! `cargo bench --bench watch -- clones [COUNT]` prints the time and how the families found stand to those made. Precision
//! and recall are given twice: by pairs (of all pairs put into one family, how many belong; of all that belong, how many
//! were put) and by members (the mean over all members of the same share within their own family, so that the large
//! families do not drown the small ones). It fails above 60 s or below 0.98.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use capdex_corpus::clone::{Files, Sketch, SketchedCapability, families};
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use rayon::prelude::*;

mod corpus;

use corpus::{Random, Skill, plan};

const SEED: u64 = 20_261_122;
/// Skills that are in memory as text at once.
const CHUNK: usize = 5_000;
const BOUND: Duration = Duration::from_secs(60);
const LEAST: f64 = 0.98;

pub(super) fn run(count: Option<usize>) -> bool {
    let count = count.unwrap_or(100_000);
    let plan = plan(count, SEED);
    let (sketches, bytes, sketching) = sketch(&plan);
    // Who came first is a matter of chance.
    let mut random = Random::new(SEED);
    let items: Vec<SketchedCapability<'_, (u64, usize)>> = sketches
        .iter()
        .enumerate()
        .map(|(at, sketch)| SketchedCapability { kind: Kind::Skill, rank: (random.next(), at), sketch })
        .collect();
    let start = Instant::now();
    let found = families(&items);
    let grouping = start.elapsed();
    let figures = Figures::of(&plan, &found);
    let whole = sketching + grouping;
    println!("{count} skills, {:.0} MB of text, seed {SEED}", bytes as f64 / 1e6);
    println!("sketched {:.1} s, grouped {:.1} s, together {:.1} s", secs(sketching), secs(grouping), secs(whole));
    println!("{} families made, {} found", figures.made, found.len());
    println!("by pairs    precision {:.4}  recall {:.4}", figures.pairs.0, figures.pairs.1);
    println!("by members  precision {:.4}  recall {:.4}", figures.members.0, figures.members.1);
    let good =
        [figures.pairs.0, figures.pairs.1, figures.members.0, figures.members.1].iter().all(|share| *share >= LEAST);
    good && whole <= BOUND
}

fn secs(time: Duration) -> f64 {
    time.as_secs_f64()
}

/// Sketches the corpus on two threads; writing the texts is not timed.
fn sketch(plan: &[u64]) -> (Vec<Sketch>, u64, Duration) {
    let pool = capdex_dataset::bulk::pool(Some(2)).expect("two threads");
    let (mut sketches, mut bytes, mut time) = (Vec::with_capacity(plan.len()), 0, Duration::ZERO);
    for (chunk, families) in plan.chunks(CHUNK).enumerate() {
        let texts: Vec<_> = pool.install(|| {
            let skill = |(at, family): (usize, &u64)| {
                let number = (chunk * CHUNK + at) as u64;
                let model = Skill::of(SEED ^ (family << 20));
                // One in ten is the same, byte for byte.
                if number.is_multiple_of(10) { model.files() } else { model.edited(SEED.wrapping_add(number)).files() }
            };
            families.par_iter().enumerate().map(skill).collect()
        });
        bytes += texts.iter().flatten().map(|(_, text)| text.len() as u64).sum::<u64>();
        let start = Instant::now();
        let of_chunk: Vec<Sketch> = pool.install(|| {
            let sketch = |texts: &[(&'static str, String); 2]| {
                let files =
                    texts.iter().map(|(path, text)| (*path, (Digest::of(text.as_bytes()), Some(text.as_str()))));
                Sketch::of(&files.collect::<Files<'_>>())
            };
            texts.par_iter().map(sketch).collect()
        });
        time += start.elapsed();
        sketches.extend(of_chunk);
    }
    (sketches, bytes, time)
}

struct Figures {
    made: usize,
    pairs: (f64, f64),
    members: (f64, f64),
}

impl Figures {
    fn of(plan: &[u64], found: &[Vec<usize>]) -> Self {
        let mut made: BTreeMap<u64, u64> = BTreeMap::new();
        plan.iter().for_each(|family| *made.entry(*family).or_default() += 1);
        let pairs = |count: u64| (count * (count - 1) / 2) as f64;
        let (mut right, mut put) = (0.0, 0.0);
        let (mut precise, mut members, mut recalled) = (0.0, 0.0, 0.0);
        for family in found {
            let mut of_made: BTreeMap<u64, u64> = BTreeMap::new();
            family.iter().for_each(|at| *of_made.entry(plan[*at]).or_default() += 1);
            put += pairs(family.len() as u64);
            members += family.len() as f64;
            for (label, count) in of_made {
                right += pairs(count);
                precise += count as f64 * count as f64 / family.len() as f64;
                if made[&label] > 1 {
                    recalled += count as f64 * count as f64 / made[&label] as f64;
                }
            }
        }
        let in_families: u64 = made.values().filter(|count| **count > 1).sum();
        let found_of: u64 = found.iter().flatten().filter(|at| made[&plan[**at]] > 1).count() as u64;
        // Who was put nowhere is at least with himself.
        let alone: f64 = {
            let placed: std::collections::BTreeSet<usize> = found.iter().flatten().copied().collect();
            let missed = plan.iter().enumerate().filter(|(at, family)| made[family] > 1 && !placed.contains(at));
            missed.map(|(_, family)| 1.0 / made[family] as f64).sum()
        };
        debug_assert!(found_of <= in_families);
        let belong: f64 = made.values().map(|count| pairs(*count)).sum();
        Self {
            made: made.values().filter(|count| **count > 1).count(),
            pairs: (right / put.max(1.0), right / belong.max(1.0)),
            members: (precise / members.max(1.0), (recalled + alone) / in_families.max(1) as f64),
        }
    }
}
