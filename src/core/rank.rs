//! The documented total order of capabilities in the ranked dataset.
//!
//! Must not know how the table is written.
