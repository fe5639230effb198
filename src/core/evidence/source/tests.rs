//! Tests of source analysis.
