//! capdex-otel hands the spans of runs to an OpenTelemetry collector, over HTTP, as the standard variables say.
//!
//! It never holds a run up and never fails one. Spans wait in a bounded queue, a thread of its own sends them, and those
//! that a collector does not take are dropped. Sources: the OpenTelemetry specification, "OpenTelemetry Environment
//! Variable Specification" and "OTLP Exporter".

#![warn(missing_docs)]

use std::time::Duration;

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;

mod client;

use client::Client;

/// The longest wait at the end of the program until a collector has taken the last spans.
const LAST_WAIT: Duration = Duration::from_secs(3);
/// The target of the spans that are handed over: ours, and nothing of what our dependencies say.
const TARGET: &str = "capdex";

/// Reads an environment variable; an empty one is none.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A collector that is told.
pub struct Collector {
    provider: SdkTracerProvider,
}

impl Collector {
    /// The collector that the environment names; none where it names none, or switches telling off.
    ///
    /// # Errors
    /// The fault of the configuration, as a sentence.
    pub fn of_environment(lookup: Lookup<'_>) -> Option<Result<Self, String>> {
        is_wanted(lookup).then(|| Self::at(None, lookup))
    }

    /// The collector at an address, or where the environment says.
    fn at(endpoint: Option<&str>, lookup: Lookup<'_>) -> Result<Self, String> {
        let client = Client::new(deadline(lookup))?;
        let builder = SpanExporter::builder().with_http().with_http_client(client);
        let builder = match endpoint {
            Some(endpoint) => builder.with_endpoint(endpoint),
            None => builder,
        };
        let exporter = builder.build().map_err(|error| error.to_string())?;
        let resource = Resource::builder();
        // The standard variable wins; without it spans would come from an unknown service.
        let resource = match lookup("OTEL_SERVICE_NAME") {
            Some(_) => resource,
            None => resource.with_service_name("capdex"),
        };
        let provider =
            SdkTracerProvider::builder().with_resource(resource.build()).with_batch_exporter(exporter).build();
        Ok(Self { provider })
    }

    /// The layer that hears of spans.
    pub fn layer<S>(&self) -> Box<dyn Layer<S> + Send + Sync>
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        let layer = tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer(TARGET))
            // Places, threads and targets are the program's own affair, and would make every span longer.
            .with_location(false)
            .with_threads(false)
            .with_target(false);
        // Only our own spans: a collector has no use for those of our libraries.
        layer.with_filter(Targets::new().with_target(TARGET, LevelFilter::INFO)).boxed()
    }

    /// Hands over what still waits, for three seconds at most. False where it could not.
    pub fn finish(self) -> bool {
        // Bounded, so that a collector that hangs does not hold the program up.
        self.provider.shutdown_with_timeout(LAST_WAIT).is_ok()
    }
}

fn is_wanted(lookup: Lookup<'_>) -> bool {
    let is = |name: &str, word: &str| lookup(name).is_some_and(|value| value.eq_ignore_ascii_case(word));
    let has_endpoint = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]
        .iter()
        .any(|name| lookup(name).is_some_and(|value| !value.trim().is_empty()));
    has_endpoint && !is("OTEL_SDK_DISABLED", "true") && !is("OTEL_TRACES_EXPORTER", "none")
}

/// The longest time of one export.
fn deadline(lookup: Lookup<'_>) -> Duration {
    let given = lookup("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT").or_else(|| lookup("OTEL_EXPORTER_OTLP_TIMEOUT"));
    Duration::from_millis(given.and_then(|text| text.trim().parse().ok()).unwrap_or(10_000))
}

#[cfg(test)]
mod tests;
