//! `Targets`: the names that others may be taken for, with every way of finding which of them a name is almost.
//!
//! Distances by the index, everything else by equal keys. Owners play no part: a match is a candidate and says nothing
//! about anybody.

use std::borrow::Cow;

use super::buckets::{Buckets, TextHash, of_text};
use super::distance;
use super::drawn::{shape, sound};
use super::index::{ComparedName, DeletionIndex, Pool};
use super::kinds::{self, TyposquatKind};
use super::name::{Name, without_digits};
use super::reading::{Reading, says_kind};
use super::words::Affixes;

/// A target shorter than this is not looked for among the words of other names.
const BRAND_LEAST: usize = 5;
/// A target shorter than this is not looked for at the beginning and the end of a longer word.
const GLUED_LEAST: usize = 7;
/// Targets that a single word may be part of before names with it are no surprise: `react-…`, `babel-…`.
const ECOSYSTEM: usize = 40;
/// Scopes under which a name stands before it is nobody's: `@…/core`, `@…/utils`.
const GENERIC: usize = 4;
/// Words of one name that are looked at.
const MOST_WORDS: usize = 16;
/// A core shorter than this is that of too many names.
const CORE_LEAST: usize = 4;
/// The shortest names of which one is searched within an edit of the other.
const SHORTEST: usize = 3;

const KEY: u8 = 1;
const SHAPE: u8 = 2;
const SOUND: u8 = 3;
const SORTED: u8 = 4;
const BASE: u8 = 6;
const STEM: u8 = 7;
const BACKWARDS: u8 = 8;

/// The targets that a name was found to be almost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TargetMatch {
    /// The number of the target.
    pub target: u32,
    /// In what way.
    pub kind: TyposquatKind,
}

/// A core of a target.
#[derive(Debug)]
struct TargetCore {
    target: u32,
    reading: Reading,
    /// True for that of what stands behind a scope.
    is_behind_scope: bool,
}

/// Names that others may be taken for, most popular first.
#[derive(Debug)]
pub struct Targets {
    names: Vec<Name>,
    ecosystems: Vec<bool>,
    near: DeletionIndex,
    near_cores: DeletionIndex,
    of_core: Vec<TargetCore>,
    keys: Buckets,
}

impl Targets {
    /// Indexes the names. Their order decides where one alone is reported: the most popular ones stand first.
    pub fn new(names: Vec<Name>) -> Self {
        let near = DeletionIndex::new(Pool::new(names.iter().map(|name| name.compared.clone()).collect()));
        let of_core: Vec<TargetCore> = (0_u32..)
            .zip(&names)
            .flat_map(|(target, name)| {
                let core = move |(at, reading)| TargetCore { target, reading, is_behind_scope: at > 0 };
                Reading::all(name).enumerate().map(core)
            })
            .collect();
        let near_cores =
            DeletionIndex::new(Pool::new(of_core.iter().map(|core| core_compared(&core.reading.core)).collect()));
        let mut keys = Vec::new();
        for (number, name) in (0_u32..).zip(&names) {
            each_hash(name, |hash| keys.push((hash, number)));
        }
        Self { ecosystems: ecosystems(&names), near, near_cores, of_core, keys: Buckets::new(keys), names }
    }

    /// The names, in the order given.
    pub fn names(&self) -> &[Name] {
        &self.names
    }

    /// The name of a number.
    pub fn name(&self, number: u32) -> Option<&Name> {
        self.names.get(number as usize)
    }

    /// True where a name is one of them, but for capitals.
    pub fn has(&self, name: &Name) -> bool {
        self.under(KEY, &name.key, |target| is_same(name, target)).next().is_some()
    }

