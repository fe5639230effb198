//! `capdex serve`: answers over HTTP from the store until it is told to stop.

use crate::cli::ServeArgs;
use crate::config::no_address;
use crate::exit::{Exit, usage};
use crate::options::Global;
use crate::output::Out;
use crate::shutdown::shutdown_requested;
use capdex_site::serve::{self, Options};

pub(super) fn run(global: &Global, options: &ServeArgs, out: &mut Out) -> anyhow::Result<Exit> {
    for origin in options.cors.iter().filter(|origin| *origin != "*") {
        if let Some(why) = no_address(origin) {
            return Err(usage(format!("--cors {why}, as browsers name the page that asks")));
        }
    }
    // Says at once what is wrong with the store.
    drop(super::reader(global)?);
    let chosen = Options {
        rules: &capdex_rules::INDEX,
        store: global.db.clone(),
        base_url: options.base_url.clone(),
        as_of: global.as_of,
        listen: options.listen,
        hosts: options.hosts.clone(),
        origins: options.cors.clone(),
        connections: options.connections as usize,
        cache_bytes: options.cache_mb as usize * 1_000_000,
        threads: global.threads,
    };
    serve::run(&chosen, shutdown_requested(), |address| {
        out.line(format_args!("listening on http://{address} (API: /api/v1/openapi.json); Ctrl-C ends it"))?;
        // A script that starts the service waits for this line.
        out.flush()?;
        Ok(())
    })?;
    Ok(Exit::Done)
}
