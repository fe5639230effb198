#!/usr/bin/env python3
"""Compares `spiderrating/oss-0.3.4` with the engine it is named after, spidershield 0.3.4 from PyPI, over real tools and skills.

    cargo build --release
    CAPDEX_DATA=../shared/data tests/differential.py

Each tools list goes through the engine's own tools-json input, beside an empty folder and without an answer of a forge, and through
`capdex scan --rubric spiderrating/oss-0.3.4`. Compared to the printed digit: for each tool the name, six signals, how far it stands
apart, and the score; for each server the five dimensions, the description layer, the overall score and the grade; for each labelled
skill the five dimensions and the layer. It ends with 1 where any of that differs, and says what. Which patterns a skill matches is
shown and ends with 0, because the findings are capdex's own: the verdict classes side by side, each code with how many skills both,
the engine alone or capdex alone find it in, and with --differences FILE every skill whose class differs, with the codes of both. The engine is installed into target/peers, runs in a process of its own and
sends nothing. Text of tools and skills is data: neither program runs it.
"""

import argparse
import collections
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENGINE = ("spidershield", "0.3.4")
RUBRIC = "spiderrating/oss-0.3.4"
DIMENSIONS = ["intent_clarity", "permission_scope", "side_effects", "capability_disclosure", "operational_boundaries"]
SIGNALS = {
    "verb": "has_action_verb",
    "scenario": "has_scenario_trigger",
    "parameters": "has_param_docs",
    "returns": "has_return_docs",
    "examples": "has_param_examples",
    "errors": "has_error_guidance",
}
# A scan takes many inputs, and a command line only so many.
BATCH = 500
SHOWN = 20
# What may differ, because it rests on findings of capdex's own.
OWN_FINDINGS = "security (own findings)"
# Code points that capdex keeps of a tool's name.
NAME_LENGTH = 128


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--capdex", type=pathlib.Path, default=ROOT / "target/release/capdex", help="the binary to compare")
    parser.add_argument("--limit", type=int, help="so many tools lists and skills at most")
    parser.add_argument("--differences", type=pathlib.Path, help="write each skill whose verdict class differs, one JSON object a line")
    parser.add_argument("--engine", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.engine:
        return engine()
    data = pathlib.Path(os.environ.get("CAPDEX_DATA") or "")
    if not os.environ.get("CAPDEX_DATA"):
        return print("skipped: no CAPDEX_DATA")
    if not options.capdex.is_file():
        sys.exit(f"{options.capdex} is missing: run `cargo build --release` first")
    servers = list(tools_lists(data))[: options.limit]
    skills = list(skill_texts(data))[: options.limit]
    with tempfile.TemporaryDirectory(prefix="capdex-differential-") as folder:
        inputs = unpack(pathlib.Path(folder), servers, skills)
        theirs = run_engine(install(), inputs)
        ours = run_capdex(options.capdex, inputs)
    skill_report(inputs, ours, theirs, options.differences)
    sys.exit(0 if report(inputs, ours, theirs) else 1)


# What is compared


def lines_of(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def tools_lists(data):
    """Every tools list of the shared data, as (where it is from, what it lists)."""
    for row in lines_of(data / "labelled/mcp-tools.jsonl.gz"):
        yield "labelled", row["doc"].get("tools")
    for row in lines_of(data / "livemcpbench/tools-2025-08-18.jsonl.gz"):
        for server in row["tools"].values():
            yield "livemcpbench", server.get("tools")
    for row in lines_of(data / "mcpm/servers-2025-06-01.jsonl.gz"):
        yield "mcpm", row.get("tools")
    for path in sorted((data / "metorial").glob("servers-with-tools-*.jsonl.gz")):
        for row in lines_of(path):
            yield "metorial", (row.get("tools") or {}).get("tools")
    for path in sorted((data / "docker-mcp-registry").glob("*.jsonl.gz")):
        for row in lines_of(path):
            yield "docker", row.get("tools")
    for row in lines_of(data / "toolsdk/packages-2025-09-29.jsonl.gz"):
        yield "toolsdk", list((row.get("tools") or {}).values())
    for path in sorted((data / "tools-by-version").glob("*.json")):
        yield "tools-by-version", json.loads(path.read_text()).get("tools")


def skill_texts(data):
    for row in lines_of(data / "labelled/skills.jsonl.gz"):
        texts = [text for name, text in row["files"].items() if name == "SKILL.md"]
        if texts:
            yield row["case"], texts[0]


def plain(tools):
    """Name and description of each tool, every name once: capdex reads a name once, the engine as often as it stands there."""
    kept = {}
    for tool in tools or []:
        if isinstance(tool, dict) and isinstance(tool.get("name"), str) and tool["name"]:
            description = tool.get("description")
            kept.setdefault(tool["name"], {"name": tool["name"], "description": description if isinstance(description, str) else ""})
    return list(kept.values())


def unpack(folder, servers, skills):
    """Writes each input once. Gives [(kind, where it is from, path)]."""
    inputs, seen = [], set()
    for origin, tools in servers:
        text = json.dumps({"tools": plain(tools)}, ensure_ascii=False)
        if text in seen or text == '{"tools": []}':
            continue
        seen.add(text)
        path = folder / "tools" / f"{len(inputs)}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        inputs.append(("server", origin, str(path)))
    for case, text in skills:
        path = folder / "skills" / str(len(inputs)) / "SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        inputs.append(("skill", case, str(path)))
    return inputs


# The engine


def install():
    home = ROOT / "target" / "peers"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    wanted = "==".join(ENGINE)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted], check=True)
    return python


