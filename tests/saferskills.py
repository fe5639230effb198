#!/usr/bin/env python3
"""saferskills.py CAPDEX CHECKOUT: SaferSkills' published rule files against capdex, code by code.

CHECKOUT is a clone of SaferSkills' public repository at d420ef4: it is in no registry of packages, so this fetches nothing. Read are the heads of
`rubric/*/*.md` alone: what a rule looks for and where, and its own example of what it is about (`saferPattern`, before and after). Escapes that
Python does not know, which keep ten of the rules from ever running, are repaired, and the count that two rules ask for is heeded.

1. Each example becomes an input of each kind that its rule is for, in a file that the rule reads. The rule's own expression says whether it fires there;
   capdex must say the same under the same code. Where the expression itself fails its own example (silent before, or firing after), what the example
   means is right too. A rule about a file that is missing must fire without any of its files and be silent with each. What capdex reads
   otherwise on purpose is listed below with its reason, printed, and no difference.
2. With CAPDEX_DATA, the expressions for SKILL.md run over the labelled skills (--limit, 500), and each code is counted: found by both, by the rule
   file alone, by capdex alone. capdex looks at who is spoken to and what is quoted, which the rule files do not, so this part only reports.

Ends with 1 where part 1 differs. PyYAML is installed into target/peers; nothing is sent, and no text is run.
"""

import argparse
import collections
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUBRIC = "saferskills/seed"
PARSER = "PyYAML==6.0.2"
BATCH = 250
# What capdex reads otherwise, and why.
ON_PURPOSE = {
    ("SS-RULES-TRANSPARENCY-MANIFEST-01", f"with {folder}/README.md"): "a file there is loaded as a rule, and tells no person what the set does"
    for folder in (".cursor/rules", ".windsurf/rules")
} | {
    ("SS-SKILL-INJECT-HOMOGLYPH-01", "mcp_server", "before, in README.md"): "nothing loads the README of a server: its tools are its text"
}
SKILL = "---\nname: notes\ndescription: Keeps notes. Use when a meeting ends.\n---\n\n# Notes\n\n"
# For each kind of the rule files: ours, files that make one, and where a text of it stands in prose and in code.
KINDS = {
    "skill": ("skill", {"SKILL.md": SKILL + "Read them.\n"}, ["SKILL.md", "scripts/run.py"]),
    "mcp": ("mcp_server", {"server.py": "from mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP('notes')\n\n\n@mcp.tool()\n"
        "def list_notes() -> str:\n    'Lists all notes by their names.'\n    return ''\n"}, ["README.md", "server.py"]),
    "hooks": ("hook", {".claude/settings.json": json.dumps({"hooks": {"SessionStart": [{"hooks": [
        {"type": "command", "command": ".claude/hooks/SessionStart.sh"}]}]}})}, [".claude/hooks/SessionStart.sh", ".claude/hooks/notes.md"]),
    "plugin": ("plugin", {".claude-plugin/plugin.json": '{"name": "notes", "version": "1.0.0"}'}, ["index.py", "README.md"]),
    "rules": ("rules", {".cursorrules": "Use tabs.\n"}, [".cursorrules", ".cursor/rules/notes.md"]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("capdex", type=pathlib.Path)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--limit", type=int, default=500, help="so many labelled skills at most")
    options = parser.parse_args()
    rules = read_rules(options.checkout)
    with tempfile.TemporaryDirectory(prefix="capdex-saferskills-") as folder:
        same = examples(options.capdex, rules, pathlib.Path(folder))
        if os.environ.get("CAPDEX_DATA"):
            over_skills(options.capdex, rules, pathlib.Path(folder), options.limit)
    sys.exit(0 if same else 1)


# The rule files


def read_rules(checkout):
    """The heads of the rule files, by rule id."""
    files = sorted((checkout / "rubric").glob("*/*.md"))
    heads = {}
    for text in (path.read_text() for path in files):
        if text.startswith("---\n") and "\nruleId:" in text:
            heads[text.split("\n---\n")[0]] = None
    if not heads:
        sys.exit(f"{checkout} has no rule files in rubric/")
    read = "import json, sys, yaml; json.dump([yaml.safe_load(text) for text in json.load(sys.stdin)], sys.stdout, default=str)"
    done = subprocess.run([install(), "-c", read], input=json.dumps(list(heads)), capture_output=True, text=True, check=True)
    return {rule["ruleId"]: rule for rule in json.loads(done.stdout)}


def install():
    home = ROOT / "target" / "peers"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PARSER], check=True)
    return python


def compiled(pattern):
    """The expression as it is meant: code points in braces are what other languages write."""
    return re.compile(re.sub(r"\\[uU]\{([0-9A-Fa-f]+)\}", lambda point: f"\\U{int(point[1], 16):08x}", pattern))


def expression(glob):
    """A glob of the rule files: `**/` matches at the root too, and `*` crosses folders."""
    text = re.escape(glob.removeprefix("**/")).replace(r"\*", ".*").replace(r"\?", ".")
    return re.compile((r"(?:.*/)?" if glob.startswith("**/") else "") + text + r"\Z")


def in_scope(trigger, path):
    return any(expression(glob).match(path) for glob in trigger["scope"]["paths"])


