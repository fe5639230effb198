//! Shutdown: Ctrl-C and the signal of service managers, as a wish to stop that can be looked at and waited for.
//!
//! Each loop that can end early looks at the flag itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// A flag that says "finish what you have in hand, then stop".
#[derive(Clone, Debug, Default)]
pub struct ShutdownFlag(Arc<AtomicBool>);

impl ShutdownFlag {
    /// Asks everybody to stop.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True where somebody asked.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Listens to signals for as long as it lives.
pub struct Shutdown {
    /// Set when a signal came.
    pub stop: ShutdownFlag,
    asked: watch::Receiver<bool>,
    runtime: Runtime,
}

impl Shutdown {
    /// Begins to listen.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn listen() -> anyhow::Result<Self> {
        // A thread of its own: the program's work may block all others.
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.context("failed to start listening to signals")?;
        let (tell, asked) = watch::channel(false);
        let stop = ShutdownFlag::default();
        let wish = stop.clone();
        runtime.spawn(async move {
            shutdown_requested().await;
            wish.ask();
            // Nobody waiting any more is no error.
            let _ = tell.send(true);
        });
        Ok(Self { stop, asked, runtime })
    }

    /// Sleeps, at most until somebody asks to stop.
    pub fn wait(&self, time: Duration) {
        let mut asked = self.asked.clone();
        self.runtime.block_on(async {
            // Either way the caller looks at the wish itself.
            let _ = tokio::time::timeout(time, asked.wait_for(|asked| *asked)).await;
        });
    }
}

/// Ends at Ctrl-C, and where service managers send their own signal, at that. Called within a runtime.
///
/// Without a handler for either, nobody asks: a run that cannot hear signals ends by itself.
pub async fn shutdown_requested() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => (),
                _ = terminated.recv() => (),
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        // No signal can be heard: nobody asks.
        std::future::pending::<()>().await;
    }
}
