//! Runs of the judge: servers taken apart, the endpoint, and the loop that asks within its limits.
//!
//! Questions and their reading stand in `capdex-judge`. What is asked stands in the store before it is sent, and every answer
//! as soon as it is there, so that a run that is killed pays for nothing twice. Texts and keys reach no log.

pub mod endpoint;
pub mod estimate;
pub mod local;
pub mod night;
pub mod prepare;
pub mod replay;
pub mod run;
pub mod settings;
