#!/usr/bin/env python3
"""Compares capdex with two peers from PyPI on the same labelled skills, in one run, and prints rates and ratios of speed.

    cargo build --release
    tests/peers.py ../shared/data/labelled/skills.jsonl.gz
    tests/peers.py ../shared/data/labelled/skills-train.jsonl.gz --limit 500 --peers spidershield --baseline /tmp/capdex-before

It installs the peers, at the versions below, into target/peers, and writes the skills as folders into a temporary one. Each
tool then reads the same folders in one process with one thread, start-up included; what counts is the time of the processor, and the
least of three runs of capdex. Text of the skills is data: no tool runs it
(only the static analysers of the peers are used; no model, no service).
"""

import argparse
import collections
import gzip
import itertools
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = {"spidershield": "0.3.4", "cisco-ai-skill-scanner": "2.3.2"}
RANK = {"critical": 4, "high": 3, "medium": 2, "low": 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path, help="labelled skills, one JSON object a line, gzip allowed")
    parser.add_argument("--capdex", type=pathlib.Path, default=ROOT / "target/release/capdex", help="the binary to measure")
    parser.add_argument("--baseline", type=pathlib.Path, help="an older binary, measured in the same run")
    parser.add_argument("--limit", type=int, help="so many skills of the file, from its beginning")
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS), help="the peers to run (both unless named)")
    options = parser.parse_args()
    if not options.capdex.is_file():
        sys.exit(f"{options.capdex} is missing: run `cargo build --release` first")
    tools = install(options.peers)
    with tempfile.TemporaryDirectory(prefix="capdex-peers-") as folder:
        cases, size = unpack(options.file, pathlib.Path(folder) / "agent" / "skills", options.limit)
        print(f"{len(cases)} skills, {size / 1e6:.1f} MB")
        own = {"capdex": options.capdex} | ({"capdex before": options.baseline} if options.baseline else {})
        results = {name: run_capdex(binary, folder, cases) for name, binary in own.items()}
        for name, binary in own.items():
            _, spent, peak = least(binary, [pathlib.Path(folder) / "agent" / "skills" / min(cases)])
            print(f"{name}: one skill takes {1000 * spent:.0f} ms of the processor and {peak:.0f} MiB")
        runs = {"spidershield": run_spidershield, "cisco-ai-skill-scanner": run_cisco}
        results |= {f"{name} {PEERS[name]}": runs[name](tools, folder) for name in options.peers}
    report(cases, size, results)


def install(peers):
    """A virtual environment with these peers; its folder of programs."""
    home = ROOT / "target" / "peers"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    wanted = [f"{name}=={version}" for name, version in PEERS.items() if name in peers]
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted], check=True)
    return home / "bin"


def unpack(path, folder, limit):
    """Writes each case, up to a limit, as a folder named after it. Gives the cases, by name, and how many bytes they have."""
    cases, size = {}, 0
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
    with opened as lines:
        for line in itertools.islice(lines, limit):
            row = json.loads(line)
            cases[row["case"]] = row
            for name, text in row["files"].items():
                target = (folder / row["case"] / name).resolve()
                if not target.is_relative_to(folder):
                    sys.exit(f"{row['case']} names a file outside its folder: {name!r}")
                target.parent.mkdir(parents=True, exist_ok=True)
                data = text.encode("utf-8", "surrogatepass")
                target.write_bytes(data)
                size += len(data)
    return cases, size


# The most memory of a process counts what was its parent's when it began: a small one begins it, and not this with all its texts.
BEGIN = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[2:])
_, status, used = os.wait4(child.pid, 0)
open(sys.argv[1], "w").write(f"{used.ru_utime + used.ru_stime} {used.ru_maxrss / 1024}")
"""


def timed(command):
    """Runs a program; its output, the seconds of the processor that it and its children took, and its peak memory in MiB."""
    environment = {**os.environ, "NO_COLOR": "1", "OMP_NUM_THREADS": "1"}
    with tempfile.NamedTemporaryFile() as used:
        words = [sys.executable, "-S", "-c", BEGIN, used.name, *(str(part) for part in command)]
        said = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, check=True).stdout
        spent, peak = map(float, used.read().split())
    return said.decode("utf-8", "replace"), spent, peak


def least(binary, skills):
    """The run of capdex over some skills, of three, that took the processor least."""
    command = [binary, "scan", "--format", "jsonl", "--threads", "1", *skills]
    return min((timed(command) for _ in range(3)), key=lambda run: run[1])


def run_capdex(binary, folder, cases):
    output, seconds, peak = least(binary, [pathlib.Path(folder) / "agent" / "skills" / case for case in sorted(cases)])
    worst = collections.Counter()
    for line in output.splitlines():
        row = json.loads(line)
        case = pathlib.Path(row["input"]).name
        for finding in row["findings"]:
            worst[case] = max(worst[case], RANK.get(finding["severity"], 0))
    return worst, seconds, peak


def run_spidershield(tools, folder):
    output, seconds, peak = timed([tools / "spidershield", "agent-check", pathlib.Path(folder) / "agent", "--format", "json"])
    found = json.loads(output[output.index("{") :])
    rank = {"malicious": 3, "tampered": 3, "suspicious": 2}
    rows = found.get("skill_findings") or found.get("skills") or []
    return {row.get("skill_name") or row.get("name"): rank.get(str(row.get("verdict")).lower(), 0) for row in rows}, seconds, peak


def run_cisco(tools, folder):
    report = pathlib.Path(folder) / "cisco.json"
    skills = pathlib.Path(folder) / "agent" / "skills"
    _, seconds, peak = timed([tools / "skill-scanner", "scan-all", skills, "--lenient", "--format", "json", "--output-json", report])
    worst = collections.Counter()
    for row in json.loads(report.read_text())["results"]:
        case = pathlib.Path(row.get("skill_directory") or row.get("skill_path")).name
        for finding in row["findings"]:
            worst[case] = max(worst[case], RANK.get(str(finding["severity"]).lower(), 0))
    return worst, seconds, peak


def rate(hits, of):
    """A share with its 95 % Wilson interval, in percent."""
    if not of:
        return "-"
    share, z = hits / of, 1.96
    denominator = 1 + z * z / of
    centre = (share + z * z / (2 * of)) / denominator
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / denominator
    return f"{100 * share:.1f} [{100 * max(0, centre - half):.1f}, {100 * min(1, centre + half):.1f}]"


def report(cases, size, results):
    groups = collections.defaultdict(list)
    for name, row in cases.items():
        groups[row["label"], row.get("subset", "")].append(name)
    print("\nflagged at high or critical, %")
    for tool, (worst, *_) in results.items():
        parts = [f"{label} {subset} {rate(sum(worst.get(name, 0) >= 3 for name in names), len(names))}" for (label, subset), names in sorted(groups.items())]
        print(f"  {tool}: " + "; ".join(parts))
    print("\nspeed, seconds of the processor, start-up included")
    own = next(iter(results.values()))[1]
    for tool, (_, seconds, peak) in results.items():
        print(f"  {tool}: {seconds:.2f} s, {peak:.0f} MiB, {len(cases) / seconds:.0f} skills/s, {size / 1e6 / seconds:.2f} MB/s, {seconds / own:.1f} times the time of capdex")


if __name__ == "__main__":
    main()
