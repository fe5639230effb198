//! The table `changes`: what is otherwise than in the dataset before.

use super::{Column, Integer, Json, Number, Rows, Table, Text, column};

pub(super) const TABLE: Table = Table {
    name: "changes",
    about: "one capability that is otherwise than in the dataset that the manifest names in `since`; none without one",
    columns: COLUMNS,
    rows: Rows::Ranked,
};

const COLUMNS: &[Column] = &[
    column("slug", Text, "the capability"),
    column("capability", Text, "its id"),
    column("change", Text, "added, gone or changed"),
    column("what", Json, "what of a changed one: content, band, scores, rank"),
    column("rank_before", Integer, "place in the order; null where it was not there"),
    column("rank", Integer, "place in the order; null where it is not there any more"),
    column("band_before", Text, "band"),
    column("band", Text, "band"),
    column("content_before", Text, "SHA-256 (hex) over its files"),
    column("content", Text, "SHA-256 (hex) over its files"),
    column("spiderrating_seed_before", Number, "value of spiderrating/seed"),
    column("spiderrating_seed", Number, "value of spiderrating/seed"),
    column("saferskills_seed_before", Number, "value of saferskills/seed"),
    column("saferskills_seed", Number, "value of saferskills/seed"),
    column("mcpbundles_seed_before", Number, "value of mcpbundles/seed"),
    column("mcpbundles_seed", Number, "value of mcpbundles/seed"),
    column("agentscore_seed_before", Number, "value of agentscore/seed"),
    column("agentscore_seed", Number, "value of agentscore/seed"),
];
