//! Look-alike names at scale, from a seed and the popular names in `CAPDEX_DATA`: a million names against the ten thousand
//! most popular, all pairs within a hundred thousand, and twenty thousand compared with brute force.
//!
//! Names are made as people make them: words of popular names, put together, and one in ten a popular name with one to
//! three edits. The brute force is a textbook of its own.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use capdex_corpus::typosquat::index::{ComparedName, DeletionIndex, Pool};
use capdex_corpus::typosquat::list::{NameListLine, PopularNames, read};
use capdex_corpus::typosquat::{Name, distance};
use capdex_dataset::bulk;

const POPULAR: usize = 10_000;
const PAIRED: usize = 100_000;
const FORCED: usize = 20_000;
const THREADS: u16 = 2;
const BATCH: usize = 16_384;

/// Runs it over so many names (a million where none is said); whether every bar held.
pub(crate) fn run(names: Option<usize>) -> bool {
    let Some(data) = std::env::var_os("CAPDEX_DATA") else {
        println!("lookalikes: skipped, no CAPDEX_DATA");
        return true;
    };
    let popular = popular(Path::new(&data));
    let begun = Instant::now();
    let made = make(&popular, names.unwrap_or(1_000_000));
    println!("lookalikes: {} names made in {:.1} s", made.len(), begun.elapsed().as_secs_f64());
    let targets: Vec<&str> = popular.iter().take(POPULAR).map(|line| line.name.as_str()).collect();

    let mut holds = true;
    let (took, pairs) = against(&made, &targets);
    holds &= bar(&format!("{} against {}: {pairs} pairs", made.len(), targets.len()), took, Duration::from_secs(3));
    let lines: Vec<NameListLine> =
        made.iter().map(|name| NameListLine { name: name.clone(), ..NameListLine::default() }).collect();
    let (took, leads) = cost_of(|| {
        let every = PopularNames::new(popular.iter().take(POPULAR).cloned().collect(), false);
        let mut leads = 0_usize;
        in_order(&lines, |line| every.candidates(line).map_or(0, |leads| leads.len()), |count| leads += count);
        leads
    });
    holds &= bar(&format!("every way, judged: {leads} leads"), took, Duration::from_secs(3));
    // Before the pairs of a hundred thousand, which are another question.
    let peak = peak_mib();
    println!("  {peak} MiB at most ({})", if peak <= 512 { "holds" } else { "over 512" });
    holds &= peak <= 512;
    let paired: Vec<&str> = made.iter().take(PAIRED).map(String::as_str).collect();
    let (took, pairs) = within(&paired);
    holds &= bar(&format!("all pairs within {}: {}", paired.len(), pairs.len()), took, Duration::from_secs(30));
    let peak = peak_mib();
    println!("  {peak} MiB at most ({})", if peak <= 1_024 { "holds" } else { "over 1024" });
    holds &= peak <= 1_024;

    let forced: Vec<&str> = made.iter().take(FORCED).map(String::as_str).collect();
    let (_, found) = within(&forced);
    let expected = by_force(&forced);
    println!("  {} names by force: {} pairs, by the index {}", forced.len(), expected.len(), found.len());
    holds &= found == expected;

    holds
}

/// What took so long, in wall time and in CPU time over both threads.
#[derive(Clone, Copy)]
struct Cost {
    wall: Duration,
    cpu_s: f64,
}

/// Runs something and says what it cost.
fn cost_of<T>(work: impl FnOnce() -> T) -> (Cost, T) {
    let (begun, cpu) = (Instant::now(), cpu_s());
    let result = work();
    (Cost { wall: begun.elapsed(), cpu_s: cpu_s() - cpu }, result)
}

fn bar(what: &str, took: Cost, most: Duration) -> bool {
    let holds = took.wall <= most;
    let word = if holds { "within" } else { "OVER" };
    println!("  {what} in {:.2} s ({word} {} s), {:.2} s of CPU", took.wall.as_secs_f64(), most.as_secs(), took.cpu_s);
    holds
}

/// The popular names of both registries, in turn, so that the first ten thousand are five thousand of each.
fn popular(data: &Path) -> Vec<NameListLine> {
    let list = |name: &str| {
        let text = std::fs::read_to_string(data.join("popular-names").join(name)).expect("a list of popular names");
        read(&text)
    };
    let (npm, pypi) = (list("npm.tsv"), list("pypi.tsv"));
    let mut seen = BTreeSet::new();
    let mixed = npm.into_iter().zip(pypi).flat_map(|(npm, pypi)| [npm, pypi]);
    mixed.filter(|line| seen.insert(line.name.to_lowercase())).collect()
}

fn compared(name: &str) -> ComparedName {
    Name::read(name).expect("a name").compared().clone()
}

fn in_order<I: Sync, O: Send>(items: &[I], work: impl Fn(&I) -> O + Sync + Send, mut sink: impl FnMut(O)) {
    let pool = bulk::pool(Some(THREADS)).expect("threads");
    let sink = |_: &[I], results: Vec<O>| {
        results.into_iter().for_each(&mut sink);
        Ok(())
    };
    bulk::ordered(&pool, items, BATCH, work, sink).expect("nothing fails");
}

