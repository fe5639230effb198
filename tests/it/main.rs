//! The program's own tests: real binary, real store, real servers on loopback; one module for each journey.

mod bad_input;
mod borders;
mod killed;
mod manual;
mod nightly;
mod real_registry;
mod scan;
mod support;
