//! What the program's tests stand on: archives, a registry on loopback, and the real binary.

pub(crate) mod archives;
pub(crate) mod capdex;
pub(crate) mod directory;
pub(crate) mod hostile;
pub(crate) mod registry;