    /// Which targets a name is almost, each in the way that says most, by their numbers. The targets that it *is* are not
    /// among them, unless it is one in disguise.
    pub fn of(&self, name: &Name) -> Vec<TargetMatch> {
        let mut found = Vec::new();
        self.by_keys(name, &mut found);
        self.by_distance(name, &mut found);
        for (at, reading) in Reading::all(name).enumerate() {
            self.by_core(name, &reading, at > 0, &mut found);
        }
        self.by_words(name, &mut found);
        found.retain(|found: &TargetMatch| self.name(found.target).is_some_and(|target| !is_same(name, target)));
        if name.is_disguised() {
            found.iter_mut().for_each(|found| found.kind = TyposquatKind::Confusable);
        }
        found.sort_unstable();
        found.dedup_by_key(|found| found.target);
        found
    }

    /// The numbers of the targets under a key, where `is_it` says of their names that the key is theirs.
    fn under(&self, tag: u8, key: &str, is_it: impl Fn(&Name) -> bool) -> impl Iterator<Item = u32> {
        let is_it = move |number: &u32| self.name(*number).is_some_and(&is_it);
        self.keys.under(of_text(tag, key)).filter(is_it)
    }

    fn by_keys(&self, name: &Name, found: &mut Vec<TargetMatch>) {
        let mut add = |kind: TyposquatKind, target: u32| found.push(TargetMatch { target, kind });
        for target in self.under(KEY, &name.key, |target| target.key == name.key) {
            let is_scoped = |name: Option<&Name>| name.is_some_and(|name| name.scoped().is_some());
            let is_across = is_scoped(Some(name)) != is_scoped(self.name(target));
            add(if is_across { TyposquatKind::Scope } else { TyposquatKind::Delimiter }, target);
        }
        let drawn = shape(&name.key);
        self.under(SHAPE, &drawn, |target| target.key != name.key && shape(&target.key) == drawn)
            .for_each(|target| add(TyposquatKind::Confusable, target));
        let said = sound(&name.key);
        self.under(SOUND, &said, |target| target.key != name.key && sound(&target.key) == said)
            .for_each(|target| add(TyposquatKind::Homophone, target));
        if let Some(hash) = of_words(name) {
            let is_it = |target: &Name| target.key != name.key && target.sorted_words() == name.sorted_words();
            let alike = self.keys.under(hash).filter(|number| self.name(*number).is_some_and(is_it));
            alike.for_each(|target| add(TyposquatKind::WordOrder, target));
        }
        let base = base_key(name);
        let is_across = |target: &Name| target.scoped() != name.scoped() && base_key(target) == base;
        let across: Vec<u32> = self.under(BASE, &base, is_across).take(GENERIC).collect();
        if across.len() < GENERIC {
            across.into_iter().for_each(|target| add(self.across(name, target), target));
        }
    }

    fn by_distance(&self, name: &Name, found: &mut Vec<TargetMatch>) {
        if name.compared.length < SHORTEST {
            return;
        }
        for (number, distance) in self.near.near(&name.compared) {
            let Some(target) = self.name(number).filter(|target| target.compared.length >= SHORTEST) else { continue };
            if distance > 0 {
                let kind = kinds::of_edit(&name.compared.letters, &target.compared.letters, distance);
                found.push(TargetMatch { target: number, kind });
            }
        }
    }

    /// The way in which a name is a target's under another scope: that of the scopes, where they are near each other.
    fn across(&self, name: &Name, target: u32) -> TyposquatKind {
        let scopes = name.scoped().zip(self.name(target).and_then(Name::scoped));
        let scopes = scopes.and_then(|((one, _), (other, _))| Some((Name::read(one)?, Name::read(other)?)));
        let Some((one, other)) = scopes else { return TyposquatKind::Scope };
        match super::index::near(&one.compared, &other.compared) {
            Some(0) => TyposquatKind::Delimiter,
            Some(distance) => kinds::of_edit(&one.compared.letters, &other.compared.letters, distance),
            None => TyposquatKind::Scope,
        }
    }

