#!/usr/bin/env python3
"""nights.py CAPDEX [--packages N] [--changed SHARE] [--seed S] [--tree DIR] [--site] [--figures FILE]: what nights over a generated registry cost.

Makes a npm registry of N packages as files, serves them with nginx on loopback, and runs three nights: the first, one in which
nothing changed, one in which a share of all packages has a new version. Prints for each stage the wall time, the time of the
processor (user and system), the most memory, the bytes written, and for each night the bytes of store and dataset and how many
of the dataset's lie in files that were written anew. With --site it writes the site after each night as well, and counts the files
that differ from the night before.

Each package holds the files of one labelled skill of CAPDEX_DATA (skills-train), some of its paragraphs changed for those of
another, so that few packages are copies. The same seed gives the same registry. The text is data: nothing of it is run.

nginx is found in CAPDEX_NGINX or on the path. With --tree the registry is kept there and used again."""

import argparse
import base64
import collections
import gzip
import hashlib
import io
import json
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import time

# Larger cases are few, and each would be repeated dozens of times: they would say more of themselves than of nights.
CASE_BYTES = 64 << 10
# Of so many packages one is a plain copy of a labelled skill under another name.
COPIES = 20
# How often the figures of the running program are read.
EVERY_S = 0.05
TICKS = os.sysconf("SC_CLK_TCK")
NIGHTS = [("first", "2026-10-10T00:00:00Z"), ("unchanged", "2026-10-11T00:00:00Z"), ("changed", "2026-10-12T00:00:00Z")]
THEMES = "calendar postgres invoice ticket translate map chart note form recipe changelog terraform photo mail budget".split()
DOES = "sync review export import plan lint search draft watch merge audit convert outline label sort".split()


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="capdex-nights-") as folder:
        work = pathlib.Path(folder)
        tree = options.tree or work / "tree"
        registry = Registry(options, tree)
        registry.make()
        server = serve(work, tree, registry.port)
        try:
            report = run(options, registry, work)
        finally:
            server.terminate()
            server.wait()
    if options.json:
        options.json.write_text(json.dumps(report, indent=1) + "\n")
    if options.figures:
        known = json.loads(options.figures.read_text()) if options.figures.exists() else []
        kept = [one for one in known if one["packages"] != options.packages]
        figures = sorted([*kept, report], key=lambda one: one["packages"])
        options.figures.write_text(json.dumps(figures, indent=1) + "\n")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("capdex", type=pathlib.Path, help="the binary to measure")
    parser.add_argument("--packages", type=int, default=2000)
    parser.add_argument("--changed", type=float, default=0.01, help="share of the packages that the last night finds changed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tree", type=pathlib.Path, help="where the registry is kept, to be used again")
    parser.add_argument("--store", type=pathlib.Path, help="a new folder where store and dataset are kept")
    parser.add_argument("--json", type=pathlib.Path, help="where the figures go")
    parser.add_argument("--figures", type=pathlib.Path, help="the file of the page of scale, in which the figures of this size are replaced")
    parser.add_argument("--perf", type=pathlib.Path, help="a folder for one recording of perf a night")
    parser.add_argument("--site", action="store_true", help="write the site after each night, and count its files that changed")
    options = parser.parse_args()
    if options.site and options.figures:
        parser.error("the page of scale has no figures of sites: give --site or --figures")
    options.capdex = options.capdex.resolve()
    if options.tree:
        options.tree = options.tree.resolve()
    return options


