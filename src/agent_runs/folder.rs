//! `RunFolder`: a run on the disk. `run.json` says what was asked for, and each trial has a transcript of its own.
//!
//! Every transcript is put in place as a whole. Reading takes nothing on trust: lines, files and folders have bounds.

use std::fs::{self, File};
use std::io::{self, BufReader, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use capdex_agent_scan::report::RunHead;
use capdex_agent_scan::transcript::{MAX_LINE, Transcript, TranscriptReader};
use capdex_agent_scan::trial::TrialId;

use crate::exit::usage;
use crate::files;
use crate::mcp::lines::{self, InputLine};

/// The file of what was asked for.
const HEAD: &str = "run.json";
/// The folder of the transcripts.
const TRIALS: &str = "trials";
/// The file that a report is written to.
pub const REPORT: &str = "report.json";
/// The most bytes of `run.json`.
const MAX_HEAD: u64 = 1 << 20;
/// The most trials that are read.
const MAX_TRIALS: usize = 100_000;

/// A run on the disk.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// The run in a folder, which need not be there yet.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// The request of the run; none in a folder without a run.
    ///
    /// # Errors
    /// A file that cannot be read, or is none of a run.
    pub fn head(&self) -> anyhow::Result<Option<RunHead>> {
        let path = self.path.join(HEAD);
        if !path.exists() {
            return Ok(None);
        }
        let read = || -> anyhow::Result<RunHead> {
            anyhow::ensure!(fs::metadata(&path)?.len() <= MAX_HEAD, "the file is too large");
            Ok(serde_json::from_slice(&fs::read(&path)?)?)
        };
        read().map(Some).map_err(|error| usage(format!("{} is no run: {error:#}", path.display())))
    }

    /// Keeps the request. Does nothing where the same stands there.
    ///
    /// # Errors
    /// Another run in the folder, or a folder that cannot be written.
    pub fn begin(&self, head: &RunHead) -> anyhow::Result<()> {
        if let Some(there) = self.head()? {
            return if there == *head {
                Ok(())
            } else {
                Err(usage(format!(
                    "{} holds another run: name another folder, or ask for the same",
                    self.path.display()
                )))
            };
        }
        fs::create_dir_all(self.path.join(TRIALS))
            .and_then(|()| {
                let text = serde_json::to_string_pretty(head).map_err(io::Error::other)?;
                files::replace(&self.path.join(HEAD), (text + "\n").as_bytes())
            })
            .with_context(|| format!("failed to write into {}", self.path.display()))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Forgets a trial that broke off.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn forget(&self, trial: &TrialId) -> anyhow::Result<()> {
        let path = self.path_of(trial);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("failed to remove {}", path.display()))
            }
            _ => Ok(()),
        }
    }

    /// The file of a trial.
    pub fn path_of(&self, trial: &TrialId) -> PathBuf {
        self.path.join(TRIALS).join(format!("{trial}.jsonl"))
    }

    /// The transcript of a trial; none where it was not played to its end.
    ///
    /// # Errors
    /// A file that cannot be read, or is none.
    pub fn trial(&self, trial: &TrialId) -> anyhow::Result<Option<Transcript>> {
        let path = self.path_of(trial);
        Ok(if path.exists() { read_transcripts(&path)?.pop() } else { None })
    }

    /// Keeps a transcript.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn keep(&self, transcript: &Transcript) -> anyhow::Result<()> {
        let path = self.path_of(&transcript.head.trial);
        path.parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| files::replace(&path, transcript.to_text().as_bytes()))
            .with_context(|| format!("failed to write {}", path.display()))
    }

    /// Keeps a report.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn keep_report(&self, text: &str) -> anyhow::Result<()> {
        let path = self.path.join(REPORT);
        files::replace(&path, text.as_bytes()).with_context(|| format!("failed to write {}", path.display()))
    }

    /// All transcripts, in the order of their names.
    ///
    /// # Errors
    /// A file that cannot be read, or is none.
    pub fn transcripts(&self) -> anyhow::Result<Vec<Transcript>> {
        let mut paths = Vec::new();
        for folder in entries(&self.path.join(TRIALS))? {
            paths.extend(
                entries(&folder)?.into_iter().filter(|path| path.extension().is_some_and(|end| end == "jsonl")),
            );
        }
        anyhow::ensure!(paths.len() <= MAX_TRIALS, "a run has at most {MAX_TRIALS} trials");
        let mut all = paths.iter().map(|path| read_transcripts(path)).collect::<anyhow::Result<Vec<_>>>()?.concat();
        all.sort_by(|one, other| one.head.trial.cmp(&other.head.trial));
        Ok(all)
    }

    /// Holds the run, so that two servers of one trial write one after the other.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn hold(&self) -> io::Result<File> {
        fs::create_dir_all(&self.path)?;
        let file = File::options().create(true).append(true).open(self.path.join(".lock"))?;
        file.lock()?;
        Ok(file)
    }

    /// Adds lines to the transcript of a trial that goes on.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn add(&self, trial: &TrialId, lines: &str) -> io::Result<()> {
        let path = self.path_of(trial);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        let mut file = File::options().create(true).append(true).open(path)?;
        file.write_all(lines.as_bytes())?;
        file.sync_all()
    }
}

/// The entries of a folder, sorted; nothing where there is no folder.
fn entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let read = || fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>();
    let mut paths = read().with_context(|| format!("failed to read {}", folder.display()))?;
    paths.sort();
    Ok(paths)
}

/// The trials of a file.
///
/// # Errors
/// A file that cannot be read, or is none.
pub fn read_transcripts(path: &Path) -> anyhow::Result<Vec<Transcript>> {
    let read = || -> anyhow::Result<Vec<Transcript>> {
        let mut input = BufReader::new(File::open(path)?);
        let (mut line, mut reader, mut trials) = (Vec::new(), TranscriptReader::default(), Vec::new());
        loop {
            match lines::next(&mut input, &mut line, MAX_LINE)? {
                InputLine::Whole => trials.extend(reader.take(&line)?),
                InputLine::TooLong => anyhow::bail!("a line has more than {MAX_LINE} bytes"),
                InputLine::End => break,
            }
            anyhow::ensure!(trials.len() <= MAX_TRIALS, "a file has at most {MAX_TRIALS} trials");
        }
        trials.extend(reader.finish());
        Ok(trials)
    };
    read().map_err(|error| usage(format!("{} is no transcript: {error:#}", path.display())))
}