def run_engine(python, inputs):
    """What the engine makes of each input, in their order."""
    # Its scanner asks for semgrep on the path; with the virtual environment alone there is none.
    environment = {"PATH": str(python.parent), "PYTHONHASHSEED": "0", "HOME": str(ROOT / "target" / "peers"), "LANG": "C.UTF-8"}
    done = subprocess.run(
        [python, __file__, "--engine"], input=json.dumps(inputs), stdout=subprocess.PIPE, env=environment, check=True, text=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def engine():
    """Runs inside the virtual environment: reads inputs, prints one result a line."""
    from spidershield.agent.skill_scanner import get_issue_code, scan_single_skill
    from spidershield.scanner.runner import run_scan_report
    from spidershield.spiderrating import convert, score_skill_description, skill_security_from_findings

    # What the engine goes on with when a forge does not answer.
    unanswered = {"stars": 0, "forks": 0, "last_commit": None, "created_at": None, "description": "", "license": None}
    with tempfile.TemporaryDirectory() as empty:
        for kind, _, path in json.load(sys.stdin):
            if kind == "skill":
                text = pathlib.Path(path).read_bytes().decode("utf-8", "ignore")
                found = scan_single_skill(pathlib.Path(path))
                verdict = {"verdict": str(found.verdict.value)}
                security = skill_security_from_findings([], [verdict])
                codes = sorted({get_issue_code(name) or name for name in found.matched_patterns})
                print(json.dumps({"description": score_skill_description(text), "security": security, **verdict, "codes": codes}))
                continue
            report = json.loads(run_scan_report(empty, tools_json=path).model_dump_json())
            score = convert(report, "local", "local", github_meta=dict(unanswered))["score"]
            print(json.dumps({"tools": report["tool_scores"], **score}))


# capdex


def run_capdex(binary, inputs):
    """The score of each input, in their order: {parts by name, tools, value, grade}."""
    scores = {}
    for kind in ("server", "skill"):
        paths = [path if kind == "server" else str(pathlib.Path(path).parent) for one, _, path in inputs if one == kind]
        wanted = "mcp_server" if kind == "server" else "skill"
        for begin in range(0, len(paths), BATCH):
            command = [binary, "scan", "--rubric", RUBRIC, "--format", "jsonl", *paths[begin : begin + BATCH]]
            done = subprocess.run(command, stdout=subprocess.PIPE, env={**os.environ, "NO_COLOR": "1"}, text=True)
            if done.returncode not in (0, 3):
                sys.exit(f"capdex ended with {done.returncode}")
            for line in done.stdout.splitlines():
                row = json.loads(line)
                if row["kind"] == wanted:
                    codes = {code for finding in row["findings"] for code in finding["codes"]["spiderrating"]}
                    scores[row["input"]] = {**row["scores"][RUBRIC], "codes": sorted(codes)}
    return [scores.get(path if kind == "server" else str(pathlib.Path(path).parent)) for kind, _, path in inputs]


# The comparison


def compared(kind, ours, theirs):
    """Pairs of (what, ours, theirs), each to the printed digit."""
    if ours is None:
        yield "capability", None, "is scored"
        return
    parts = {part["name"]: part for part in ours["breakdown"]["parts"]}
    for name in DIMENSIONS:
        yield name, parts[name]["value"], theirs["description"][name]
    yield "description", parts["description"]["value"], theirs["description"]["composite"]
    if kind == "skill":
        yield OWN_FINDINGS, parts["security"]["value"], theirs["security"]["score"]
        return
    tools = {part["note"].rsplit(": ", 1)[0]: part for name, part in parts.items() if name.startswith("tool ")}
    yield "number of tools", len(tools), len(theirs["tools"])
    for other in theirs["tools"]:
        mine = tools.get(other["tool_name"][:NAME_LENGTH], {"value": None, "note": None})
        yield "tool score", mine["value"], other["overall_score"]
        yield "tool signals", mine["note"], said_of(other)
    yield "security", parts["security"]["value"], theirs["security"]["score"]
    yield "metadata", parts["metadata"]["value"], theirs["metadata"]["composite"]
    yield "overall", ours["value"], theirs["overall"]
    yield "grade", ours["grade"], theirs["grade"]


def class_of(codes):
    """The verdict class that a skill's codes come to: of codes alone, as the engine's scanner has it."""
    # Configuration and pins are no patterns of a text.
    patterns = [code for code in codes if not code.startswith(("TS-C", "TS-P"))]
    if any(code.startswith("TS-E") for code in patterns):
        return "malicious"
    return "suspicious" if patterns else "safe"


def skill_report(inputs, ours, theirs, differences):
    """Prints the verdict classes side by side and each code; writes the skills that differ."""
    classes, codes, unequal = collections.Counter(), collections.defaultdict(collections.Counter), []
    for (kind, case, _), mine, other in zip(inputs, ours, theirs, strict=True):
        if kind != "skill" or mine is None:
            continue
        left, right = class_of(mine["codes"]), other["verdict"]
        classes[left, right] += 1
        for code in {*mine["codes"], *other["codes"]}:
            where = (code in mine["codes"], code in other["codes"])
            codes[code][{(True, True): "both", (True, False): "capdex", (False, True): "engine"}[where]] += 1
        if left != right:
            unequal.append({"case": case, "capdex": left, "engine": right, "codes": mine["codes"], "engine_codes": other["codes"]})
    total, equal = sum(classes.values()), sum(count for (left, right), count in classes.items() if left == right)
    print(f"skills: {equal} of {total} have one verdict class by both")
    for (left, right), count in sorted(classes.items()):
        print(f"  capdex {left:10} engine {right:10} {count:6}")
    print("  code                       both  engine alone  capdex alone")
    for code, where in sorted(codes.items()):
        print(f"  {code:24} {where['both']:6} {where['engine']:13} {where['capdex']:13}")
    if differences:
        differences.write_text("".join(json.dumps(one) + "\n" for one in unequal))


def said_of(tool):
    """The note that capdex writes beside a tool, from the engine's fields."""
    has = [name for name, field in SIGNALS.items() if tool[field]]
    apart = f"{tool['disambiguation_score']:.2f}".rstrip("0").rstrip(".")
    return f"{tool['tool_name'][:NAME_LENGTH]}: {', '.join(has) or 'no signal'}; apart {apart}"


def report(inputs, ours, theirs):
    """Prints how much is equal and what is not; whether all is."""
    equal, total, unequal = collections.Counter(), collections.Counter(), []
    for (kind, origin, path), mine, other in zip(inputs, ours, theirs, strict=True):
        for what, left, right in compared(kind, mine, other):
            total[kind, what] += 1
            equal[kind, what] += left == right
            if left != right and what != OWN_FINDINGS:
                unequal.append(f"{kind} {origin} {pathlib.Path(path).name}, {what}: capdex {left!r}, engine {right!r}")
    origins = collections.Counter(origin for kind, origin, _ in inputs if kind == "server")
    print("tools lists: " + ", ".join(f"{count} {origin}" for origin, count in sorted(origins.items())))
    for (kind, what), count in total.items():
        print(f"  {kind:6} {what:24} {equal[kind, what]:6} of {count:6} equal")
    for line in unequal[:SHOWN]:
        print(line)
    if len(unequal) > SHOWN:
        print(f"and {len(unequal) - SHOWN} more differences")
    return not unequal


if __name__ == "__main__":
    main()
