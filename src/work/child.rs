//! The process that computes: takes jobs with their packs from its standard input, and writes results to its standard output.
//!
//! It has no credentials and opens no file and no connection. A job that ruins it ruins nothing else.

use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};

use anyhow::Context as _;
use capdex_dataset::bulk;
use capdex_model::digest::Digest;
use capdex_spread::{Job, ResultPack, ResultRow, input};

use super::{limits, rows};
use crate::exit::Exit;

/// The most bytes of one message.
const MAX_BYTES: u64 = 4 << 30;
/// The first byte of an answer: a result, or why there is none.
const RESULT: u8 = 0;
/// See [`RESULT`].
const REFUSED: u8 = 1;

/// What a process answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The result pack.
    Result(Vec<u8>),
    /// Why the job or its pack is refused.
    Refused(String),
}

/// What a worker asks of a process.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    digest: Digest,
    job: Vec<u8>,
    pack: Vec<u8>,
}

/// How a computing process is started.
#[derive(Clone, Debug, Default)]
pub struct ChildOptions {
    /// Its memory, in MiB.
    pub memory_mb: u64,
    /// The threads that it computes on; none given: one for each core.
    pub threads: Option<u16>,
    /// A command that it is started by, such as a sandbox; empty for none.
    pub under: Vec<String>,
}

/// Computes until the input ends.
///
/// # Errors
/// A limit that cannot be set, and streams that fail.
pub fn run(options: &ChildOptions) -> anyhow::Result<Exit> {
    // Before anything of a stranger's is read.
    limits::of_process(options.memory_mb).context("failed to limit the memory of a computing process")?;
    if !options.under.is_empty() {
        return Err(under(options).context("failed to start the command of --under"));
    }
    let pool = bulk::pool(options.threads)?;
    let (mut input, mut output) = (BufReader::new(io::stdin().lock()), BufWriter::new(io::stdout().lock()));
    loop {
        let Some(Request { digest, job, pack }) = read_request(&mut input).context("the worker sent no job")? else {
            return Ok(Exit::Done);
        };
        let answer = match compute(&pool, &digest, &job, &pack) {
            Ok(result) => Answer::Result(result),
            Err(error) => Answer::Refused(format!("{error:#}")),
        };
        write_answer(&mut output, &answer).context("the worker takes no result")?;
    }
}

/// Becomes the command, which starts this program again: it inherits the limits.
#[cfg(unix)]
fn under(options: &ChildOptions) -> anyhow::Error {
    use std::os::unix::process::CommandExt as _;
    let Some((command, rest)) = options.under.split_first() else { return anyhow::anyhow!("no command") };
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return error.into(),
    };
    let options = ChildOptions { under: Vec::new(), ..options.clone() };
    let mut started = std::process::Command::new(command);
    started.args(rest).arg(program).args(super::process::arguments(&options));
    anyhow::Error::new(started.exec()).context(command.clone())
}

#[cfg(not(unix))]
fn under(_: &ChildOptions) -> anyhow::Error {
    anyhow::anyhow!("this system has no such commands")
}

fn compute(pool: &rayon::ThreadPool, digest: &Digest, job: &[u8], pack: &[u8]) -> anyhow::Result<Vec<u8>> {
    let job = Job::read(job, digest)?;
    limits::of_job(job.limits.cpu_s).context("failed to limit the time of a computing process")?;
    let bundles = input::read(pack, &job)?;
    let rows = rows::scan(pool, &bundles.iter().collect::<Vec<_>>());
    let rows = rows.iter().map(|row| row.to_text().map(|text| ResultRow::Found(text.into_bytes())));
    Ok(ResultPack::write(&job, &rows.collect::<Result<Vec<_>, _>>()?)?)
}

/// Writes a job with its pack.
pub(super) fn write_request(out: &mut impl Write, digest: &Digest, job: &[u8], pack: &[u8]) -> io::Result<()> {
    out.write_all(digest.as_bytes())?;
    for part in [job, pack] {
        out.write_all(&(part.len() as u64).to_le_bytes())?;
        out.write_all(part)?;
    }
    out.flush()
}

fn read_request(input: &mut impl Read) -> io::Result<Option<Request>> {
    let mut digest = [0; 32];
    match input.read_exact(&mut digest) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    Ok(Some(Request { digest: Digest::from_bytes(digest), job: read_part(input)?, pack: read_part(input)? }))
}

fn read_part(input: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    input.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > MAX_BYTES {
        return Err(io::Error::new(ErrorKind::InvalidData, format!("a message of {length} bytes")));
    }
    let mut bytes = Vec::new();
    // Room is made as bytes come: a length alone takes none.
    match input.take(length).read_to_end(&mut bytes)? as u64 == length {
        true => Ok(bytes),
        false => Err(ErrorKind::UnexpectedEof.into()),
    }
}

fn write_answer(out: &mut impl Write, answer: &Answer) -> io::Result<()> {
    let (mark, bytes) = match answer {
        Answer::Result(pack) => (RESULT, pack.as_slice()),
        Answer::Refused(why) => (REFUSED, why.as_bytes()),
    };
    out.write_all(&[mark])?;
    out.write_all(&(bytes.len() as u64).to_le_bytes())?;
    out.write_all(bytes)?;
    out.flush()
}

/// Reads the next answer of a computing process.
pub(super) fn read_answer(input: &mut impl Read) -> io::Result<Answer> {
    let mut mark = [0];
    input.read_exact(&mut mark)?;
    let bytes = read_part(input)?;
    match mark {
        [RESULT] => Ok(Answer::Result(bytes)),
        [REFUSED] => Ok(Answer::Refused(String::from_utf8_lossy(&bytes).into_owned())),
        _ => Err(io::Error::new(ErrorKind::InvalidData, "no answer")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_they_were_written_and_nothing_else_is() {
        let digest = Digest::of(b"job");
        let mut sent = Vec::new();
        write_request(&mut sent, &digest, b"job", &[7; 70_000]).expect("writes");
        let read = read_request(&mut sent.as_slice()).expect("reads").expect("one");
        assert_eq!(read, Request { digest, job: b"job".to_vec(), pack: vec![7; 70_000] });
        assert_eq!(read_request(&mut [].as_slice()).expect("the end"), None);
        assert!(read_request(&mut &sent[..sent.len() - 1]).is_err());
        for answer in [Answer::Result(vec![1, 2]), Answer::Refused("no".into())] {
            let mut sent = Vec::new();
            write_answer(&mut sent, &answer).expect("writes");
            assert_eq!(read_answer(&mut sent.as_slice()).expect("reads"), answer);
            assert!(read_answer(&mut &sent[..sent.len() - 1]).is_err());
        }
        let huge = [&[RESULT], u64::MAX.to_le_bytes().as_slice()].concat();
        assert!(read_answer(&mut huge.as_slice()).is_err());
    }
}
