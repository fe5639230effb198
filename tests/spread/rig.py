#!/usr/bin/env python3
"""rig.py CAPDEX [--short] [--skills N] [--workers 1,2,4,6] [--only CASE,...] [--quota CORES] [--json FILE]: nights over workers, proved.

Runs one night in a single process and takes the digest of its dataset. Then it runs the same night over and over with workers of
`capdex work`, over a folder and over a real S3 server, with a real NATS server and without, kills what can be killed in the middle,
and wants the same dataset every time. Prints what each case took. It ends with 1 where anything differs.

The input is folders of skills: labelled ones of CAPDEX_DATA, or paragraphs of this repository's own documents where that is not set. It is
data: nothing of it is run. Servers are found in CAPDEX_NATS and CAPDEX_WEED or on the path. Workers get a share of one processor each
(--quota) where this machine allows control groups."""

import argparse
import collections
import gzip
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from servers import Bucket, Nats, Quota

HERE = pathlib.Path(__file__).resolve().parent
AS_OF = "2026-10-10T00:00:00Z"
# A task goes to another worker after so many seconds.
ACK_WAIT = 4
# The longest case is far shorter; whoever hangs is told instead of waited for.
CASE_S = 900
CASE_BYTES = 64 << 10
POISONS = ("memory", "loop", "abort")


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="capdex-rig-") as folder:
        rig = Rig(options, pathlib.Path(folder))
        try:
            cases = [case for name, case in CASES.items() if (name in options.only if options.only else name in SHORT or not options.short)]
            for case in cases:
                case(rig)
        finally:
            rig.stop()
    if options.json:
        options.json.write_text(json.dumps(rig.figures, indent=1) + "\n")
    print(f"{len(rig.figures)} nights, {rig.failed} wrong", flush=True)
    sys.exit(1 if rig.failed else 0)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("capdex", type=pathlib.Path, help="the binary, built with `--features spread`")
    parser.add_argument("--short", action="store_true", help="the cases of the test suite, over few skills")
    parser.add_argument("--skills", type=int, help="how many (default: 3000, and 150 in short)")
    parser.add_argument("--workers", default=None, help="numbers of workers (default: 1,2,4,6, and 2 in short)")
    parser.add_argument("--only", default="", help="some cases: " + ", ".join(CASES))
    parser.add_argument("--quota", type=float, default=0.2, help="the share of a processor of each worker in the case `scales`")
    parser.add_argument("--kills", type=int, default=None, help="how often what is killed is killed (default: 10, and 2 in short)")
    parser.add_argument("--json", type=pathlib.Path, help="where the figures go")
    options = parser.parse_args()
    options.capdex = options.capdex.resolve()
    options.skills = options.skills or (150 if options.short else 3000)
    options.workers = [int(number) for number in (options.workers or ("2" if options.short else "1,2,4,6")).split(",")]
    options.kills = options.kills or (2 if options.short else 10)
    options.only = [name for name in options.only.split(",") if name]
    return options


