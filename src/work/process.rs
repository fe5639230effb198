//! `WorkProcess`: the worker's side of a computing process. It ends the process that takes more than its job may.

use std::io::BufReader;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::Context as _;
use capdex_dataset::stopwatch::Stopwatch;
use capdex_model::digest::Digest;
use capdex_spread::Job;

use super::child::{Answer, ChildOptions, read_answer, write_request};
use super::limits;

/// Variables that a computing process may see. Keys of stores are none of them.
const ENVIRONMENT: [&str; 6] = ["PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "RUST_BACKTRACE"];

/// A computing process that is alive.
pub struct WorkProcess {
    child: Child,
    input: ChildStdin,
    answers: Receiver<Answer>,
}

/// How a computing process ended in the middle of a job.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the computing process {0}")]
pub struct Death(pub String);

/// The words that start this program as a computing process.
pub(super) fn arguments(options: &ChildOptions) -> Vec<String> {
    let mut words = vec!["work".to_owned(), "--child".to_owned(), format!("--memory-mb={}", options.memory_mb)];
    words.extend(options.threads.map(|threads| format!("--threads={threads}")));
    if !options.under.is_empty() {
        words.push(format!("--under={}", options.under.join(" ")));
    }
    words
}

impl WorkProcess {
    /// Starts one.
    ///
    /// # Errors
    /// A system that starts none.
    pub fn start(options: &ChildOptions) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("failed to find this program")?;
        let mut command = Command::new(program);
        command.args(arguments(options)).stdin(Stdio::piped()).stdout(Stdio::piped()).env_clear();
        command.envs(ENVIRONMENT.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt as _;
            // So that it is ended with all that it started, and that Ctrl-C reaches the worker alone.
            command.process_group(0);
        }
        let mut child = command.spawn().context("failed to start a computing process")?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            anyhow::bail!("a computing process has no streams");
        };
        let (tell, answers) = channel();
        let read = move || {
            let mut output = BufReader::new(output);
            // Until it ends, or nobody listens.
            while let Ok(answer) = read_answer(&mut output) {
                if tell.send(answer).is_err() {
                    break;
                }
            }
        };
        std::thread::Builder::new().name("answers".to_owned()).spawn(read).context("no thread")?;
        Ok(Self { child, input, answers })
    }

    /// The number of the process.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Has a job done.
    ///
    /// # Errors
    /// A process that ended, by itself or because it took more than the job may. It is gone then.
    pub fn work(&mut self, job: &Job, digest: &Digest, pack: &[u8]) -> Result<Answer, Death> {
        let (bytes, watch) = (job.to_bytes(), Stopwatch::start());
        let (child, input, answers) = (&mut self.child, &mut self.input, &self.answers);
        std::thread::scope(|scope| {
            // Beside the waiting: a process that reads nothing must not hold this one up.
            scope.spawn(|| write_request(input, digest, &bytes, pack));
            let answer = wait(child, answers, job, &watch);
            if answer.is_err() {
                // Now, because whoever still writes to it waits for its end.
                limits::end(child);
            }
            answer
        })
    }
}

fn wait(child: &mut Child, answers: &Receiver<Answer>, job: &Job, watch: &Stopwatch) -> Result<Answer, Death> {
    loop {
        match answers.recv_timeout(limits::LOOKED_AT) {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Disconnected) => {
                let told = child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
                return Err(Death(format!("ended by itself ({told})")));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if watch.elapsed() > Duration::from_secs(job.limits.wall_s) {
            return Err(Death(format!("took more than {} s", job.limits.wall_s)));
        }
        if limits::memory_mb(child.id()).is_some_and(|used| used > job.limits.memory_mb) {
            return Err(Death(format!("took more than {} MiB of memory", job.limits.memory_mb)));
        }
    }
}

impl Drop for WorkProcess {
    fn drop(&mut self) {
        limits::end(&mut self.child);
    }
}
