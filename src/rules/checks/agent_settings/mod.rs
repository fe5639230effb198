//! Agent settings: what configuration, instructions and programs set of a coding agent, and of the programs that it
//! starts, so that its traffic, its packages or its consent are in a stranger's hands.
//!
//! One behaviour in three rules, because people repair each in another place. A setting counts by whose the host is that
//! it names, and by how it comes to stand: shipped as a file, kept by an order or a program, or shown.

pub(super) mod indexes;
pub(super) mod opened;
pub(super) mod redirected;
mod setting;
