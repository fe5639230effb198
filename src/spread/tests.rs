//! Properties of plans and packs: nothing is lost, order and content decide alone, and what is damaged is refused.

use std::collections::BTreeMap;

use capdex_model::bundle::{Bundle, BundleFile};
use capdex_model::digest::Digest;
use capdex_model::listing::{Claim, Claims};
use capdex_model::snapshot::{Gap, GapReason};
use proptest::prelude::*;

use crate::input::{self, InputPacker};
use crate::job::{NoJob, SCAN};
use crate::packed::{Packer, Unpacked};
use crate::plan::{AUDITED_OF, is_mine};
use crate::result::Failure;
use crate::{Cutter, Job, JobLimits, JobSize, Key, PlanHead, ResultPack, ResultRow, Task, Versions};

fn versions() -> Versions {
    Versions { engine: "0.1.0".into(), rules: Digest::of(b"rules") }
}

fn bundle(name: &str, files: &[(&str, &[u8])]) -> Bundle {
    let files: BTreeMap<String, BundleFile> =
        files.iter().map(|(path, bytes)| ((*path).to_owned(), BundleFile::new(*bytes))).collect();
    let claims = Claims { description: Claim::Known(format!("about {name}")), ..Claims::default() };
    let gaps = vec![Gap::new("a.bin", GapReason::NotText, "")];
    Bundle { claims, gaps, ..Bundle::local(format!("npm:{name}"), files) }
}

fn bundles() -> Vec<Bundle> {
    vec![
        bundle("a", &[("SKILL.md", b"# A"), ("b.txt", b"")]),
        bundle("b", &[]),
        bundle("c", &[("x", &[0, 255, 7]), ("y", "ä".repeat(9000).as_bytes())]),
    ]
}

fn job_of(bundles: &[Bundle]) -> Job {
    Job::new(SCAN, versions(), JobLimits::default(), bundles.iter().map(Key::of).collect())
}

fn pack_of(bundles: &[Bundle]) -> Vec<u8> {
    let mut packer = InputPacker::new(bundles.len()).expect("a packer");
    bundles.iter().for_each(|bundle| packer.add(bundle).expect("fits"));
    packer.finish().expect("finishes")
}

fn rows() -> Vec<ResultRow> {
    vec![ResultRow::Found(b"[]".to_vec()), ResultRow::Failed(Failure::Limit), ResultRow::Found(vec![7; 100_000])]
}

#[test]
fn a_job_is_known_by_stage_versions_and_keys_alone() {
    let job = job_of(&bundles());
    let limits = JobLimits { memory_mb: 1, cpu_s: 1, wall_s: 1 };
    let same = Job { limits, pack: Digest::of(b"elsewhere"), ..job.clone() };
    assert_eq!(same.digest(), job.digest());
    let others = [
        Job { stage: "sketch".into(), ..job.clone() },
        Job { versions: Versions { engine: "0.2.0".into(), ..versions() }, ..job.clone() },
        Job { versions: Versions { rules: Digest::of(b"others"), ..versions() }, ..job.clone() },
        Job { keys: job.keys[..2].to_vec(), ..job.clone() },
    ];
    assert!(others.iter().all(|other| other.digest() != job.digest()));
    let mut claimed = bundles();
    claimed[0].claims.license = Claim::Known("MIT".into());
    let mut with_gap = bundles();
    with_gap[1].gaps.clear();
    let mut renamed = bundles();
    renamed[2].identity = "npm:d".into();
    for other in [claimed, with_gap, renamed] {
        assert_ne!(job_of(&other).digest(), job.digest());
    }
}

