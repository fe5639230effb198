//! The mock servers of one trial over HTTP while an agent is driven, on a port of loopback that nobody chose.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::mpsc;
use std::thread;

use anyhow::Context as _;
use tokio::sync::oneshot;

use crate::agent_runs::mock_http;
use crate::agent_runs::mock_server::MockServer;

/// Serves while some work is done, which is told the address.
///
/// # Errors
/// When no port can be had; errors of the folder of the run and of the work.
pub(super) fn served<Outcome>(
    servers: &[(String, MockServer<'_>)],
    work: impl FnOnce(SocketAddr) -> anyhow::Result<Outcome>,
) -> anyhow::Result<Outcome> {
    let (stop, stopped) = oneshot::channel::<()>();
    let (tell, told) = mpsc::channel();
    thread::scope(|scope| {
        let serving = scope.spawn(move || {
            let servers = servers.iter().map(|(name, server)| (name.clone(), server.clone().without_questions()));
            let servers: BTreeMap<_, _> = servers.collect();
            // Its end is told by the sender being gone.
            let over = async { stopped.await.unwrap_or_default() };
            mock_http::serve(servers, (Ipv4Addr::LOCALHOST, 0).into(), over, |address| Ok(tell.send(address)?))
        });
        // None where it could not listen, which its own error tells.
        let outcome = told.recv().ok().map(work);
        drop(stop);
        serving.join().map_err(|_| anyhow::anyhow!("the mock servers ended by a fault of ours"))??;
        outcome.context("the mock servers do not listen")?
    })
}
