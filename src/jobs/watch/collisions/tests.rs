//! What is known of earlier comparisons spares reading and changes nothing.

use capdex_model::bundle::{Bundle, BundleFile};
use proptest::prelude::*;
use serde_json::json;

use super::*;

/// The tools of a snapshot, read from its list: which there are, and what they take, follows from its number.
fn tools_of(snapshot: SnapshotId) -> Vec<Tool> {
    let tool = |at: i64| {
        let mut properties = json!({"title": {"type": "string"}});
        if snapshot.0 % 3 == at {
            properties["url"] = json!({"type": "string"});
        }
        json!({
            "name": format!("tool-{at}"),
            "description": "Saves a note. Use when asked.",
            "inputSchema": {"type": "object", "properties": properties},
            "annotations": {"readOnlyHint": snapshot.0 % 2 == 0},
        })
    };
    let tools: Vec<_> = (0..3).filter(|at| (snapshot.0 + at) % 4 != 0).map(tool).collect();
    let list = BundleFile::new(json!({"tools": tools}).to_string().into_bytes());
    Evidence::gather(&Bundle::local("folder:x", [("tools.json".to_owned(), list)].into())).tools
}

/// Compares, and says which snapshots were read for it.
fn compared(pairs: &BTreeSet<Pair>, known: &ToolComparisons) -> (Widened, ToolComparisons, BTreeSet<SnapshotId>) {
    let snapshots = (0..8).map(|at| (format!("server-{at}"), SnapshotId(at))).collect();
    let mut read = BTreeSet::new();
    let found = compare(pairs.clone(), &snapshots, known, |snapshot| {
        read.insert(snapshot);
        Ok(tools_of(snapshot))
    });
    let (widened, all) = found.expect("compared");
    (widened, all, read)
}

fn pair((server, tool, target, target_tool): (u8, u8, u8, u8)) -> Pair {
    Pair {
        slug: format!("server-{server}"),
        tool: format!("tool-{tool}"),
        target_slug: format!("server-{target}"),
        target_tool: format!("tool-{target_tool}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_night_that_knows_some_comparisons_finds_what_a_full_one_finds(
        pairs in prop::collection::btree_set((0_u8..9, 0_u8..3, 0_u8..9, 0_u8..3).prop_map(pair), 0..40),
        forgotten in prop::collection::vec(any::<bool>(), 40),
    ) {
        let (widened, all, _) = compared(&pairs, &ToolComparisons::new());
        let known: ToolComparisons =
            all.iter().zip(&forgotten).filter(|(_, forgotten)| !**forgotten).map(|((of, more), _)| (of.clone(), more.clone())).collect();
        let (widened_again, all_again, read) = compared(&pairs, &known);
        prop_assert_eq!(widened_again, widened);
        prop_assert_eq!(&all_again, &all);
        let unknown: BTreeSet<SnapshotId> =
            all.keys().filter(|of| !known.contains_key(*of)).flat_map(|of| [of.later, of.earlier]).collect();
        prop_assert_eq!(read, unknown);
        prop_assert_eq!(compared(&pairs, &all).2, BTreeSet::new());
    }
}

#[test]
fn the_tools_of_the_property_are_of_all_kinds() {
    let every = |from: u8, to: u8| (0..3).map(move |tool| pair((from, tool, to, tool)));
    let pairs: BTreeSet<Pair> = (0..8).flat_map(|from| (0..8).flat_map(move |to| every(from, to))).collect();
    let (widened, all, _) = compared(&pairs, &ToolComparisons::new());
    assert!(all.values().any(Option::is_none), "a text is missing");
    assert!(widened.values().any(Vec::is_empty), "nothing more");
    assert!(widened.values().any(|more| more.len() > 1), "more than one thing");
}