#[test]
fn a_job_is_read_only_under_its_own_name_and_in_order() {
    let job = job_of(&bundles());
    assert_eq!(Job::read(&job.to_bytes(), &job.digest()), Ok(job.clone()));
    let digest = Digest::of(b"another");
    assert!(Job::read(&job.to_bytes(), &digest).is_err());
    let mut reversed = job.clone();
    reversed.keys.reverse();
    assert_eq!(Job::read(&reversed.to_bytes(), &reversed.digest()), Err(NoJob("its keys are not in order".into())));
    let twice = Job { keys: vec![job.keys[0].clone(), job.keys[0].clone()], ..job.clone() };
    assert!(Job::read(&twice.to_bytes(), &twice.digest()).is_err());
    let none = Job { keys: Vec::new(), ..job };
    assert!(Job::read(&none.to_bytes(), &none.digest()).is_err());
}

#[test]
fn a_worker_reads_the_bundles_that_were_packed_and_believes_no_others() {
    let bundles = bundles();
    let (job, pack) = (job_of(&bundles), pack_of(&bundles));
    let read = input::read(&pack, &job).expect("reads");
    assert_eq!(read.iter().map(Key::of).collect::<Vec<_>>(), job.keys);
    assert!(read.iter().zip(&bundles).all(|(read, packed)| read.claims == packed.claims && read.gaps == packed.gaps));
    // One key of it, out of the same pack.
    let one = job.split().nth(2).expect("three");
    assert_eq!(one.pack, job.pack);
    assert_eq!(input::read(&pack, &one).expect("reads").len(), 1);
    let mut other = bundles.clone();
    other[1] = bundle("b", &[("evil", b"x")]);
    let error = input::read(&pack_of(&other), &job).expect_err("refused").to_string();
    assert!(error.contains("\"npm:b\" is another one"), "{error}");
    let error = input::read(&pack_of(&bundles[..2]), &job).expect_err("refused").to_string();
    assert!(error.contains("\"npm:c\" is missing"), "{error}");
}

#[test]
fn a_result_is_read_for_its_own_job_alone() {
    let job = job_of(&bundles());
    let pack = ResultPack::write(&job, &rows()).expect("writes");
    let read = ResultPack::read(&pack, &job).expect("reads");
    assert_eq!(read.rows, rows());
    assert!(read.has_failures());
    assert!(ResultPack::write(&job, &rows()[..2]).is_err());
    let other = Job { versions: Versions { engine: "9".into(), ..versions() }, ..job.clone() };
    assert!(ResultPack::read(&pack, &other).is_err());
    assert!(ResultPack::read(&pack, &job.split().next().expect("one")).is_err());
    // The same rows have the same digest, and other rows another.
    let mut changed = rows();
    changed[0] = ResultRow::Found(b"[ ]".to_vec());
    let changed = ResultPack::write(&job, &changed).expect("writes");
    assert_ne!(ResultPack::read(&changed, &job).expect("reads").digest, read.digest);
}

#[test]
fn a_pack_that_says_that_it_is_huge_is_refused() {
    let mut packer = Packer::new().expect("a packer");
    packer.add(&vec![0; 1 << 20]).expect("fits");
    let (pack, _) = packer.finish().expect("finishes");
    // A megabyte of nothing takes a few bytes: the bound is on what comes out.
    assert!(pack.len() < 1000);
    assert!(Unpacked::read(&pack, 1 << 19).expect_err("refused").to_string().contains("may hold 524288"));
    assert!(Unpacked::read(&pack, 1 << 21).is_ok());
    let mut lying = pack.clone();
    let at = lying.len() - 40;
    lying[at..at + 8].copy_from_slice(&16_u64.to_le_bytes());
    assert!(Unpacked::read(&lying, 1 << 21).expect_err("refused").to_string().contains("another length"));
}

#[test]
fn every_job_has_one_worker_and_its_audit_another() {
    for of in 1..7 {
        for place in 0..20 {
            let of_worker = |audit| (0..of).filter(|index| is_mine(place, *index, of, audit)).collect::<Vec<_>>();
            assert_eq!(of_worker(false).len(), 1);
            assert_eq!(of_worker(true).len(), 1);
            assert!(of == 1 || of_worker(false) != of_worker(true));
        }
    }
    assert!(!is_mine(0, 0, 0, false));
}

