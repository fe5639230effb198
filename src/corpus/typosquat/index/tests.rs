//! Nothing is missed: the index against comparing all with all.

use proptest::prelude::*;

use super::*;

fn compared(name: &str) -> ComparedName {
    ComparedName { letters: name.chars().filter(|letter| *letter != '-').collect(), length: name.chars().count() }
}

fn pool(names: &[String]) -> Pool {
    Pool::new(names.iter().map(|name| compared(name)).collect())
}

/// Two names by number, the lower one first, and their distance.
type Pair = (u32, u32, usize);

/// Every pair, by comparing all with all.
fn by_force(pool: &Pool) -> Vec<Pair> {
    let names = pool.names();
    let mut pairs = Vec::new();
    for (one, name) in names.iter().enumerate() {
        for (other, with) in names.iter().enumerate().skip(one + 1) {
            pairs.extend(near(name, with).map(|distance| (one as u32, other as u32, distance)));
        }
    }
    pairs
}

fn by_index(names: &[String]) -> Vec<Pair> {
    let index = DeletionIndex::new(pool(names));
    let mut pairs = Vec::new();
    for (one, name) in names.iter().enumerate() {
        let found = index.near(&compared(name));
        assert!(found.iter().any(|(number, distance)| *number == one as u32 && *distance == 0));
        let later = found.into_iter().filter(|(other, _)| *other > one as u32);
        pairs.extend(later.map(|(other, distance)| (one as u32, other, distance)));
    }
    pairs
}

/// Names made of few syllables and letters, so that many are near each other.
fn made(number: u64) -> String {
    let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let words = ["mcp", "server", "file", "git", "search", "data", "node", "py"];
    let mut name: String =
        (0..=next(3)).map(|_| words[next(8) as usize]).collect::<Vec<_>>().join(if next(3) == 0 { "" } else { "-" });
    for _ in 0..next(4) {
        let letters: Vec<char> = name.chars().collect();
        let at = next(letters.len() as u64 + 1) as usize;
        let (head, tail) = (letters[..at].iter().collect::<String>(), letters[at..].iter().collect::<String>());
        name = format!("{head}{}{tail}", char::from(b'a' + next(5) as u8));
    }
    name
}

#[test]
fn two_thousand_names_have_the_pairs_that_force_finds() {
    let names: Vec<String> = (0..2_000).map(made).collect();
    let expected = by_force(&pool(&names));
    assert!(expected.len() > 2_000, "{} pairs: not enough to prove anything", expected.len());
    assert_eq!(by_index(&names), expected);
}

#[test]
fn hostile_names_are_compared_in_bounded_work() {
    // One family around one long beginning, and as many equal names: nobody is compared with everybody.
    let mut names: Vec<String> = (0..20_000).map(|number| format!("mcp-server-{}{number}", "a".repeat(80))).collect();
    names.extend(vec!["x".repeat(12); 20_000]);
    let index = DeletionIndex::new(pool(&names));
    for name in [&names[0], &names[19_999], &names[20_000]] {
        let found = index.near(&compared(name));
        assert!((1..=MOST_GATHERED).contains(&found.len()), "{}", found.len());
    }
    let endless = compared(&"n".repeat(10_000));
    assert_eq!(DeletionIndex::new(Pool::new(vec![endless.clone()])).near(&endless), [(0, 0)]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_pair_is_missed(names in prop::collection::vec("[ab-]{3,12}|[a-c]{20,24}|[aé]{2,9}", 2..40)) {
        let expected = by_force(&pool(&names));
        prop_assert_eq!(by_index(&names), expected);
    }
}
