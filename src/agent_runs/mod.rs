//! Runs of Agent Scan: the endpoint, the folder of a run with its transcripts, the loop over its trials, driven agents, and the mock server.
//!
//! Tests and grading stand in `capdex-agent-scan`. A finished trial is on the disk before the next one begins,
//! so that a run that is killed goes on where it was.

pub mod drive;
pub mod endpoint;
pub mod fail_on;
pub mod folder;
pub mod formats;
pub mod mock_http;
pub mod mock_server;
pub mod run;