class Night:
    """One night, with what it needs."""

    def __init__(self, rig, name, store, nats=None, more=(), **settings):
        self.rig, self.name, self.workers = rig, name, []
        self.folder = rig.work / name
        self.folder.mkdir()
        self.bucket = rig.bucket() if store == "s3" else None
        self.store = f"s3://{Bucket.name}/{name}" if self.bucket else str(self.folder / "work")
        self.nats = nats
        told = {"store": self.store, "job_size": 50, "audit": 0.0, "patience_s": 0, **settings}
        if nats:
            told["nats"] = nats.url(ACK_WAIT)
        self.schedule = self.folder / "schedule.toml"
        rig.schedule(self.schedule, told if store else None, more)

    def environment(self, **more):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        return {**kept, **(self.bucket.environment() if self.bucket else {}), **more}

    def worker(self, *words, place=None, quota=None, capdex=None, **environment):
        """One that takes tasks from the queue, or where a place (number, of how many) is given those of the plan."""
        command = [capdex or self.rig.options.capdex, "--threads", "1", "work", "--store", self.store, *words]
        command += ["--index", str(place[0]), "--of", str(place[1]), "--linger", str(CASE_S)] if place else ["--nats", self.nats.url(ACK_WAIT)]
        log = open(self.folder / "workers.log", "ab")
        worker = subprocess.Popen(command, stdout=log, stderr=log, env=self.environment(HOSTNAME=f"w{len(self.workers)}", **environment),
                                  preexec_fn=quota.enter if quota else None)
        log.close()
        worker.place = place
        self.workers.append(worker)
        return worker

    def start(self):
        """Begins the night itself."""
        self.begun = time.monotonic()
        log = open(self.folder / "night.log", "ab")
        command = [self.rig.options.capdex, "--db", self.folder / "capdex.db", "nightly", "--config", self.schedule,
                   "--out", self.folder / "out", "--as-of", AS_OF]
        self.process = subprocess.Popen(command, stdout=log, stderr=log, env=self.environment())
        log.close()
        return self

    def wait(self):
        """Until the night ends; its exit code. What it used of the processor is noted, where it was not killed before."""
        while self.process.returncode is None:
            pid, status, used = os.wait4(self.process.pid, os.WNOHANG)
            if pid:
                self.process.returncode = os.waitstatus_to_exitcode(status)
                self.cpu_s = round(used.ru_utime + used.ru_stime, 1)
            elif time.monotonic() - self.begun > CASE_S:
                self.process.kill()
            time.sleep(0.02)
        self.wall_s = time.monotonic() - self.begun
        return self.process.returncode

    def end_workers(self):
        """Ends all workers as a cluster does; their processor time, and their exit codes."""
        for worker in self.workers:
            if worker.poll() is None:
                worker.send_signal(signal.SIGTERM)
        seconds, codes = 0.0, []
        for worker in self.workers:
            if worker.returncode is None:
                _, status, used = os.wait4(worker.pid, 0)
                worker.returncode = os.waitstatus_to_exitcode(status)
                seconds += used.ru_utime + used.ru_stime
            codes.append(worker.returncode)
        return seconds, codes

    def digest(self):
        """Of all files of the dataset."""
        digest = hashlib.sha256()
        for path in sorted((self.folder / "out").rglob("*")):
            if path.is_file():
                digest.update(f"{path.relative_to(self.folder / 'out')} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
        return digest.hexdigest()[:16]

    def scan_s(self):
        told = subprocess.run([self.rig.options.capdex, "--db", self.folder / "capdex.db", "status", "--format", "json"], capture_output=True, check=True)
        stages = json.loads(told.stdout)["runs"][0]["summary"]["stages"]
        return round(sum(stage["seconds"] for stage in stages if stage["stage"] == "scan"), 2)

    def has_plan(self):
        """True where the night has handed something out; of a bucket it is not asked."""
        return bool(self.bucket) or any(pathlib.Path(self.store).glob("plan/*/head.json"))

    def log(self, name="night.log"):
        path = self.folder / name
        return path.read_text(errors="replace") if path.exists() else ""

    def repeated(self):
        """Beginnings of jobs beyond the first of each, where the store of work was kept."""
        tries = collections.Counter(path.parent.name for path in pathlib.Path(self.store).glob("tries/scan/*/*"))
        return sum(tries.values()) - len(tries)


class Rig:
    def __init__(self, options, work):
        self.options, self.work, self.failed, self.figures = options, work, 0, []
        self.tree = work / "tree"
        self.paths = skills(options.skills, self.tree)
        self.servers = {}
        oracle = Night(self, "oracle", None).start()
        if (code := oracle.wait()) not in (0, 3):
            sys.exit(f"the night of one process ended with {code}: {oracle.log()[-2000:]}")
        self.digest = oracle.digest()
        self.told(oracle, "one process", code, wanted=code, night_cpu_s=oracle.cpu_s)
        self.code = code

    def server(self, kind):
        """A server, started by whoever needs it first."""
        if kind not in self.servers:
            self.servers[kind] = kind(self.work / kind.__name__.lower()).start()
        return self.servers[kind]

    def nats(self):
        return self.server(Nats)

    def bucket(self):
        return self.server(Bucket)

    def stop(self):
        for server in self.servers.values():
            server.stop()

    def schedule(self, path, spread, more=()):
        paths = json.dumps([str(path) for path in (*self.paths, *more)])
        table = "".join(f"{key} = {json.dumps(value)}\n" for key, value in (spread or {}).items())
        path.write_text(f'name = "rig"\n[export]\nformats = ["jsonl"]\n' + (f"[spread]\n{table}" if spread else "") + f"[sources.folder]\npackages = {paths}\n")

    def told(self, night, what, code, wanted=None, digest=None, **figures):
        """Prints a case, and counts it as wrong where it is."""
        wanted = self.code if wanted is None else wanted
        found = night.digest() if code in (0, 3) else "none"
        expected = self.digest if digest is None else digest
        is_right = code == wanted and (expected is False or found == expected) and all(figures.pop("right", [True]))
        self.failed += not is_right
        scan = night.scan_s() if code in (0, 3) else None
        case = {"case": night.name, "what": what, "right": is_right, "digest": found, "wall_s": round(night.wall_s, 1), "scan_s": scan, **figures}
        self.figures.append(case)
        more = "".join(f", {key} {value}" for key, value in figures.items())
        print(f"{'ok   ' if is_right else 'WRONG'} {night.name:22} {what}: digest {found}, night {case['wall_s']} s, scan {scan} s{more}", flush=True)
        if not is_right:
            print(f"  exit code {code}, wanted {wanted}; digest wanted {expected}\n" + night.log()[-3000:] + night.log("workers.log")[-3000:], flush=True)
        shutil.rmtree(night.folder, ignore_errors=True)


def skills(count, tree):
    """Folders of skills; two in a hundred hold a file that cannot be read."""
    data = os.environ.get("CAPDEX_DATA")
    if data:
        with gzip.open(pathlib.Path(data) / "labelled" / "skills-train.jsonl.gz", "rt") as lines:
            known = [case for case in (json.loads(line)["files"] for line in lines) if sum(map(len, case.values())) <= CASE_BYTES]
    else:
        texts = [path.read_text() for path in sorted(HERE.parent.parent.glob("docs/*.md"))]
        paragraphs = [paragraph for text in texts for paragraph in text.split("\n\n") if 80 < len(paragraph) < 4000]
        known = [{"SKILL.md": "\n\n".join(paragraphs[at:at + 8])} for at in range(0, len(paragraphs), 8)]
    rng, paths = random.Random(1), []
    for at in range(count):
        path = tree / f"skill-{at:06}"
        for name, text in rng.choice(known).items():
            file = path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            head = f"---\nname: skill-{at}\ndescription: Skill number {at}.\n---\n" if name == "SKILL.md" and not text.startswith("---") else ""
            file.write_text(head + text + (f"\n\nNumber {at}.\n" if name == "SKILL.md" else ""))
        if at % 50 == 7:
            (path / "broken.json").write_text("{")
            (path / "package.json").write_text('{"name": ')
        paths.append(path)
    return paths


def equal(rig):
    """The same dataset for every number of workers, both stores and two sizes of jobs, half of them done twice."""
    for store in ("folder", "s3"):
        for workers in rig.options.workers:
            for size in ((50,) if rig.options.short else (50, 500)):
                night = Night(rig, f"{store}-{workers}w-{size}", store, rig.nats(), job_size=size, audit=0.5)
                for at in range(workers):
                    # Neither threads nor the language of a machine change anything.
                    night.worker(LC_ALL=("C", "tr_TR.UTF-8", "de_DE.UTF-8")[at % 3])
                code = night.start().wait()
                cpu, _ = night.end_workers()
                rig.told(night, f"{workers} workers, jobs of {size}, {store} and NATS", code, workers_cpu_s=round(cpu, 1))


def scales(rig):
    """What more workers give, each held to the same share of a processor."""
    one = None
    for workers in rig.options.workers:
        quotas = [Quota(f"w{at}", rig.options.quota) for at in range(workers)]
        night = Night(rig, f"quota-{workers}w", "folder", rig.nats(), job_size=25, keep=True)
        for quota in quotas:
            night.worker(quota=quota)
        code = night.start().wait()
        cpu, _ = night.end_workers()
        rate = rig.options.skills / night.scan_s()
        one = one or rate / workers
        [quota.end() for quota in quotas]
        held = "held to" if all(quota.folder for quota in quotas) else "NOT held to"
        rig.told(night, f"{workers} workers {held} {rig.options.quota} of a processor", code, skills_a_second=round(rate, 1),
                 share_of_even=round(rate / one / workers, 2), workers_cpu_s=round(cpu, 1), night_cpu_s=night.cpu_s)


def by_index(store):
    """Four workers without a queue, as an indexed job of a cluster has them."""
    def case(rig):
        night = Night(rig, f"index-{store}", store, audit=0.2)
        for index in range(4):
            night.worker(place=(index, 4))
        code = night.start().wait()
        night.end_workers()
        rig.told(night, f"--index i --of 4, {store}, no queue", code)
    return case


def alone(rig):
    """Nobody comes: the night does everything itself, in processes with limits."""
    night = Night(rig, "alone", "folder", patience_s=1, audit=0.2)
    rig.told(night, "no worker at all", night.start().wait())


def killed(rig, name, what, strike, queue=True, workers=3, **settings):
    """A night in the middle of which something is killed again and again."""
    night = Night(rig, name, settings.pop("store", "folder"), rig.nats() if queue else None, job_size=10, keep=True, **settings)
    for at in range(workers):
        night.worker(place=None if queue else (at, workers))
    night.start()
    struck, rng = 0, random.Random(2)
    # Not before there is something to lose.
    while not night.has_plan() and night.process.poll() is None:
        time.sleep(0.02)
    while struck < rig.options.kills and night.process.poll() is None:
        strike(night, rng)
        struck += 1
        time.sleep(rng.uniform(0.2, 1.5))
    code = night.wait()
    night.end_workers()
    figures = {} if night.bucket else {"repeated": night.repeated()}
    rig.told(night, f"{what}, {struck} times", code, right=[struck > 0], kills=struck, **figures)


def kill_worker(night, rng):
    victim = rng.choice([worker for worker in night.workers if worker.poll() is None])
    victim.kill()
    victim.wait()
    night.worker(place=victim.place)


def kill_coordinator(night, rng):
    night.process.kill()
    night.process.wait()
    night.start()


def kill_index(rig):
    """kill -9 of workers without a queue, and of the night."""
    killed(rig, "kill-index", "kill -9 of a random worker, no queue", kill_worker, queue=False)
    killed(rig, "kill-night", "kill -9 of the night, no queue", kill_coordinator, queue=False)


def kills(rig):
    """kill -9 of workers, of NATS with its data, of the store, of the coordinator; a worker that stands still."""
    killed(rig, "kill-workers", "kill -9 of a random worker", kill_worker)
    killed(rig, "kill-coordinator", "kill -9 of the coordinator", kill_coordinator)

    def nats(night, rng):
        server = rig.nats()
        server.kill()
        server.lose_disk()
        time.sleep(rng.uniform(0, 1))
        server.start()
    killed(rig, "kill-nats", "kill -9 of NATS with its data deleted", nats)

    def store(night, rng):
        server = rig.bucket()
        server.kill()
        time.sleep(rng.uniform(0, 1))
        server.start()
    killed(rig, "kill-store", "kill -9 of the S3 server", store, store="s3")

    def still(night, rng):
        victim = rng.choice([worker for worker in night.workers if worker.poll() is None])
        victim.send_signal(signal.SIGSTOP)
        time.sleep(ACK_WAIT + 1 if rig.options.short else 2 * ACK_WAIT)
        victim.send_signal(signal.SIGCONT)
    killed(rig, "still-worker", "a worker that stands still for longer than its lease", still)


def poison(rig):
    """Three inputs that ruin whoever scans them: each is a gap, and nothing else is missing."""
    for name in POISONS:
        path = rig.tree / f"poison-{name}"
        path.mkdir(exist_ok=True)
        (path / "SKILL.md").write_text(f"---\nname: poison-{name}\ndescription: d\n---\n# Poison\n")
    under = f"{sys.executable} {HERE / 'shim.py'}"
    night = Night(rig, "poison", "folder", more=[rig.tree / f"poison-{name}" for name in POISONS], memory_mb=400, wall_s=5, keep=True)
    for at in range(2):
        night.worker("--under", under, place=(at, 2))
    code = night.start().wait()
    night.end_workers()
    rows = [json.loads(line) for line in (night.folder / "out" / "capabilities.jsonl").read_text().splitlines()] if code in (0, 3) else []
    bands = {name: sorted(row["band"] for row in rows if f"poison-{name}" in json.dumps(row)) for name in POISONS}
    results = list(pathlib.Path(night.store).glob("out/scan/*"))
    deaths = collections.Counter(path.parent.name for path in pathlib.Path(night.store).glob("dead/scan/*/*"))
    others = len({json.dumps(row) for row in rows if "poison-" not in json.dumps(row)})
    right = [all(band == ["unknown"] for band in bands.values()), others > 0, max(deaths.values(), default=0) <= 3]
    rig.told(night, f"memory, loop and abort: {bands}", code, digest=False, right=right, deaths=sum(deaths.values()), results=len(results))


def differing(rig):
    """A worker whose program was changed: the first job that is done twice tells."""
    changed = rig.work / "capdex-changed"
    program = rig.options.capdex.read_bytes()
    before, after = WORDS
    if program.count(before) == 0:
        sys.exit(f"the program does not hold {before!r}: another word of its results is needed")
    changed.write_bytes(program.replace(before, after))
    changed.chmod(0o755)
    night = Night(rig, "nondeterminism", "folder", audit=1.0)
    night.worker(place=(0, 2))
    night.worker(place=(1, 2), capdex=changed)
    code = night.start().wait()
    _, codes = night.end_workers()
    both = list(pathlib.Path(night.store).glob("nondeterminism/scan/*/*/*"))
    right = [1 in codes, len(both) >= 2, "two results" in night.log()]
    rig.told(night, f"one of two programs was changed; workers ended with {codes}", code, wanted=4, digest=False, right=right, objects=len(both))


# Words of the program that stand in the result of an input that is cut, and as many others.
WORDS = (b"EOF while parsing a value", b"EOF while parsing a walue")
CASES = {"equal": equal, "scales": scales, "index": by_index("folder"), "index_s3": by_index("s3"), "alone": alone, "kill_index": kill_index,
         "kills": kills, "poison": poison, "differing": differing}
SHORT = CASES.keys() - {"scales"}

if __name__ == "__main__":
    main()
