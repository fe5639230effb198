//! Log lines on standard error, by `tracing`; `docs/LOGGING.md` lists the field names.
//!
//! Must not print results.

use std::io::{IsTerminal as _, stderr};

use tracing_subscriber::EnvFilter;

use crate::cli::{Colour, Global, LogFormat};

/// Starts logging and sets when colour is used. `CAPDEX_LOG` overrides what `-v` and `-q` choose.
pub fn start(global: &Global) {
    match global.color {
        Colour::Auto => anstream::ColorChoice::Auto,
        Colour::Always => anstream::ColorChoice::Always,
        Colour::Never => anstream::ColorChoice::Never,
    }
    .write_global();
    let level = match (global.quiet, global.verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "capdex=info,capdex_crawlers=info,capdex_db=info,warn",
        (false, 2) => "capdex=debug,capdex_crawlers=debug,capdex_db=debug,warn",
        (false, _) => "trace",
    };
    let filter = EnvFilter::try_from_env("CAPDEX_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    let colour = match global.color {
        Colour::Auto => stderr().is_terminal(),
        Colour::Always => true,
        Colour::Never => false,
    };
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr).with_ansi(colour);
    match global.log_format {
        LogFormat::Text => builder.with_target(false).init(),
        LogFormat::Json => builder.json().flatten_event(true).init(),
    }
}
