//! The program's own tests: the real binary, a real store, real servers on loopback; one module for each journey.

mod abuse;
mod bad_input;
mod borders;
mod change_feed;
mod contract;
mod directory;
mod drift;
mod drift_rehash;
mod drift_replays;
mod evasion;
mod hostile;
mod killed;
mod labelled;
mod manual;
mod nginx;
mod nightly;
mod packages;
mod published;
mod real_registry;
mod replay;
mod rows;
mod scan;
mod support;
mod verify;
