//! `capdex mcp`: an MCP server over standard input and output.

use std::io::BufReader;
use std::path::Path;
use std::pin::pin;
use std::task::Poll;

use anyhow::Context as _;
use tokio::sync::oneshot;

use crate::cli::McpArgs;
use crate::exit::Exit;
use crate::jobs::run;
use crate::mcp::{self, McpServer};
use crate::options::Global;
use crate::output;
use crate::shutdown::shutdown_requested;

pub(super) fn run(global: &Global, options: &McpArgs) -> anyhow::Result<Exit> {
    let server = McpServer {
        db: global.named_db().map(Path::to_owned),
        threads: global.threads,
        as_of: global.as_of,
        may_ask: options.allow_network,
        config: options.config.clone(),
        dataset: options.asked.dataset.clone(),
        approved: options.approved.clone(),
        key: options.asked.key.clone(),
    };
    if server.db.is_none() && server.dataset.is_none() {
        output::say(
            "no store is named, and that of the working folder is not asked, which may be a stranger's: name one with --db",
        );
    }
    // Here and not at the first call: a schedule or a dataset that is none is told at once.
    server.check_options()?;
    run::runtime()?.block_on(async {
        let mut asked = pin!(shutdown_requested());
        // Signals are heard before the first answer is given.
        std::future::poll_fn(|context| {
            let _ = asked.as_mut().poll(context);
            Poll::Ready(())
        })
        .await;
        let (done, ended) = oneshot::channel();
        // A thread of its own, which is left behind at a signal: nothing wakes a read of standard input.
        std::thread::spawn(move || {
            // The output itself, since nothing but the protocol may stand there; not its lock, for which the end would wait.
            let outcome = mcp::serve(&server, BufReader::new(std::io::stdin()), std::io::stdout());
            // Nobody waiting any more is no error.
            let _ = done.send(outcome);
        });
        tokio::select! {
            outcome = ended => {
                outcome.context("a call of a tool broke off")?.context("failed to talk over standard input and output")?;
                Ok(Exit::Done)
            }
            () = asked => Ok(Exit::Interrupted),
        }
    })
}
