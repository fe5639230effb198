#!/usr/bin/env python3
"""Compares `spiderrating/oss-0.3.4` with the engine it is named after, spidershield 0.3.4 from PyPI, over real tools and skills.

    cargo build --release
    CAPDEX_DATA=../shared/data tests/differential.py

Each tools list goes through the engine's own tools-json input, beside an empty folder and without an answer of a forge, and through
`capdex scan --rubric spiderrating/oss-0.3.4`. Compared to the printed digit: for each tool the name, six signals, how far it stands
apart, and the score; for each server the five dimensions, the description layer, the overall score and the grade; for each labelled
skill the five dimensions and the layer. It ends with 1 where any of that differs, and says what. Which patterns a skill matches is
shown, because the findings are capdex's own: the verdict classes side by side, each code with how many skills both, the engine alone or
capdex alone find it in, and each skill whose class differs, with the codes that make the difference and the cause of each, which is asked of the
engine: whether its pattern fits the text at all, whether it fits what the engine leaves of the text, and whether the engine passes it over below a
heading about installing. It ends with 1 where a difference has no cause. --differences FILE writes them, one JSON object a line, and --page FILE the
page of the manual; neither quotes a text. The engine is installed into target/peers, runs in a process of its own and sends nothing. Text of tools
and skills is data: neither program runs it.
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
# Where a pattern of the engine fits a skill.
FITS, INSTALLING, LEFT_OUT = "fits", "installing", "left out"
# The slips of the engine by which one fits.
OFFSET, ANY_CASE, JOINER, BEGINNING = "place", "any case", "joiner", "beginning of a word"
CLASSES = ["safe", "suspicious", "malicious"]
# Why a class differs, beside these.
BEYOND, UNEXPLAINED = "beyond the pattern", "unexplained"
CAUSES = {
    LEFT_OUT: "the pattern fits, in what the engine leaves out as documentation (fences behind words of warning, short code spans, bullets "
    "of advice, sections about dangers); capdex reads these and makes them milder where they warn",
    INSTALLING: "the pattern fits below a heading about installing, where the engine passes it over",
    BEYOND: "the pattern fits nowhere in the text: a rule of capdex finds what the code is about in other words",
    OFFSET: "the engine alone has the code: it counts the place in the shortened text and looks for the heading there in the whole one, so "
    "that it finds another heading than the one about installing that stands above",
    ANY_CASE: "the engine alone has the code: its flag for letters of any case makes a persona in capitals of any word",
    JOINER: "the engine alone has the code: the joiner inside an emoji is a hidden letter to it",
    BEGINNING: "the engine alone has the code: a way out is the beginning of a longer word to it",
    UNEXPLAINED: "nobody knows",
}
# Code points that capdex keeps of a tool's name.
NAME_LENGTH = 128


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--capdex", type=pathlib.Path, default=ROOT / "target/release/capdex", help="the binary to compare")
    parser.add_argument("--limit", type=int, help="so many tools lists and skills at most")
    parser.add_argument("--differences", type=pathlib.Path, help="write each skill whose verdict class differs, one JSON object a line")
    parser.add_argument("--page", type=pathlib.Path, help="write the page of the manual about skills whose verdict class differs")
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
    explained = skill_report(inputs, ours, theirs, options)
    sys.exit(0 if report(inputs, ours, theirs) and explained else 1)


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
    from spidershield.agent import skill_scanner
    from spidershield.agent.skill_scanner import get_issue_code, scan_single_skill
    from spidershield.agent.toxic_flow import PUBLIC_SINK_KEYWORDS
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
                fits = {get_issue_code(name) or name: fit for name, fit in fitting(skill_scanner, text)}
                if is_beginning(PUBLIC_SINK_KEYWORDS, text):
                    fits["TS-W009"] = BEGINNING
                print(json.dumps({"description": score_skill_description(text), "security": security, **verdict, "codes": codes, "fits": fits}))
                continue
            report = json.loads(run_scan_report(empty, tools_json=path).model_dump_json())
            score = convert(report, "local", "local", github_meta=dict(unanswered))["score"]
            print(json.dumps({"tools": report["tool_scores"], **score}))


def fitting(scanner, text):
    """Each pattern that fits a text, with where it does: in what is left of the text, below a heading about installing, or in what is left out."""
    left = scanner._strip_documentation_context(text)
    for name, pattern, _, _ in scanner.MALICIOUS_PATTERNS:
        looked_at = left if name in scanner._CONTEXT_SENSITIVE_PATTERNS else text
        found = re.search(pattern, looked_at, re.IGNORECASE)
        if found and name in scanner._INSTALL_SECTION_PATTERNS and scanner._is_in_install_section(text, found.start()):
            yield name, INSTALLING
        elif found:
            yield name, slip(scanner, name, (text, looked_at), found) or FITS
        elif re.search(pattern, text, re.IGNORECASE):
            yield name, LEFT_OUT


def slip(scanner, name, texts, found):
    """The slip of the engine by which a pattern fits; none where it fits as it is meant."""
    text, left = texts
    if name in scanner._INSTALL_SECTION_PATTERNS:
        # The place was counted in what is left of the text, and the heading above it is looked for in the whole.
        written = re.search(re.escape(found[0]), text)
        return OFFSET if written and scanner._is_in_install_section(text, written.start()) else None
    if name == "prompt_injection_ignore":
        persona = re.fullmatch(r"you\s+are\s+now\s+([a-z\d]+)", found[0], re.IGNORECASE)
        return ANY_CASE if persona and not persona[1].isupper() else None
    hidden = list(re.finditer(r"[\u200b-\u200d\u2060\ufeff]", left)) if name == "ascii_smuggling" else []
    # Pictures stand above the letters, marks of variants too.
    is_emoji = hidden and all(one[0] == "\u200d" and one.start() > 0 and ord(left[one.start() - 1]) > 0x2000 for one in hidden)
    return JOINER if is_emoji else None


def is_beginning(sinks, text):
    """Whether all ways out of a text are words that only begin like one: `to` in a longer word."""
    found = [match for pattern, _ in sinks for match in re.finditer(pattern, text, re.IGNORECASE)]
    return bool(found) and all(text[one.end() : one.end() + 1].isalpha() and one[0].lower().endswith("to") for one in found)


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
                    rules = collections.defaultdict(set)
                    for finding in row["findings"]:
                        for code in finding["codes"]["spiderrating"]:
                            rules[code].add(finding["rule"])
                    rules = {code: sorted(of_code) for code, of_code in rules.items()}
                    scores[row["input"]] = {**row["scores"][RUBRIC], "codes": sorted(rules), "rules": rules}
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


def deciding(codes):
    """The codes that make the class of some codes."""
    named = [code for code in codes if not code.startswith(("TS-C", "TS-P"))]
    return [code for code in named if code.startswith("TS-E")] or named


def difference(case, mine, other):
    """Why the classes of a skill differ: the codes that the stricter one alone has, each with its cause."""
    left, right = class_of(mine["codes"]), other["verdict"]
    by_capdex = CLASSES.index(left) > CLASSES.index(right)
    stricter, milder = (mine, other) if by_capdex else (other, mine)
    causes = {}
    for code in deciding(stricter["codes"]):
        if code not in milder["codes"]:
            causes[code] = cause(code, mine, other, by_capdex)
    return {"case": case, "capdex": left, "engine": right, "causes": causes, "rules": {code: mine["rules"].get(code, []) for code in causes}}


def cause(code, mine, other, by_capdex):
    """Why one of both alone has a code."""
    fit = other["fits"].get(code)
    if not by_capdex:
        return fit if fit in (OFFSET, ANY_CASE, JOINER, BEGINNING) else UNEXPLAINED
    if fit in (LEFT_OUT, INSTALLING):
        return fit
    return BEYOND if mine["rules"].get(code) else UNEXPLAINED


def skill_report(inputs, ours, theirs, options):
    """Prints the verdict classes side by side, each code, and the skills that differ with their causes; whether each has one."""
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
            unequal.append(difference(case, mine, other))
    total, equal = sum(classes.values()), sum(count for (left, right), count in classes.items() if left == right)
    print(f"skills: {equal} of {total} have one verdict class by both")
    for (left, right), count in sorted(classes.items()):
        print(f"  capdex {left:10} engine {right:10} {count:6}")
    print("  code                       both  engine alone  capdex alone")
    for code, where in sorted(codes.items()):
        print(f"  {code:24} {where['both']:6} {where['engine']:13} {where['capdex']:13}")
    for one in unequal:
        print(f"  {one['case']}: capdex {one['capdex']}, engine {one['engine']}: {causes_of(one)}")
    if options.differences:
        options.differences.write_text("".join(json.dumps(one) + "\n" for one in unequal))
    if options.page:
        options.page.write_text(page(total, equal, classes, codes, unequal))
    return all(one["causes"] and UNEXPLAINED not in one["causes"].values() for one in unequal)


def causes_of(one):
    return "; ".join(f"{code} {cause}" for code, cause in sorted(one["causes"].items())) or UNEXPLAINED


def page(total, equal, classes, codes, unequal):
    """The page of the manual. Names cases and codes; no text of a skill stands in it."""
    lines = [
        "# Skills: SpiderRating's engine and capdex",
        "",
        f"Written by `tests/differential.py --page`. {ENGINE[0]} {ENGINE[1]}, the engine that `{RUBRIC}` is named after, and capdex over {total} labelled",
        f"skills: {equal} have one verdict class by both, {total - equal} have not. Each of these is listed below with the codes that make the difference.",
        "Names are those of the cases; no text of a skill stands here.",
        "",
        "## Classes",
        "",
        "| capdex | engine | skills |",
        "|---|---|---|",
        *(f"| {left} | {right} | {count} |" for (left, right), count in sorted(classes.items())),
        "",
        "## Causes",
        "",
        "| cause | what it is | skills |",
        "|---|---|---|",
    ]
    counted = collections.Counter(cause for one in unequal for cause in set(one["causes"].values()))
    lines += [f"| {cause} | {CAUSES[cause]} | {count} |" for cause, count in counted.most_common()]
    lines += ["", "## Codes", "", "In how many skills each code is found; a code that differs makes no other class where another one stands beside it.", ""]
    lines += ["| code | both | engine alone | capdex alone |", "|---|---|---|---|"]
    lines += [f"| {code} | {where['both']} | {where['engine']} | {where['capdex']} |" for code, where in sorted(codes.items())]
    lines += ["", "## Skills", "", "| case | capdex | engine | codes with their causes | rules of capdex |", "|---|---|---|---|---|"]
    for one in sorted(unequal, key=lambda one: (one["capdex"], one["engine"], one["case"])):
        rules = sorted({rule for rules in one["rules"].values() for rule in rules})
        lines.append(f"| {one['case']} | {one['capdex']} | {one['engine']} | {causes_of(one)} | {', '.join(rules) or '–'} |")
    return "\n".join(lines) + "\n"


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
