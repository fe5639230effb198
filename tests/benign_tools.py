#!/usr/bin/env python3
"""Scan the tool descriptions of public registries, presumed benign, and print what is called high or critical.

    tests/benign_tools.py [--capdex target/release/capdex] [--data ../shared/data] [--keep FOLDER] [--out FILE]

Writes one tools list for each server of the folders metorial, toolsdk and mcpm of the data (CAPDEX_DATA, where no
--data is given) into a temporary folder, runs `capdex scan … --format jsonl` over them, and prints each finding at
high or critical with its rule and tool, the share of tools and of servers that have one, and the findings at medium
by rule. Needs only the standard library. Nothing is fetched and nothing is run but capdex.
"""
import argparse
import collections
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RANK = {"high": 3, "critical": 4}


def rows(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def tools_of(value):
    """The tools of a row, whatever shape its registry gives them."""
    if isinstance(value, dict):
        value = value.get("tools") if isinstance(value.get("tools"), list) else list(value.values())
    return [tool for tool in value or [] if isinstance(tool, dict) and tool.get("name")]


def servers(data):
    """Pairs of (registry/name, server text, tools)."""
    for folder in ("metorial", "toolsdk", "mcpm"):
        for path in sorted((data / folder).glob("*.jsonl.gz")):
            if path.name.startswith("servers-all"):
                continue
            for row in rows(path):
                tools = tools_of(row.get("tools"))
                if tools:
                    name = row.get("id") or row.get("name") or row.get("display_name") or "server"
                    yield f"{folder}/{name}", tools


def write(folder, data):
    """Writes the tools lists; gives the names of the tools by the path of their list."""
    written = {}
    for index, (name, tools) in enumerate(servers(data)):
        slug = re.sub(r"[^A-Za-z0-9]+", "-", name)[:60].strip("-")
        path = folder / f"{index:05}-{slug}" / "tools.json"
        path.parent.mkdir()
        path.write_text(json.dumps({"tools": tools}), encoding="utf-8")
        written[path] = [tool["name"] for tool in tools]
    return written


def scan(capdex, folder, threads):
    """The lines of one scan over all servers at once, each a folder of its own."""
    paths = sorted(str(path) for path in folder.iterdir())
    for start in range(0, len(paths), 500):
        command = [capdex, "scan", *paths[start : start + 500], "--format", "jsonl", "--threads", str(threads)]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
        for line in done.stdout.decode("utf-8", "replace").splitlines():
            yield json.loads(line)


def report(lines, written, out):
    total = sum(len(tools) for tools in written.values())
    names = {str(path.parent): tools for path, tools in written.items()}
    flagged, folders, medium = set(), set(), collections.Counter()
    by_rule = collections.Counter()
    for line in lines:
        for finding in line["findings"]:
            if finding["severity"] == "medium":
                medium[finding["rule"]] += 1
            if finding["severity"] not in RANK:
                continue
            at = re.search(r"/tools/(\d+)", finding.get("pointer") or "")
            folder = line["input"]
            tool = names.get(folder, [])[int(at.group(1))] if at else f"line {finding['line']}"
            flagged.add((folder, tool))
            folders.add(folder)
            by_rule[finding["rule"]] += 1
            row = [finding["severity"], finding["rule"], Path(folder).name, tool, finding["evidence"]]
            print("\t".join(row), file=out)
    print(f"# {total} tools of {len(written)} servers", file=out)
    share = lambda count, of: f"{count} ({100 * count / max(of, 1):.2f} %)"
    print(f"# at high or critical: tools {share(len(flagged), total)}, servers {share(len(folders), len(written))}", file=out)
    print(f"# by rule at high or critical: {dict(by_rule.most_common())}", file=out)
    print(f"# by rule at medium: {dict(medium.most_common())}", file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--capdex", default=str(ROOT / "target/release/capdex"))
    parser.add_argument("--data", default=os.environ.get("CAPDEX_DATA"))
    parser.add_argument("--keep", help="write the lists here and keep them")
    parser.add_argument("--out", help="write the report here as well as its summary to the terminal")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    if not options.data:
        sys.exit("say where the data is: --data, or CAPDEX_DATA")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        written = write(folder, Path(options.data))
        out = open(options.out, "w", encoding="utf-8") if options.out else sys.stdout
        report(scan(options.capdex, folder, options.threads), written, out)
        if options.out:
            out.close()
            lines = Path(options.out).read_text(encoding="utf-8").splitlines()
            print("\n".join(line for line in lines if line.startswith("#")))


if __name__ == "__main__":
    main()