#[test]
fn a_share_of_all_jobs_is_audited_and_everybody_knows_which() {
    let jobs: Vec<Digest> = (0..20_000_u32).map(|number| Digest::of(&number.to_le_bytes())).collect();
    let audited = |share| {
        let head = PlanHead::new(SCAN, 1, share, jobs.clone());
        jobs.iter().filter(|job| head.is_audited(job)).count()
    };
    assert_eq!((audited(0), audited(AUDITED_OF)), (0, jobs.len()));
    assert!((100..300).contains(&audited(100)), "{}", audited(100));
    let head = PlanHead::new(SCAN, 4, 100, jobs);
    assert_eq!(PlanHead::read(&head.to_bytes(), &head.id()), Ok(head.clone()));
    assert!(PlanHead::read(&head.to_bytes(), &Digest::of(b"x")).is_err());
}

#[test]
fn a_message_is_read_as_it_was_written() {
    for audit in [false, true] {
        let task = Task { plan: Digest::of(b"p"), job: Digest::of(b"j"), audit };
        assert_eq!(Task::read(&task.to_bytes()), Some(task));
        assert_ne!(task.id(1), task.id(2));
    }
    assert_eq!(Task::read(b"{}"), None);
}

proptest! {
    #[test]
    fn cutting_loses_nothing_and_goes_on_where_it_stopped(
        sizes in prop::collection::vec(0_u64..200, 0..80), keys in 1_usize..9, bytes in 1_u64..300,
    ) {
        let cut = |sizes: &[(usize, u64)]| {
            let mut cutter = Cutter::new(JobSize { keys, bytes });
            let mut jobs: Vec<Vec<(usize, u64)>> = sizes.iter().filter_map(|item| cutter.push(*item, item.1)).collect();
            jobs.extend(cutter.finish());
            jobs
        };
        let items: Vec<(usize, u64)> = sizes.into_iter().enumerate().collect();
        let jobs = cut(&items);
        prop_assert_eq!(jobs.concat(), items);
        for job in &jobs {
            prop_assert!(job.len() <= keys);
            prop_assert!(job.len() == 1 || job.iter().map(|item| item.1).sum::<u64>() <= bytes);
        }
        // What was merged before a coordinator was killed changes no cut behind it.
        for done in 0..jobs.len() {
            prop_assert_eq!(cut(&jobs[done..].concat()), &jobs[done..]);
        }
    }

    #[test]
    fn a_damaged_pack_is_refused_or_says_the_same(at in any::<prop::sample::Index>(), flip in 1_u8.., cut in any::<bool>()) {
        let (bundles, job) = (bundles(), job_of(&bundles()));
        let (input, result) = (pack_of(&bundles), ResultPack::write(&job, &rows()).expect("writes"));
        let damaged = |pack: &[u8]| {
            let (mut pack, at) = (pack.to_vec(), at.index(pack.len()));
            if cut { pack.truncate(at) } else { pack[at] ^= flip }
            pack
        };
        if let Ok(read) = input::read(&damaged(&input), &job) {
            prop_assert_eq!(read.iter().map(Key::of).collect::<Vec<_>>(), job.keys.clone());
        }
        if let Ok(read) = ResultPack::read(&damaged(&result), &job) {
            prop_assert_eq!(read.rows, rows());
        }
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..400), is_marked in any::<bool>()) {
        let bytes = if is_marked { [b"capdex\x01\n".as_slice(), &bytes].concat() } else { bytes };
        let job = job_of(&bundles());
        prop_assert!(input::read(&bytes, &job).is_err());
        prop_assert!(ResultPack::read(&bytes, &job).is_err());
        prop_assert!(Job::read(&bytes, &job.digest()).is_err());
        prop_assert!(PlanHead::read(&bytes, &job.digest()).is_err());
        prop_assert!(Task::read(&bytes).is_none());
    }
}