    /// The same or one edit more in what is left without affixes, where that is not all of both (`ethetsjs` and `ethers`) and
    /// what stands around it is alike. What stands behind a scope is read by itself, where few have it.
    fn by_core(&self, name: &Name, reading: &Reading, is_behind_scope: bool, found: &mut Vec<TargetMatch>) {
        if reading.core.chars().count() < CORE_LEAST {
            return;
        }
        let (mut whole, mut behind_scopes) = (Vec::new(), Vec::new());
        for (number, distance) in self.near_cores.near(&core_compared(&reading.core)) {
            let Some(of_target) = self.of_core.get(number as usize) else { continue };
            let Some(target) = self.name(of_target.target).filter(|target| target.key != name.key) else { continue };
            let core = &of_target.reading.core;
            let least = if distance == 0 { CORE_LEAST } else { BRAND_LEAST };
            let is_long = core.chars().count() >= least && reading.core.chars().count() >= least;
            let is_whole = reading.core == name.key && *core == target.key;
            if is_long && !is_whole && reading.is_formed_like(&of_target.reading) {
                let is_behind = of_target.is_behind_scope || is_behind_scope;
                let found = if is_behind { &mut behind_scopes } else { &mut whole };
                found.push(of_target.target);
            }
        }
        if behind_scopes.len() >= GENERIC {
            behind_scopes.clear();
        }
        let matched = whole.into_iter().chain(behind_scopes);
        found.extend(matched.map(|target| TargetMatch { target, kind: TyposquatKind::Affix }));
    }

    /// The longest target that is some of the words of a name, or else begins or ends it; of equally long ones the most
    /// popular.
    fn by_words(&self, name: &Name, found: &mut Vec<TargetMatch>) {
        let mut candidates = self.among_words(name);
        if candidates.is_empty() {
            candidates = self.glued(name);
        }
        let best = candidates.into_iter().min_by_key(|(length, found)| (std::cmp::Reverse(*length), found.target));
        found.extend(best.map(|(_, found)| found));
    }

    fn among_words(&self, name: &Name) -> Vec<(usize, TargetMatch)> {
        struct Word<'a> {
            text: &'a str,
            is_affix: bool,
            says_kind: bool,
        }
        let word = |text| Word { text, is_affix: Affixes::has(text), says_kind: says_kind(text) };
        let words: Vec<Word<'_>> = name.words().take(MOST_WORDS).map(word).collect();
        let mut candidates = Vec::new();
        let mut run = String::with_capacity(name.key.len());
        for from in 0..words.len() {
            run.clear();
            for (to, word) in words.iter().enumerate().skip(from) {
                run.push_str(word.text);
                if run.len() < BRAND_LEAST || run.len() == name.key.len() || (from == to && word.is_affix) {
                    continue;
                }
                let rest = || words.iter().take(from).chain(words.iter().skip(to + 1));
                let is_affixed = rest().all(|word| word.is_affix);
                let kind = if is_affixed { TyposquatKind::Affix } else { TyposquatKind::Combosquat };
                let whole = self.under(KEY, &run, |target| target.key == run);
                let of_stem = self.under(STEM, &run, |target| stem(target) == Some(run.as_str()));
                let odd = whole.chain(of_stem).filter(|target| is_affixed || !self.is_ecosystem(*target));
                // Another kind of thing with a vendor's word in its name is no likeness.
                let odd = odd.filter(|target| {
                    !rest().any(|word| word.says_kind) || self.name(*target).is_some_and(says_its_kind)
                });
                candidates.extend(odd.map(|target| (run.len(), TargetMatch { target, kind })));
            }
        }
        candidates
    }

    fn glued(&self, name: &Name) -> Vec<(usize, TargetMatch)> {
        let whole = name.key.as_str();
        let mut candidates = Vec::new();
        // One walk from each end hashes what the name begins with and what it ends with.
        let (mut forwards, mut backwards) = (TextHash::new(KEY), TextHash::new(BACKWARDS));
        for (at, (first, last)) in (1..whole.len()).zip(whole.bytes().zip(whole.bytes().rev())) {
            forwards.add(first);
            backwards.add(last);
            if at < GLUED_LEAST {
                continue;
            }
            let ends = [(forwards.get(), whole.get(..at)), (backwards.get(), whole.get(whole.len() - at..))];
            for (hash, part) in ends {
                let known =
                    self.keys.under(hash).filter(|target| self.name(*target).map(|target| target.key.as_str()) == part);
                let odd = known.filter(|target| !self.is_ecosystem(*target));
                candidates.extend(odd.map(|target| (at, TargetMatch { target, kind: TyposquatKind::Combosquat })));
            }
        }
        candidates
    }

    fn is_ecosystem(&self, number: u32) -> bool {
        self.ecosystems.get(number as usize).copied().unwrap_or(false)
    }
}

