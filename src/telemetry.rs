//! Log lines on standard error, by `tracing`; `docs/LOGGING.md` lists the field names. With the feature `otel`, also the spans
//! of runs to a collector.
//!
//! Must not print results.

use std::io::{IsTerminal as _, stderr};

use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use crate::options::{Colour, Global, LogFormat};

/// The parts of logging that go on until the program ends.
#[must_use = "what waits to be handed over is lost unless it is finished"]
pub struct Telemetry {
    #[cfg(feature = "otel")]
    collector: Option<capdex_otel::Collector>,
}

impl Telemetry {
    /// Hands over what still waits. Takes three seconds at most, and nothing without a collector.
    pub fn finish(self) {
        #[cfg(feature = "otel")]
        if self.collector.is_some_and(|collector| !collector.finish()) {
            tracing::warn!("the collector of spans did not take the last ones");
        }
    }
}

/// Starts logging and sets when colour is used. `CAPDEX_LOG` overrides what `-v` and `-q` choose.
pub fn start(global: &Global) -> Telemetry {
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
    let lines = fmt::layer().with_writer(stderr).with_ansi(colour);
    let lines = match global.log_format {
        LogFormat::Text => lines.with_target(false).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let registry = tracing_subscriber::registry().with(lines.with_filter(filter));
    #[cfg(feature = "otel")]
    {
        let (collector, fault) = match capdex_otel::Collector::of_environment(&|name| std::env::var(name).ok()) {
            None => (None, None),
            Some(Ok(collector)) => (Some(collector), None),
            Some(Err(fault)) => (None, Some(fault)),
        };
        registry.with(collector.as_ref().map(capdex_otel::Collector::layer)).init();
        if let Some(fault) = fault {
            // A run does not fail for want of somebody who watches it.
            tracing::warn!(error = fault, "no collector is told of spans");
        }
        Telemetry { collector }
    }
    #[cfg(not(feature = "otel"))]
    {
        registry.init();
        Telemetry {}
    }
}