def fires(trigger, files):
    """Whether a trigger fires on some files; none where it asks what no file says."""
    match trigger["type"]:
        case "regex_match":
            found = [compiled(trigger["pattern"]).findall(text) for path, text in files.items() if in_scope(trigger, path)]
            return any(len(matches) >= int(trigger.get("requiresCount") or 1) for matches in found)
        case "composite_and_or":
            each = [fires(child, files) for child in trigger["children"]]
            if None in each:
                return None
            return all(each) if trigger["op"] == "and" else any(each)
        case "file_glob_absent":
            return not any(expression(glob).match(path) for glob in trigger["paths"] for path in files)
    return None


# Part 1: their own examples


def examples(capdex, rules, folder):
    """Prints each example that is not told alike; whether all are."""
    asked = []
    for rule, head in rules.items():
        trigger, example = head["trigger"], (head.get("remediation") or {}).get("saferPattern")
        for kind in head["appliesTo"]:
            ours, files, places = KINDS[kind]
            if trigger["type"] == "file_glob_absent":
                asked.append((rule, ours, "without its files", files))
                plain = [glob.replace("**/", "").replace("*", "x") for glob in trigger["paths"]]
                asked += [(rule, ours, f"with {path}", {**files, path: "Text.\n"}) for path in plain]
            elif example:
                for when in ("before", "after"):
                    for place in filter(lambda place: read_by(trigger, place), places):
                        text = (SKILL if place == "SKILL.md" else "") + example[when] + "\n"
                        asked.append((rule, ours, f"{when}, in {place}", {**files, place: text}))
    inputs = []
    for number, (*_, files) in enumerate(asked):
        at = folder / "examples" / str(number)
        for path, text in files.items():
            (at / path).parent.mkdir(parents=True, exist_ok=True)
            (at / path).write_text(text)
        inputs.append(at)
    found, wrong, shown = scanned(capdex, inputs), 0, collections.Counter()
    said = {True: "fires", False: "is silent"}
    for (rule, kind, what, files), at in zip(asked, inputs, strict=True):
        # A file is judged once, with the capability that loads it, else with the package.
        theirs, mine = fires(rules[rule]["trigger"], files), any(rule in codes for codes in found[str(at)].values())
        shown[theirs, mine] += 1
        if theirs == mine:
            continue
        line = f"{rule} for a {kind}, {what}: the rule file {said[theirs]}, capdex {said[mine]}"
        if mine == what.startswith("before") and what.startswith(("before", "after")):
            print(f"{line}: as its example means it")
        elif reason := ON_PURPOSE.get((rule, what)) or ON_PURPOSE.get((rule, kind, what)):
            print(f"{line}: {reason}")
        else:
            wrong += 1
            print(line)
    rules_asked = len({rule for rule, *_ in asked})
    print(f"{len(asked)} inputs from the examples of {rules_asked} of {len(rules)} rule files: {shown[True, True]} fire and "
          f"{shown[False, False]} are silent by both, {shown[True, False] + shown[False, True] - wrong} are told otherwise for a reason, {wrong} differ")
    return not wrong


def read_by(trigger, path):
    """Whether a trigger, or all parts of one, read a file of that path."""
    parts = trigger.get("children") or [trigger]
    return all(part["type"] == "regex_match" and in_scope(part, path) for part in parts)


# Part 2: the labelled skills


def over_skills(capdex, rules, folder, limit):
    """Prints for each expression that reads SKILL.md how many skills have its code by whom."""
    texts = []
    with gzip.open(pathlib.Path(os.environ["CAPDEX_DATA"]) / "labelled/skills.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if "SKILL.md" in row["files"] and len(texts) < limit:
                texts.append(row["files"]["SKILL.md"])
    inputs = []
    for number, text in enumerate(texts):
        at = folder / "skills" / str(number)
        at.mkdir(parents=True)
        (at / "SKILL.md").write_bytes(text.encode("utf-8", "surrogatepass"))
        inputs.append(at)
    found = scanned(capdex, inputs)
    print(f"{len(texts)} labelled skills\n  {'code':36} {'both':>6} {'rule file alone':>16} {'capdex alone':>13}")
    for rule, head in sorted(rules.items()):
        if "skill" not in head["appliesTo"] or not read_by(head["trigger"], "SKILL.md"):
            continue
        counts = collections.Counter(
            (fires(head["trigger"], {"SKILL.md": text}), rule in found[str(at)].get("skill", set()))
            for text, at in zip(texts, inputs, strict=True)
        )
        print(f"  {rule:36} {counts[True, True]:6} {counts[True, False]:16} {counts[False, True]:13}")


# capdex


def scanned(capdex, inputs):
    """By input and kind, the codes that count in the score of a capability of that kind."""
    found = {str(at): collections.defaultdict(set) for at in inputs}
    for begin in range(0, len(inputs), BATCH):
        paths = [str(at) for at in inputs[begin : begin + BATCH]]
        command = [capdex, "scan", "--rubric", RUBRIC, "--format", "jsonl", *paths]
        done = subprocess.run(command, stdout=subprocess.PIPE, env={**os.environ, "NO_COLOR": "1"}, text=True)
        if done.returncode not in (0, 3):
            sys.exit(f"capdex ended with {done.returncode}")
        for row in map(json.loads, done.stdout.splitlines()):
            counted = {rule for term in row["scores"][RUBRIC]["breakdown"]["terms"] for rule in term["rules"]}
            codes = (finding["codes"]["saferskills"] for finding in row["findings"] if finding["rule"] in counted)
            found[row["input"]][row["kind"]].update(*codes)
    return found


if __name__ == "__main__":
    main()
