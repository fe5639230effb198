//! The limits that a computing process sets on itself, where the system has them.

use std::time::Duration;

/// Address space beside the memory that is used: the allocator reserves what it never touches, and each thread its stack.
#[cfg(unix)]
const RESERVED_MB: u64 = 4096;

/// Lets this process have so much memory and no more, and end with the process that started it.
#[cfg(unix)]
pub(super) fn of_process(memory_mb: u64) -> std::io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    let bytes = memory_mb.saturating_add(RESERVED_MB).saturating_mul(1 << 20);
    // A ceiling of the whole address space. The parent looks at what is used, which is less, where the system tells.
    setrlimit(Resource::As, Rlimit { current: Some(bytes), maximum: Some(bytes) })?;
    // A process that was ended by a limit would leave all its memory on the disk.
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    Ok(())
}

/// Lets this process use so many seconds of the processor from now on.
#[cfg(unix)]
pub(super) fn of_job(cpu_s: u64) -> std::io::Result<()> {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime).tv_sec;
    let mut limit = getrlimit(Resource::Cpu);
    // One more, as the part of a second that is used already counts.
    let seconds = u64::try_from(used).unwrap_or(0).saturating_add(cpu_s).saturating_add(1);
    limit.current = Some(limit.maximum.map_or(seconds, |most| most.min(seconds)));
    setrlimit(Resource::Cpu, limit)?;
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn of_process(_: u64) -> std::io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn of_job(_: u64) -> std::io::Result<()> {
    Ok(())
}

/// The memory that a process uses, in MiB; none where the system does not tell.
pub(super) fn memory_mb(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kb: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kb >> 10)
}

/// Ends a process with all that it started.
pub(super) fn end(child: &mut std::process::Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // It leads a group of its own; what has ended already is no error.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// How often a process is looked at while it works.
pub(super) const LOOKED_AT: Duration = Duration::from_millis(50);
