//! The names of all objects of a store of work: the same in a folder, in a bucket, and for every worker.

use capdex_model::digest::{Digest, bytes_of_hex};

/// The pack that the inputs of some keys lie in.
pub fn pack(pack: &Digest) -> String {
    let hex = pack.hex();
    // Two digits of a folder each: a folder of a million files is slow on some disks.
    format!("pack/{}/{hex}", hex.get(..2).unwrap_or_default())
}

/// A job, by its digest.
pub fn job(stage: &str, job: &Digest) -> String {
    format!("job/{stage}/{}", job.hex())
}

/// The folder of the results of a stage.
pub fn outs(stage: &str) -> String {
    format!("out/{stage}/")
}

/// The result of a job.
pub fn out(stage: &str, job: &Digest) -> String {
    outs(stage) + &job.hex()
}

/// The folder of the second results of a stage.
pub fn audits(stage: &str) -> String {
    format!("audit/{stage}/")
}

/// The second result of a job that is done twice on purpose.
pub fn audit(stage: &str, job: &Digest) -> String {
    audits(stage) + &job.hex()
}

/// The folder of all beginnings of a stage.
pub fn all_tries(stage: &str) -> String {
    format!("tries/{stage}/")
}

/// The folder of the beginnings of a job, one object each.
pub fn tries(stage: &str, job: &Digest) -> String {
    format!("{}{}/", all_tries(stage), job.hex())
}

/// The folder of all processes that jobs of a stage ended.
pub fn all_dead(stage: &str) -> String {
    format!("dead/{stage}/")
}

/// The folder of the processes that a job ended, one object each.
pub fn dead(stage: &str, job: &Digest) -> String {
    format!("{}{}/", all_dead(stage), job.hex())
}

/// The folder of the jobs of a stage that gave two results.
pub fn differing(stage: &str) -> String {
    format!("nondeterminism/{stage}/")
}

/// Both results of a job that gave two, by which it was that came second.
pub fn nondeterminism(stage: &str, job: &Digest, second: &Digest, which: &str) -> String {
    format!("{}{}/{}/{which}", differing(stage), job.hex(), second.hex())
}

/// The place of a result that cannot be read, out of the way of the next one.
pub fn quarantine(stage: &str, job: &Digest, bytes: &Digest) -> String {
    format!("quarantine/{stage}/{}/{}", job.hex(), bytes.hex())
}

/// The folder of all plans.
pub const PLANS: &str = "plan/";

/// The folder of a plan.
pub fn plan(plan: &Digest) -> String {
    format!("{PLANS}{}/", plan.hex())
}

/// The head of a plan.
pub fn head(of: &Digest) -> String {
    plan(of) + "head.json"
}

/// The folder of the jobs of a plan that were split, one object each.
pub fn splits(of: &Digest) -> String {
    plan(of) + "split/"
}

/// The list of the jobs that one job was split into.
pub fn split(of: &Digest, job: &Digest) -> String {
    format!("{}{}.json", splits(of), job.hex())
}

/// The folder of the coordinators, one object for each epoch.
pub const COORDINATORS: &str = "coordinator/";

/// The object of an epoch. Digits enough that names sort as numbers do.
pub fn coordinator(epoch: u64) -> String {
    format!("{COORDINATORS}{epoch:020}")
}

/// The epoch that an object of a coordinator stands for.
pub fn epoch_of(name: &str) -> Option<u64> {
    name.strip_prefix(COORDINATORS)?.parse().ok()
}

/// The digest that the last part of a name is, an ending left out.
pub fn digest_of(name: &str) -> Option<Digest> {
    let last = name.rsplit('/').next()?;
    digest_of_hex(last.split('.').next()?)
}

/// The job that an object of a stage is about, at whatever depth it lies in its folder.
pub fn job_of(name: &str) -> Option<Digest> {
    digest_of_hex(name.split('/').nth(2)?)
}

/// A digest of its 64 hex digits.
fn digest_of_hex(hex: &str) -> Option<Digest> {
    bytes_of_hex(hex).and_then(|bytes| bytes.try_into().ok()).map(Digest::from_bytes)
}

/// The plan that a head is of.
pub fn plan_of_head(name: &str) -> Option<Digest> {
    digest_of_hex(name.strip_prefix(PLANS)?.strip_suffix("/head.json")?)
}

/// True for a name that is safe in a folder too: parts of letters, digits, dots, dashes and underscores, none of dots alone.
pub fn is_safe(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let is_part = |part: &str| part.chars().any(|letter| letter != '.') && part.chars().all(is_letter);
    name.split('/').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_give_their_digest_back() {
        let digest = Digest::of(b"a");
        for name in [pack(&digest), job("scan", &digest), out("scan", &digest), split(&Digest::of(b"b"), &digest)] {
            assert!(is_safe(&name), "{name}");
            assert_eq!(digest_of(&name), Some(digest), "{name}");
        }
        for folder in [tries("scan", &digest), dead("scan", &digest)] {
            assert_eq!(job_of(&format!("{folder}0")), Some(digest), "{folder}");
        }
        let name = nondeterminism("scan", &digest, &Digest::of(b"b"), "first");
        assert_eq!((job_of(&name), job_of(&out("scan", &digest))), (Some(digest), Some(digest)));
        assert_eq!(plan_of_head(&head(&digest)), Some(digest));
        assert_eq!(epoch_of(&coordinator(7)), Some(7));
        assert!(coordinator(9) < coordinator(10));
        for name in ["", "/a", "a/", "../a", "a/../b", "a//b", "a b", "ä", "a/./b"] {
            assert!(!is_safe(name), "{name}");
        }
    }
}
