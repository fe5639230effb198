#!/usr/bin/env python3
"""Compares capdex with two peers from PyPI on the same labelled skills, in one run, and prints rates and ratios of speed.

    cargo build --release
    tests/peers.py ../shared/data/labelled/skills.jsonl.gz

It installs the peers, at the versions below, into target/peers, and writes the skills as folders into a temporary one. Each
tool then reads the same folders in one process with one thread, start-up included. Text of the skills is data: no tool runs it
(only the static analysers of the peers are used; no model, no service).
"""

import argparse
import collections
import gzip
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = {"spidershield": "0.3.4", "cisco-ai-skill-scanner": "2.3.2"}
RANK = {"critical": 4, "high": 3, "medium": 2, "low": 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path, help="labelled skills, one JSON object a line, gzip allowed")
    parser.add_argument("--capdex", type=pathlib.Path, default=ROOT / "target/release/capdex", help="the binary to measure")
    options = parser.parse_args()
    if not options.capdex.is_file():
        sys.exit(f"{options.capdex} is missing: run `cargo build --release` first")
    tools = install()
    with tempfile.TemporaryDirectory(prefix="capdex-peers-") as folder:
        cases, size = unpack(options.file, pathlib.Path(folder) / "agent" / "skills")
        print(f"{len(cases)} skills, {size / 1e6:.1f} MB")
        results = {
            f"capdex ({options.capdex.name})": run_capdex(options.capdex, folder, cases),
            f"spidershield {PEERS['spidershield']}": run_spidershield(tools, folder),
            f"cisco-ai-skill-scanner {PEERS['cisco-ai-skill-scanner']}": run_cisco(tools, folder),
        }
    report(cases, size, results)


def install():
    """A virtual environment with the peers; its folder of programs."""
    home = ROOT / "target" / "peers"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    wanted = [f"{name}=={version}" for name, version in PEERS.items()]
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted], check=True)
    return home / "bin"


def unpack(path, folder):
    """Writes each case as a folder named after it. Gives the cases, by name, and how many bytes they have."""
    cases, size = {}, 0
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
    with opened as lines:
        for line in lines:
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


def timed(command, **more):
    """Runs a program; its output and how many seconds it took."""
    environment = {**os.environ, "NO_COLOR": "1", "OMP_NUM_THREADS": "1"}
    begun = time.monotonic()
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, **more)
    return done.stdout.decode("utf-8", "replace"), time.monotonic() - begun


def run_capdex(binary, folder, cases):
    skills = [pathlib.Path(folder) / "agent" / "skills" / case for case in sorted(cases)]
    output, seconds = timed([binary, "scan", "--format", "jsonl", "--threads", "1", *skills])
    worst = collections.Counter()
    for line in output.splitlines():
        row = json.loads(line)
        case = pathlib.Path(row["input"]).name
        for finding in row["findings"]:
            worst[case] = max(worst[case], RANK.get(finding["severity"], 0))
    return worst, seconds


def run_spidershield(tools, folder):
    output, seconds = timed([tools / "spidershield", "agent-check", pathlib.Path(folder) / "agent", "--format", "json"])
    found = json.loads(output[output.index("{") :])
    rank = {"malicious": 3, "tampered": 3, "suspicious": 2}
    rows = found.get("skill_findings") or found.get("skills") or []
    return {row.get("skill_name") or row.get("name"): rank.get(str(row.get("verdict")).lower(), 0) for row in rows}, seconds


def run_cisco(tools, folder):
    report = pathlib.Path(folder) / "cisco.json"
    skills = pathlib.Path(folder) / "agent" / "skills"
    _, seconds = timed([tools / "skill-scanner", "scan-all", skills, "--lenient", "--format", "json", "--output-json", report])
    worst = collections.Counter()
    for row in json.loads(report.read_text())["results"]:
        case = pathlib.Path(row.get("skill_directory") or row.get("skill_path")).name
        for finding in row["findings"]:
            worst[case] = max(worst[case], RANK.get(str(finding["severity"]).lower(), 0))
    return worst, seconds


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
    for tool, (worst, _) in results.items():
        parts = [f"{label} {subset} {rate(sum(worst.get(name, 0) >= 3 for name in names), len(names))}" for (label, subset), names in sorted(groups.items())]
        print(f"  {tool}: " + "; ".join(parts))
    print("\nspeed, one process, start-up included")
    own = next(iter(results.values()))[1]
    for tool, (_, seconds) in results.items():
        print(f"  {tool}: {seconds:.2f} s, {len(cases) / seconds:.0f} skills/s, {size / 1e6 / seconds:.2f} MB/s, {seconds / own:.1f} times the time of capdex")


if __name__ == "__main__":
    main()