/// What it costs to find every name within the bound of a target, from the texts on, and how many pairs there are.
fn against(names: &[String], targets: &[&str]) -> (Cost, usize) {
    cost_of(|| {
        let index = DeletionIndex::new(Pool::new(targets.iter().map(|name| compared(name)).collect()));
        let mut pairs = 0;
        in_order(names, |name| index.near(&compared(name)).len(), |count| pairs += count);
        pairs
    })
}

/// What it costs to find every pair within one set, and the pairs, by number.
fn within(names: &[&str]) -> (Cost, Vec<(u32, u32, usize)>) {
    cost_of(|| {
        let pool: Vec<ComparedName> = names.iter().map(|name| compared(name)).collect();
        let index = DeletionIndex::new(Pool::new(pool.clone()));
        let numbered: Vec<(u32, &ComparedName)> = (0..).zip(&pool).collect();
        let mut pairs = Vec::new();
        let later = |(number, name): &(u32, &ComparedName)| -> Vec<(u32, u32, usize)> {
            let found = index.near(name).into_iter().filter(|(other, _)| other > number);
            found.map(|(other, distance)| (*number, other, distance)).collect()
        };
        in_order(&numbered, later, |found| pairs.extend(found));
        pairs
    })
}

/// The same by the textbook recurrence, all with all; only lengths that are too different are passed over.
fn by_force(names: &[&str]) -> Vec<(u32, u32, usize)> {
    let pool: Vec<ComparedName> = names.iter().map(|name| compared(name)).collect();
    let numbered: Vec<(u32, &ComparedName)> = (0..).zip(&pool).collect();
    let mut pairs = Vec::new();
    let with_later = |(number, one): &(u32, &ComparedName)| -> Vec<(u32, u32, usize)> {
        let mut found = Vec::new();
        for (other, with) in numbered.iter().skip(*number as usize + 1) {
            let most = distance::bound(one.length, with.length);
            if one.letters.len().abs_diff(with.letters.len()) <= most {
                let distance = textbook(&one.letters, &with.letters);
                found.extend((distance <= most).then_some((*number, *other, distance)));
            }
        }
        found
    };
    in_order(&numbered, with_later, |found| pairs.extend(found));
    pairs
}

fn textbook(one: &[char], other: &[char]) -> usize {
    const WIDTH: usize = 64;
    let cell = |row: &[u8; WIDTH], column: usize| row.get(column).copied().unwrap_or(u8::MAX);
    let (mut two_before, mut before, mut row) = ([0_u8; WIDTH], [0_u8; WIDTH], [0_u8; WIDTH]);
    if other.len() >= WIDTH || one.len() >= 200 {
        return usize::MAX;
    }
    for (column, cell) in before.iter_mut().enumerate() {
        *cell = u8::try_from(column).unwrap_or(u8::MAX);
    }
    for (above, letter) in one.iter().enumerate() {
        row[0] = u8::try_from(above + 1).unwrap_or(u8::MAX);
        for (left, with) in other.iter().enumerate() {
            let mut cost = (cell(&before, left + 1) + 1)
                .min(cell(&row, left) + 1)
                .min(cell(&before, left) + u8::from(letter != with));
            if above > 0 && left > 0 && one.get(above - 1) == Some(with) && other.get(left - 1) == Some(letter) {
                cost = cost.min(cell(&two_before, left - 1) + 1);
            }
            row[left + 1] = cost;
        }
        (two_before, before) = (before, row);
    }
    usize::from(cell(&before, other.len()))
}

/// Distinct names from a seed.
fn make(popular: &[NameListLine], count: usize) -> Vec<String> {
    let words: Vec<&str> = popular
        .iter()
        .flat_map(|line| line.name.split(|letter: char| !letter.is_ascii_alphanumeric()))
        .filter(|word| word.len() > 1)
        .collect();
    let mut random = Random(0x5EED_CAFE_F00D_1234);
    let (mut seen, mut made) = (BTreeSet::new(), Vec::with_capacity(count));
    while made.len() < count {
        let mut name = if random.below(10) == 0 {
            random.of(popular).map_or_else(String::new, |line| line.name.to_lowercase())
        } else {
            let parts: Vec<&str> = (0..=random.below(3)).filter_map(|_| random.of(&words).copied()).collect();
            parts.join(if random.below(5) == 0 { "" } else { "-" })
        };
        for _ in 0..random.below(4) {
            name = edited(&name, &mut random);
        }
        if name.len() >= 3 && name.len() < 60 && Name::read(&name).is_some() && seen.insert(name.clone()) {
            made.push(name);
        }
    }
    made
}

fn edited(name: &str, random: &mut Random) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    let at = random.below(letters.len().max(1));
    let letter = char::from(b'a' + u8::try_from(random.below(26)).unwrap_or(0));
    match random.below(4) {
        0 => letters.insert(at, letter),
        1 if !letters.is_empty() => drop(letters.remove(at)),
        2 if at + 1 < letters.len() => letters.swap(at, at + 1),
        _ => letters.get_mut(at).into_iter().for_each(|of| *of = letter),
    }
    letters.into_iter().collect()
}

/// Xorshift: the same names on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(0) % bound.max(1)
    }

    fn of<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }
}

/// The most memory that this process held.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()).unwrap_or(0) / 1_024
}

/// User and system time of this process, in hundredths of a second in the fields after its name.
fn cpu_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit_once(')').map_or(Vec::new(), |(_, fields)| fields.split_whitespace().collect());
    let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}
