//! Driving an agent as its users install it: a home of its own, mock servers in its settings, one start for each turn.

mod agent;
mod profile;

pub use agent::{DriveOptions, DrivenAgent};
pub use profile::{AgentProfile, PROFILES, profile};
