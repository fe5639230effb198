//! The forms of a message, one for each kind of receiver: one file and one escaping gate each.
//!
//! The texts of alerts were mostly written by strangers. Messages are chosen and sent elsewhere.

pub mod email;
pub mod payload;
pub mod slack;
