//! The thread that loads the site: it asks the store every second whether it changed.
//!
//! It loads for a tenth of the time at most: a night that commits all the time is not followed commit by commit.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context as _;
use capdex_dataset::stopwatch::Stopwatch;
use capdex_db::Reader;

use super::dispatch::Service;
use super::night_metrics::NightMetrics;
use super::state::LoadedSite;
use crate::report::site::Site;

/// The time between two questions to the store whether it changed.
const LOOK: Duration = Duration::from_secs(1);
/// The shortest pause between two loads.
const PAUSE: Duration = Duration::from_secs(5);

/// The thread that loads.
pub(super) struct Loader {
    thread: JoinHandle<()>,
    end: Sender<()>,
}

impl Loader {
    pub(super) fn start(service: &Arc<Service>) -> anyhow::Result<Self> {
        let (end, ended) = channel();
        let service = Arc::clone(service);
        let work = move || {
            let mut follow = Follow::default();
            loop {
                follow.step(&service);
                // Waiting for the end of the channel is the pause between two looks, and wakes at once.
                if ended.recv_timeout(LOOK) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("capdex-load".to_owned()).spawn(work);
        Ok(Self { thread: thread.context("failed to start the loading thread")?, end })
    }

    /// Ends it after the load in hand.
    pub(super) fn stop(self) {
        drop(self.end);
        if self.thread.join().is_err() {
            tracing::error!("the loading thread panicked");
        }
    }
}

/// Which file stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileId(u64, u64);

impl FileId {
    fn of(path: &Path) -> anyhow::Result<Self> {
        let about = std::fs::metadata(path).with_context(|| format!("failed to look at {}", path.display()))?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            // Device and inode: a store that was restored has the same path and another inode.
            Ok(Self(about.dev(), about.ino()))
        }
        #[cfg(not(unix))]
        {
            let age = about.created()?.duration_since(std::time::UNIX_EPOCH)?;
            Ok(Self(age.as_secs(), u64::from(age.subsec_nanos())))
        }
    }
}

/// The loader's knowledge between two looks.
#[derive(Default)]
struct Follow {
    file: Option<FileId>,
    reader: Option<Reader>,
    version: Option<i64>,
    generation: u64,
    last: Option<(Stopwatch, Duration)>,
}

impl Follow {
    fn step(&mut self, service: &Service) {
        if let Err(error) = self.try_step(service) {
            tracing::warn!(
                error = format!("{error:#}"),
                "the store could not be loaded; what was loaded before stands"
            );
            service.metrics.load_failed();
            // Opened anew next time: the fault may lie in this connection.
            self.reader = None;
            self.version = None;
        }
    }

    fn try_step(&mut self, service: &Service) -> anyhow::Result<()> {
        let file = FileId::of(&service.options.store)?;
        if self.file != Some(file) {
            // Another file stands there, such as one that was restored: open readers go on to see the one that is gone.
            service.state.forget_readers();
            (self.reader, self.version, self.file) = (None, None, Some(file));
        }
        let reader = match self.reader.take() {
            Some(reader) => reader,
            None => Reader::open(&service.options.store, service.options.rules)?,
        };
        // SQLite counts commits of other connections, so an unchanged store costs one question.
        let version = reader.data_version()?;
        // Ten times as long as the last load took: loading may use a tenth of the time at most.
        let is_due = self.last.is_none_or(|(since, took)| since.elapsed() > PAUSE.max(took * 10));
        if self.version != Some(version) && is_due {
            let watch = Stopwatch::start();
            // Noted before the load, so that one that fails waits as well.
            self.last = Some((watch, Duration::ZERO));
            service.state.put(self.load(service, &reader)?);
            let took = watch.elapsed();
            service.metrics.loaded(took);
            (self.version, self.last) = (Some(version), Some((Stopwatch::start(), took)));
        }
        self.reader = Some(reader);
        Ok(())
    }

    fn load(&mut self, service: &Service, reader: &Reader) -> anyhow::Result<LoadedSite> {
        // One view for all tables, while a night goes on writing.
        let view = reader.snapshot_view()?;
        let last = view.runs(1)?.first().map(|run| run.as_of);
        let as_of = service.options.as_of.or(last).context("the store holds no run yet; run `capdex nightly` first")?;
        self.generation += 1;
        let mut site = Site::load(&view, as_of, || ())?;
        site.base_url.clone_from(&service.options.base_url);
        Ok(LoadedSite { generation: self.generation, night: NightMetrics::read(&view, &site)?, site })
    }
}
