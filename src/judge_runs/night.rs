//! The judge beside the rest of a night: it begins once everything is scored, and nothing waits for it but the night's end.
//!
//! It reads the store and writes between two writes of the night. What it finished by the time of the export counts there.

use std::path::{Path, PathBuf};
use std::thread::{Builder, JoinHandle};

use capdex_model::time::AsOf;

use super::endpoint::JudgeEndpoint;
use super::prepare::prepare;
use super::run::{JudgeRun, JudgeRunReport, JudgeScope};
use super::settings::JudgeSettings;
use crate::jobs::run::runtime;
use crate::shutdown::ShutdownFlag;

/// The judge of a schedule, as a night begins it.
#[derive(Clone, Debug)]
pub struct NightJudge {
    /// Which model, within which limits.
    pub settings: JudgeSettings,
    /// Whom to write to about its requests.
    pub contact: String,
}

/// A judge under way.
pub struct JudgeUnderWay(JoinHandle<anyhow::Result<JudgeRunReport>>);

impl NightJudge {
    /// Begins to ask.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn begin(self, path: &Path, at: AsOf, stop: ShutdownFlag) -> anyhow::Result<JudgeUnderWay> {
        let path = path.to_owned();
        let work = move || self.ask(path, at, stop);
        Ok(JudgeUnderWay(Builder::new().name("judge".to_owned()).spawn(work)?))
    }

    fn ask(self, path: PathBuf, at: AsOf, stop: ShutdownFlag) -> anyhow::Result<JudgeRunReport> {
        let endpoint = JudgeEndpoint::open(&self.settings, &self.contact)?;
        prepare(&path, &self.settings.kinds)?;
        let run = JudgeRun { path: &path, settings: &self.settings, at, stop };
        runtime()?.block_on(run.ask(&endpoint, &JudgeScope::default()))
    }
}

impl JudgeUnderWay {
    /// Waits for its end; why the night counts as incomplete for it, where it does. An answer that does not count is none of
    /// that: the judge fails open.
    pub fn end(self) -> Option<String> {
        match self.0.join() {
            Ok(Ok(report)) if report.is_broken_off => {
                Some("the judge: too many requests failed in a row (`capdex judge status` tells why)".to_owned())
            }
            Ok(Ok(_)) => None,
            Ok(Err(error)) => Some(format!("the judge: {error:#}")),
            Err(_) => Some("the judge ended by a fault of ours".to_owned()),
        }
    }
}