class Registry:
    """The packages as files: `index/NAME` holds what is said of a package, `files/` the archives."""

    def __init__(self, options, tree):
        self.options, self.tree = options, tree
        step = max(1, round(1 / options.changed)) if options.changed else 0
        self.changing = range(0, options.packages, step) if step else []

    def name(self, at):
        return f"{DOES[at % len(DOES)]}-{THEMES[at // len(DOES) % len(THEMES)]}-{at:06}"

    def text_bytes(self):
        """The bytes of all files of the first versions, before they are packed: of a sample of them, taken times all."""
        sample = range(0, self.options.packages, max(1, self.options.packages // 500))
        size = 0
        for at in sample:
            with tarfile.open(self.tree / "files" / f"{self.name(at)}-1.0.0.tgz") as tar:
                size += sum(entry.size for entry in tar)
        return round(size / len(sample) * self.options.packages)

    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def names(self):
        return [self.name(at) for at in range(self.options.packages)]

    def make(self):
        """Writes what is not there yet, and takes back what the last night of an earlier run published."""
        stamp = self.tree / "made.json"
        said = {"packages": self.options.packages, "seed": self.options.seed, "changed": self.options.changed}
        if stamp.exists():
            known = json.loads(stamp.read_text())
            # What the registry says of a package holds its own address.
            self.port = known.pop("port")
            if known != said:
                sys.exit(f"{self.tree} holds another registry: name a new folder")
            self.publish(self.changing, 1)
            return
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        data = os.environ.get("CAPDEX_DATA") or sys.exit("CAPDEX_DATA names no folder of data")
        self.cases = cases(pathlib.Path(data) / "labelled" / "skills-train.jsonl.gz")
        for folder in ("index", "files"):
            (self.tree / folder).mkdir(parents=True, exist_ok=True)
        begun = time.monotonic()
        self.publish(range(self.options.packages), 1)
        self.publish(self.changing, 2, listed=False)
        stamp.write_text(json.dumps({**said, "port": self.port}))
        print(f"{self.options.packages} packages made in {time.monotonic() - begun:.0f} s", flush=True)

    def publish(self, numbers, versions, listed=True):
        """Lists so many versions of some packages; their archives are made where they are missing."""
        for at in numbers:
            name, releases = self.name(at), {}
            for number in range(versions):
                version = f"1.0.{number}"
                path = self.tree / "files" / f"{name}-{version}.tgz"
                if not path.exists():
                    path.write_bytes(archive(name, version, self.files(at, number)))
                releases[version] = path.read_bytes()
            if listed:
                (self.tree / "index" / name).write_text(json.dumps(said_of(name, at, releases, self.url())))

    def files(self, at, number):
        """The files of a version of a package."""
        rng = random.Random(f"{self.options.seed}:{at}")
        case, other = rng.choice(self.cases), rng.choice(self.cases)
        files = dict(case)
        if rng.randrange(COPIES):
            files["SKILL.md"] = mixed(rng, case["SKILL.md"], other["SKILL.md"])
        if number:
            files["SKILL.md"] += f"\n\n## Release {number}\n\nReads one more file: notes-{at}.md.\n"
        return files


def cases(path):
    """The files of every labelled skill of ordinary size."""
    with gzip.open(path, "rt") as lines:
        found = [json.loads(line)["files"] for line in lines]
    return [files for files in found if sum(map(len, files.values())) <= CASE_BYTES]


def mixed(rng, text, other):
    """A text with the third part of its paragraphs changed for some of another, below the head that says what it is."""
    head, body = re.match(r"(---\n.*?\n---\n)?(.*)", text, re.S).groups()
    others = other.split("\n\n")[1:] or [other]
    paragraphs = [rng.choice(others) if rng.randrange(3) == 0 else paragraph for paragraph in body.split("\n\n")]
    return (head or "") + "\n\n".join(paragraphs)


def archive(name, version, files):
    """A package as npm packs it."""
    manifest = {"name": name, "version": version, "description": f"A skill for {name}", "license": "MIT", "keywords": ["agent-skill"]}
    files = {"package.json": json.dumps(manifest), **files}
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1, mtime=0) as zipped:
        with tarfile.open(fileobj=zipped, mode="w") as tar:
            for path, text in sorted(files.items()):
                content = text.encode()
                entry = tarfile.TarInfo(f"package/{path}")
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def said_of(name, at, releases, url):
    """What the registry at an address says of a package."""
    def release(version, bytes_):
        integrity = "sha512-" + base64.b64encode(hashlib.sha512(bytes_).digest()).decode()
        dist = {"tarball": f"{url}/{name}/-/{name}-{version}.tgz", "integrity": integrity, "shasum": hashlib.sha1(bytes_).hexdigest()}
        return {"name": name, "version": version, "license": "MIT", "keywords": ["agent-skill"], "dist": dist}
    owner = {"name": f"publisher-{at // 5}", "email": f"publisher-{at // 5}@registry.test"}
    day = lambda number: f"2026-{at % 8 + 1:02}-{(at + number) % 28 + 1:02}T00:00:00.000Z"
    times = {version: day(number) for number, version in enumerate(releases)}
    return {
        "_id": name, "name": name, "description": f"A skill for {name}", "license": "MIT", "keywords": ["agent-skill"],
        "dist-tags": {"latest": list(releases)[-1]}, "maintainers": [owner],
        "versions": {version: release(version, bytes_) for version, bytes_ in releases.items()},
        "time": {"created": day(0), "modified": times[list(releases)[-1]], **times},
    }


def serve(work, tree, port):
    """nginx over the tree."""
    command = os.environ.get("CAPDEX_NGINX") or shutil.which("nginx") or sys.exit("there is no nginx: CAPDEX_NGINX names it")
    temporary = "".join(f"{kind}_temp_path {kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (work / "nginx.conf").write_text(f"""daemon off;
master_process off;
pid nginx.pid;
events {{ worker_connections 512; }}
http {{
{temporary}log_format short '$status $request_uri';
access_log access.log short buffer=64k;
keepalive_requests 1000000;
server {{
  listen 127.0.0.1:{port};
  root {tree};
  location ~ ^/[^/]+/-/(.+)$ {{ default_type application/octet-stream; alias {tree}/files/$1; }}
  location ~ ^/([^/]+)$ {{
    default_type application/json;
    alias {tree}/index/$1;
  }}
}}
}}
""")
    server = subprocess.Popen([command, "-p", str(work), "-e", "stderr", "-c", "nginx.conf"], stderr=subprocess.DEVNULL)
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return server
        except OSError:
            time.sleep(0.1)
    server.terminate()
    sys.exit(f"nginx does not listen at port {port}")


def run(options, registry, work):
    """The three nights, and what each cost."""
    folder = options.store or work / "night"
    folder.mkdir(parents=True)
    names = json.dumps(registry.names())
    (folder / "schedule.toml").write_text(
        f'name = "nights"\n[http]\nrequests_per_second = 100000\n[sources.npm]\nbase_url = "{registry.url()}"\npackages = {names}\n')
    report = {"packages": options.packages, "changed": options.changed, "seed": options.seed, "day": time.strftime("%Y-%m-%d"),
              "text_bytes": registry.text_bytes(), "nights": []}
    before = {}
    for night, as_of in NIGHTS:
        if night == "changed":
            registry.publish(registry.changing, 2)
        cost = watched(options, folder, night, ["nightly", "--config", "schedule.toml", "--out", "out", "--quiet", "--as-of", as_of])
        after = {path.name: (path.stat().st_size, path.stat().st_ino) for path in (folder / "out").iterdir()}
        cost["store_bytes"] = sum(path.stat().st_size for path in folder.glob("capdex.db*"))
        cost["dataset_bytes"] = sum(size for size, _ in after.values())
        cost["dataset_bytes_new"] = sum(about[0] for name, about in after.items() if before.get(name) != about)
        before = after
        report["nights"].append({"night": night, **cost})
        show(night, cost)
        if options.site:
            report["nights"][-1]["site"] = site(options, folder, night, as_of)
    return report


def site(options, folder, night, as_of):
    """Writes the site, and tells which of its files were written anew: a file that is left alone keeps its instant."""
    files = lambda: {path.relative_to(folder / "site"): path.stat() for path in (folder / "site").rglob("*") if path.is_file()}
    before, begun = {path: about.st_mtime_ns for path, about in files().items()}, time.monotonic()
    subprocess.run([options.capdex, "report", "site", "--quiet", "--as-of", as_of], cwd=folder, stdout=subprocess.DEVNULL, check=True)
    seconds, after = round(time.monotonic() - begun, 2), files()
    changed = {path: about.st_size for path, about in after.items() if before.get(path) != about.st_mtime_ns}
    gone, kinds = len(before.keys() - after.keys()), collections.Counter(path.parts[0] for path in changed if path.suffix == ".html")
    told = {"wall_s": seconds, "files": len(after), "bytes": sum(about.st_size for about in after.values()), "files_gone": gone,
            "files_changed": len(changed), "pages_changed": sum(kinds.values()), "bytes_changed": sum(changed.values())}
    print(f"  site: {told}")
    if night != "first":
        # Parts of a list count as the list.
        lists = collections.Counter(re.sub(r"-\d+(?=\.html$)", "", name) for name in kinds.elements())
        print(f"  pages that changed, by folder or list: {dict(lists.most_common(12))}", flush=True)
    return told


def watched(options, folder, night, words):
    """Runs the program and reads what it uses all the while; its own ledger says when which stage was at work."""
    command = [options.capdex, *words]
    if options.perf:
        command = ["perf", "record", "-g", "-F", "199", "-o", options.perf / f"{night}.perf", *command]
    begun, samples = time.time(), []
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    while True:
        # What has ended and was not waited for still says what it used.
        ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        samples.append(sample(process.pid, samples))
        if ended:
            break
        time.sleep(EVERY_S)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    # 3: something has a gap, which a generated skill may have.
    if process.returncode not in (0, 3):
        sys.exit(f"the {night} night ended with {process.returncode}")
    told = json.loads(subprocess.run([options.capdex, "status", "--format", "json"], cwd=folder, capture_output=True, check=True).stdout)
    summary = told["runs"][0]["summary"]
    whole = {"wall_s": round(samples[-1]["at"] - begun, 2), "user_s": round(used.ru_utime, 2), "system_s": round(used.ru_stime, 2),
             "peak_mib": used.ru_maxrss >> 10, "written_bytes": samples[-1]["written"]}
    return {**whole, "gaps": summary["open_gaps"], "stages": stages(summary["stages"], samples)}


def sample(pid, samples):
    """What a process used so far; the last figures again where the system tells none any more."""
    last = samples[-1] if samples else {"user": 0, "system": 0, "rss": 0, "written": 0}
    read = lambda name: pathlib.Path(f"/proc/{pid}/{name}").read_text()
    found = {"at": time.time()}
    fields = read("stat").rsplit(")", 1)[1].split()
    found["user"], found["system"] = int(fields[11]) / TICKS, int(fields[12]) / TICKS
    rss = re.search(r"VmRSS:\s*(\d+)", read("status"))
    found["rss"] = int(rss.group(1)) if rss else last["rss"]
    try:
        found["written"] = int(re.search(r"wchar: (\d+)", read("io")).group(1))
    except OSError:
        found["written"] = last["written"]
    return {**last, **found}


def stages(told, samples):
    """The use of each stage. The ledger has beginnings to the second and lengths to the thousandth; stages follow one another."""
    instant = lambda text: time.mktime(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ")) - time.timezone
    passed, starts = 0, []
    for stage in told:
        starts.append(instant(stage["began"]) - passed)
        passed += stage["seconds"]
    at, found = max(starts), collections.OrderedDict()
    for stage in told:
        window = [one for one in samples if at <= one["at"] <= at + stage["seconds"]]
        before = [one for one in samples if one["at"] < at] or samples[:1]
        at += stage["seconds"]
        kept = found.setdefault(stage["stage"], {"wall_s": 0, "user_s": 0, "system_s": 0, "peak_mib": 0, "written_bytes": 0})
        kept["wall_s"] = round(kept["wall_s"] + stage["seconds"], 3)
        if window:
            first, last = before[-1], window[-1]
            kept["user_s"] = round(kept["user_s"] + last["user"] - first["user"], 2)
            kept["system_s"] = round(kept["system_s"] + last["system"] - first["system"], 2)
            kept["peak_mib"] = max(kept["peak_mib"], max(one["rss"] for one in window) >> 10)
            kept["written_bytes"] += last["written"] - first["written"]
    return found


def show(night, cost):
    print(f"\n{night} night: store {cost['store_bytes'] / 1e6:.1f} MB, dataset {cost['dataset_bytes'] / 1e6:.1f} MB, "
          f"of which {cost['dataset_bytes_new'] / 1e6:.1f} MB in files written anew; {cost['gaps']} gaps")
    print(f"  {'stage':10}{'wall s':>10}{'CPU s':>10}{'user':>10}{'system':>10}{'MiB':>8}{'MB written':>12}")
    for name, use in [*cost["stages"].items(), ("all", cost)]:
        print(f"  {name:10}{use['wall_s']:10.2f}{use['user_s'] + use['system_s']:10.2f}{use['user_s']:10.2f}{use['system_s']:10.2f}"
              f"{use['peak_mib']:8}{use['written_bytes'] / 1e6:12.1f}", flush=True)


if __name__ == "__main__":
    main()
