//! A made corpus of skills: families with edits, and skills that share nothing but boilerplate, all from one seed.
//!
//! Words follow Zipf's law over a made vocabulary, so that distinct skills share words as real ones do. A third of each
//! text is boilerplate that everybody has: set-up, troubleshooting and contribution sections. Must not know how families
//! are found.

/// A deterministic source of numbers (SplitMix64).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    fn often(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// A rank under Zipf's law among so many.
    fn zipf(&mut self, many: f64) -> u64 {
        let share = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        many.powf(share) as u64
    }
}

/// Words of the vocabulary.
const VOCABULARY: f64 = 30_000.0;

fn word(rank: u64, out: &mut String) {
    const SOUNDS: [&str; 32] = [
        "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "qui", "ro", "su", "ta", "ve", "wi",
        "xo", "zu", "bra", "cle", "dri", "flo", "gru", "pla", "sten", "tri", "for", "ment", "al", "er",
    ];
    let mut left = rank;
    loop {
        out.push_str(SOUNDS[(left % 32) as usize]);
        left /= 32;
        if left == 0 {
            break;
        }
        left -= 1;
    }
}

fn paragraph(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..2 + random.below(3) {
        for at in 0..7 + random.below(10) {
            if at > 0 {
                text.push(' ');
            }
            word(random.zipf(VOCABULARY), &mut text);
        }
        text.push_str(". ");
    }
    text.push('\n');
    text
}

/// Sections that are everybody's.
const BOILERPLATE: u64 = 24;

fn boilerplate(number: u64) -> String {
    let mut random = Random::new(0xb011 + number);
    let mut heading = String::from("## ");
    word(number + 40, &mut heading);
    format!("{heading}\n\n{}\n{}", paragraph(&mut random), paragraph(&mut random))
}

#[derive(Clone)]
struct Section {
    heading: String,
    body: Vec<String>,
}

/// A skill before it is written down.
#[derive(Clone)]
pub(super) struct Skill {
    name: String,
    sections: Vec<Section>,
    common: Vec<u64>,
    script: String,
}

impl Skill {
    /// The skill that a number stands for; no two share text of their own.
    pub(super) fn of(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let section = |random: &mut Random| {
            let mut heading = String::new();
            (0..2).for_each(|_| word(random.zipf(2_000.0), &mut heading));
            Section { heading, body: (0..2 + random.below(3)).map(|_| paragraph(random)).collect() }
        };
        let sections = (0..3 + random.below(5)).map(|_| section(&mut random)).collect();
        let common = (0..random.below(5)).map(|_| random.below(BOILERPLATE)).collect();
        let mut skill = Self { name: String::new(), sections, common, script: String::new() };
        skill.rename(&mut random);
        skill.script = (0..10 + random.below(30)).map(|_| script_line(&mut random)).collect();
        skill
    }

    /// A copy with one to four edits.
    pub(super) fn edited(&self, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut copy = self.clone();
        for _ in 0..1 + random.below(4) {
            match random.below(7) {
                0 => copy.rename(&mut random),
                1 => {
                    let turn = random.below(copy.sections.len() as u64) as usize;
                    copy.sections.rotate_left(turn);
                }
                2 => {
                    let heading = copy.sections[0].heading.clone();
                    let added = (0..2).map(|_| paragraph(&mut random)).collect();
                    copy.sections.push(Section { heading, body: added });
                }
                3 => copy.sections.iter_mut().for_each(|section| {
                    section.heading.clear();
                    word(random.zipf(VOCABULARY), &mut section.heading);
                }),
                4 => copy.common = (0..random.below(4)).map(|_| random.below(BOILERPLATE)).collect(),
                5 => copy.reword(&mut random),
                _ => copy.script.push_str(&script_line(&mut random)),
            }
        }
        copy
    }

    fn rename(&mut self, random: &mut Random) {
        let mut name = String::new();
        word(random.zipf(VOCABULARY), &mut name);
        name.push('-');
        word(random.zipf(VOCABULARY), &mut name);
        self.name = name;
    }

    /// One word in forty becomes another.
    fn reword(&mut self, random: &mut Random) {
        for paragraph in self.sections.iter_mut().flat_map(|section| &mut section.body) {
            let mut text = String::with_capacity(paragraph.len());
            for old in paragraph.split_inclusive(' ') {
                if random.often(2) {
                    word(random.zipf(VOCABULARY), &mut text);
                    text.push(' ');
                } else {
                    text.push_str(old);
                }
            }
            *paragraph = text;
        }
    }

    /// Its files: the document and a helper some folders down.
    pub(super) fn files(&self) -> [(&'static str, String); 2] {
        let Self { name, sections, common, script } = self;
        let mut text = format!("---\nname: {name}\ndescription: {name}\n---\n\n# {name}\n\n");
        for Section { heading, body } in sections {
            text.push_str(&format!("## {heading}\n\n"));
            body.iter().for_each(|paragraph| {
                text.push_str(paragraph);
                text.push('\n');
            });
            text.push_str(&format!("Run `{name}` again.\n\n"));
        }
        common.iter().for_each(|number| text.push_str(&boilerplate(*number)));
        [("SKILL.md", text), ("scripts/lib/run.py", script.clone())]
    }
}

fn script_line(random: &mut Random) -> String {
    let mut line = String::from("    ");
    word(random.zipf(VOCABULARY), &mut line);
    line.push_str(" = ");
    word(random.zipf(500.0), &mut line);
    line.push('(');
    word(random.zipf(VOCABULARY), &mut line);
    line.push_str(")\n");
    line
}

/// Which family each of so many skills belongs to: four in ten are in families of two to some hundreds, one family has a
/// twentieth of all, and the others are alone.
pub(super) fn plan(count: usize, seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed);
    let mut plan = vec![0; count / 20];
    let mut family = 1;
    while plan.len() < count * 4 / 10 {
        let size = 2 + random.zipf(400.0);
        plan.extend(std::iter::repeat_n(family, size as usize));
        family += 1;
    }
    while plan.len() < count {
        plan.push(family);
        family += 1;
    }
    plan.truncate(count);
    plan
}
