//! What the program's tests stand on: archives, a registry on loopback, servers that others wrote, and the real binary.

pub(crate) mod archives;
pub(crate) mod capdex;
pub(crate) mod directory;
pub(crate) mod hostile;
pub(crate) mod judge;
pub(crate) mod mailbox;
pub(crate) mod receiver;
pub(crate) mod registry;
pub(crate) mod rig;
pub(crate) mod service;
pub(crate) mod shipped;
pub(crate) mod verdaccio;
