//! capdex, the program: it joins the floors below it and talks to people.
//!
//! Rules, rubrics and passes live in crates of their own, requests in `capdex-crawlers`, SQL in `capdex-db`; none of that
//! may grow here.

pub mod advice;
pub mod agent_runs;
pub mod agent_verdict;
pub mod alerts;
pub mod analysis;
pub mod appeals;
pub mod approval;
pub mod baseline;
pub mod capability_lookup;
pub mod caret;
pub mod check;
pub mod ci;
pub mod cli;
pub mod clock;
pub mod commands;
pub mod config;
mod content;
pub mod daemon;
pub mod diff;
pub mod doctor;
pub mod exit;
pub mod files;
pub mod formats;
pub mod hook;
pub mod instant;
pub mod jobs;
pub mod judge_runs;
pub mod judge_words;
pub mod judging;
pub mod mcp;
pub mod nearest;
pub mod openvex;
pub mod operator;
pub mod options;
pub mod osv;
pub mod output;
pub mod progress;
pub mod quotation;
pub mod shutdown;
pub mod signing;
pub mod telemetry;
pub mod work;