/// The distance of two names as they are read, separators included.
pub fn distance_of(one: &Name, other: &Name) -> usize {
    // Capital letters are rare, and a copy of the text is for them alone.
    let small = |text: &'_ str| text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if small(&one.text) && small(&other.text) {
        return distance::exact(&one.text, &other.text);
    }
    distance::exact(&one.text.to_lowercase(), &other.text.to_lowercase())
}

/// True where the two are one name: as written, but for capitals.
fn is_same(one: &Name, other: &Name) -> bool {
    one.latin == other.latin && one.is_disguised() == other.is_disguised()
}

/// True where a name says what kind of thing it is the name of.
fn says_its_kind(name: &Name) -> bool {
    name.words().any(says_kind)
}

/// Cores are compared within one edit, however long: the affix is a difference already.
fn core_compared(core: &str) -> ComparedName {
    ComparedName { letters: core.chars().collect(), length: 1 }
}

/// The key of what stands behind the scope, or else the whole key.
fn base_key(name: &Name) -> Cow<'_, str> {
    let without = |base: &str| base.chars().filter(|letter| !super::name::is_separator(*letter)).collect::<String>();
    name.scoped().map_or(Cow::Borrowed(name.key.as_str()), |(_, base)| Cow::Owned(without(base)))
}

/// The key without its version, where it has one and enough is left.
fn stem(name: &Name) -> Option<&str> {
    Some(without_digits(&name.key, BRAND_LEAST + 1)).filter(|stem| *stem != name.key)
}

/// The hash of a name's words in whatever order, where it has several.
fn of_words(name: &Name) -> Option<u32> {
    let add = |(sum, count): (u32, u32), word| (sum.wrapping_add(of_text(SORTED, word)), count + 1);
    let (sum, count) = name.words().fold((0, 0), add);
    (count > 1).then_some(sum)
}

/// Calls `each` with every hash under which a target is found.
fn each_hash(name: &Name, mut each_hash: impl FnMut(u32)) {
    let mut backwards = TextHash::new(BACKWARDS);
    name.key.bytes().rev().for_each(|byte| backwards.add(byte));
    each_hash(backwards.get());
    of_words(name).into_iter().for_each(&mut each_hash);
    let mut each = |tag, key: &str| each_hash(of_text(tag, key));
    each(KEY, &name.key);
    each(SHAPE, &shape(&name.key));
    each(SOUND, &sound(&name.key));
    each(BASE, &base_key(name));
    if let Some(stem) = stem(name) {
        each(STEM, stem);
    }
}

/// Which targets are single words that many other targets have among theirs.
fn ecosystems(names: &[Name]) -> Vec<bool> {
    let mut words: Vec<&str> =
        names.iter().filter(|name| name.sorted_words().is_some()).flat_map(Name::words).collect();
    words.sort_unstable();
    let count =
        |word: &str| words.partition_point(|other| *other <= word) - words.partition_point(|other| *other < word);
    names.iter().map(|name| name.sorted_words().is_none() && count(&name.latin) > ECOSYSTEM).collect()
}

#[cfg(test)]
mod tests;
