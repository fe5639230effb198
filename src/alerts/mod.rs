//! How a message is written for each kind of receiver: one file and one escaping gate each.
//!
//! What alerts hold was mostly written by strangers. Must not know how messages are chosen or sent.

pub mod letter;
pub mod note;
pub mod payload;
pub mod slack;

#[cfg(test)]
pub(crate) mod testing;
