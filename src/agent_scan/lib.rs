//! `capdex-agent-scan`: what an agent does when its tools' texts attack it, tested with mock tools and graded from transcripts.
//!
//! A pack holds tests as data. A world answers the calls of one trial, a transcript keeps what was said and called, and the
//! grading reads nothing else. Nobody is asked here: a transport of the program carries texts to and from an agent. Sources:
//! `README.md` beside this file.

#![warn(missing_docs)]
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod agents;
pub mod canary;
pub mod chat;
pub mod compare;
pub mod grade;
pub mod home;
mod ladder;
mod mutants;
mod oracle;
pub mod pack;
pub mod predicate;
pub mod proof;
pub mod report;
pub mod score;
mod template;
pub mod transcript;
pub mod trial;
mod trial_id;
mod wilson;
mod world;

pub use wilson::Interval;
