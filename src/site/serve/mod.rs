//! The service: the pages of the site, a JSON API, badges, feeds, metrics and health over HTTP/1.1, read-only.
//!
//! Nothing here writes, fetches, or touches a file but the store. Its data is loaded by a thread of its own and exchanged
//! as a whole when the store has changed. Answers are kept ready until then. Every request comes from a stranger: every
//! size, number and wait is bounded before work begins.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use capdex_model::rule::RuleIndex;
use capdex_model::time::AsOf;
use tokio::net::TcpListener;

mod api;
mod badge;
mod cache;
mod connections;
mod dispatch;
mod docs_page;
mod guard;
mod loader;
mod metrics;
mod night_metrics;
mod openapi;
mod query;
mod reply;
mod respond;
mod route;
mod routes;
mod site;
mod state;

use dispatch::Service;

/// The options of the service.
#[derive(Clone, Debug)]
pub struct Options {
    /// The store.
    pub store: PathBuf,
    /// The rules of the program.
    pub rules: &'static RuleIndex,
    /// The address under which the service is found, for whole addresses in feeds, sitemap and heads of pages; none: it is not known.
    pub base_url: Option<String>,
    /// The instant that ages are measured against; none: that of the last run.
    pub as_of: Option<AsOf>,
    /// The address to listen on.
    pub listen: SocketAddr,
    /// Names under which it may be asked, beside loopback's own.
    pub hosts: Vec<String>,
    /// The origins whose pages may read the API, such as `https://capdex.example`; `*` is any.
    pub origins: Vec<String>,
    /// Connections at once at most.
    pub connections: usize,
    /// Bytes of answers that are kept ready at most.
    pub cache_bytes: usize,
    /// Threads that read and render; none given: one for each core.
    pub threads: Option<u16>,
}

/// Serves until SIGINT or SIGTERM. `told` is called with the address once it listens.
///
/// # Errors
/// When the address cannot be had, or the system gives no threads.
pub fn run(
    options: &Options,
    stop: impl Future<Output = ()>,
    told: impl FnOnce(SocketAddr) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let threads = options.threads.map_or_else(cores, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        // A little above the number of answers made at once, so that one never waits for a thread.
        .max_blocking_threads(threads + 2)
        .enable_all()
        .build()
        .context("failed to start the service's threads")?;
    runtime.block_on(async {
        let listener = TcpListener::bind(options.listen)
            .await
            .with_context(|| format!("failed to listen on {}", options.listen))?;
        // The real address, because port 0 lets the system choose one.
        let address = listener.local_addr().context("failed to learn the address")?;
        let service = Arc::new(Service::new(options, address, threads));
        let loader = loader::Loader::start(&service)?;
        // Told only now, so that whoever waits for the line can connect.
        told(address)?;
        connections::accept(&listener, &service, options.connections, stop).await;
        loader.stop();
        Ok(())
    })
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, std::num::NonZero::get)
}
