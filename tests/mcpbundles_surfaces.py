#!/usr/bin/env python3
"""Proves for each deduction of MCPBundles over real servers that what it rests on is a surface which the method reads.

    tests/mcpbundles_surfaces.py CAPDEX FOLDER

FOLDER holds one folder a package with its archive, as `npm pack` and `pip download` leave it. Each archive is scanned. The method reads
names, descriptions, schemas, annotations and titles of tools, names and descriptions of prompts and resources, and instructions; and three of
its rules read where the server is launched from. So each deduction of a server must rest on one of:

- a label over all tools, of a server that has a tool;
- a finding with a pointer into a recorded list, in a file in which a surface stands;
- a finding in a file in which a surface stands, whose quote the text between that surface's line and the next one's has, or which names a tool;
- for SAFE-T1103, SAFE-T1201, SAFE-T1405: a finding in the file that launches the server, or in a manifest.

Prints every deduction that none of these proves, and the counts. Ends with 1 where there is any. Needs only the standard library."""

import collections
import glob
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile

LAUNCH = {"SAFE-T1103", "SAFE-T1201", "SAFE-T1405"}


def texts(archive):
    """A reader of the archive's files by path; npm's archives have one folder around them."""
    if archive.endswith((".tgz", ".tar.gz")):
        whole = tarfile.open(archive)
        members = {name.name.split("/", 1)[-1]: name for name in whole if name.isfile()}
        return lambda path: whole.extractfile(members[path]).read().decode("utf-8", "replace") if path in members else ""
    whole = zipfile.ZipFile(archive)
    names = set(whole.namelist())
    return lambda path: whole.read(path).decode("utf-8", "replace") if path in names else ""


def plain(text):
    """Letters and digits alone, since quotes are escaped, masked and joined from several literals."""
    return re.sub(r"\\[nrt]|[^a-zA-Z0-9]+", "", text).lower()


def stretch(read, file, line, surfaces):
    """The text from the surface before a line to the surface after it."""
    lines = read(file).splitlines()
    at = sorted({surface["line"] for surface in surfaces if surface["file"] == file})
    first = max([one for one in at if one <= line], default=None)
    if first is None:
        return ""
    after = [one for one in at if one > line]
    return "\n".join(lines[first - 1 : after[0] - 1 if after else len(lines)])


def proof(finding, code, row, read):
    surfaces = row["surfaces"]
    if code in LAUNCH:
        return "launch"
    if not any(surface["file"] == finding["file"] for surface in surfaces):
        return None
    if finding["pointer"]:
        return "pointer"
    names = [surface["name"] for surface in surfaces if surface["file"] == finding["file"]]
    quote = plain(finding["evidence"])
    # A name that is put together at run time is written with `…` in it.
    if any(name and (name in finding["evidence"] or (plain(name) and plain(name) in quote)) for name in names):
        return "names a surface"
    around = plain(stretch(read, finding["file"], finding["line"], surfaces))
    return "quote" if quote[:40] and quote[:40] in around else None


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    capdex, folder = sys.argv[1:]
    counts, servers, unproven = collections.Counter(), 0, 0
    for archive in sorted(glob.glob(os.path.join(folder, "*", "*"))):
        run = subprocess.run([capdex, "scan", archive, "--format", "jsonl"], capture_output=True, text=True, check=False)
        read = texts(archive)
        for row in map(json.loads, run.stdout.splitlines()):
            score = row["scores"].get("mcpbundles/seed")
            if row["kind"] != "mcp_server" or score is None or score["value"] is None:
                continue
            servers += 1
            for term in score["breakdown"]["terms"]:
                if not term["rules"]:
                    continue
                code, rules = term["label"], set(term["rules"])
                found = [finding for finding in row["findings"] if finding["rule"] in rules]
                if all(rule.startswith("capability-") for rule in rules):
                    how = "label" if any(surface["kind"] == "tool" for surface in row["surfaces"]) else None
                else:
                    hows = [proof(finding, code, row, read) for finding in found]
                    how = next(filter(None, hows), None)
                counts[how or "unproven"] += 1
                if how is None:
                    unproven += 1
                    quotes = [(finding["file"], finding["line"], finding["evidence"][:100]) for finding in found[:3]]
                    print(f"{os.path.basename(os.path.dirname(archive))}: {code} {sorted(rules)} {quotes}")
    shown = ", ".join(f"{count} by {how}" for how, count in counts.most_common())
    print(f"{servers} servers with a value; deductions: {shown or 'none'}; {unproven} without a surface")
    sys.exit(unproven > 0 or servers == 0)


if __name__ == "__main__":
    main()
