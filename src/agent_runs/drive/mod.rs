//! Driving an agent as its users install it: a home and a sandbox of its own, mock servers in its settings, one start for each turn.

mod agent;
mod home;
#[cfg(unix)]
pub mod inside;
#[cfg(unix)]
mod offered;
mod over_http;
mod profile;
mod sandbox;
#[cfg(unix)]
mod sockets;

pub use agent::{DriveOptions, DrivenAgent};
pub use profile::{AgentProfile, PROFILES, profile};
pub use sandbox::{BUBBLEWRAP, Sandbox};
