#!/usr/bin/env python3
"""real_nights.py CAPDEX [NAMES] [--cache DIR] [--versions N] [--packages DIR] [--popular FILE]: real npm packages as recorded nights,
one release each a night.

NAMES is a file with one package name a line (default: real_nights.txt beside this script). The last N (five) whole versions of each are fetched once with npm (nothing is
installed or run) into DIR (default: target/real-nights), then handed out by a registry on loopback: the first night has the
oldest of each, every later one the next. Prints each alert at medium or above with its evidence, and how many releases there were.
With --packages the archives of DIR (npm_*/*.tgz, as tests/run fetches them) are one night instead, and with --popular their names
are compared with those of a list of popular names.
Nothing in it is known to be an attack: an alert is a false one unless a reader defends it.
Exit status 1 where there are more than one alert."""
import argparse, base64, glob, hashlib, http.server, json, os, re, subprocess, tarfile, tempfile, threading
from urllib.parse import unquote


def npm(*words, cwd='.'):
    return subprocess.run(['npm', *words], cwd=cwd, capture_output=True, text=True)


def versions(name, cache, count):
    """The last whole versions, oldest first, each with its archive and the instant of its publication."""
    known = os.path.join(cache, 'versions.json')
    if not os.path.exists(known):
        found = json.loads(npm('view', name, 'time', '--json').stdout or '{}')
        whole = sorted((at, version) for version, at in found.items() if re.fullmatch(r'\d+\.\d+\.\d+', version))
        json.dump(whole[-count:], open(known, 'w'))
    told = json.load(open(known))
    for _, version in told:
        folder = os.path.join(cache, version)
        os.makedirs(folder, exist_ok=True)
        if not glob.glob(folder + '/*.tgz'):
            npm('pack', '--silent', '--ignore-scripts', f'{name}@{version}', cwd=folder)
    fetched = [(at, version, glob.glob(os.path.join(cache, version, '*.tgz'))) for at, version in told]
    return [(at, version, open(paths[0], 'rb').read()) for at, version, paths in fetched if paths]


def manifest(archive):
    """What the archive says of itself."""
    with tempfile.TemporaryFile() as file:
        file.write(archive); file.seek(0)
        with tarfile.open(fileobj=file) as tar:
            member = next(m for m in tar if m.name.count('/') == 1 and m.name.endswith('/package.json'))
            return json.load(tar.extractfile(member))


class Registry(http.server.BaseHTTPRequestHandler):
    """Hands out what is published so far."""
    packages, night = {}, 0

    def do_GET(self):
        path = unquote(self.path.split('?')[0]).strip('/')
        base = f'http://127.0.0.1:{self.server.server_port}'
        name, _, file = path.partition('/-/')
        released = self.packages.get(name, [])[:self.night + 1]
        body = None
        if file:
            body = next((archive for _, version, archive in released if file == f'{version}.tgz'), None)
        elif released:
            listed = {}
            for _, version, archive in released:
                integrity = 'sha512-' + base64.b64encode(hashlib.sha512(archive).digest()).decode()
                dist = {'tarball': f'{base}/{name}/-/{version}.tgz', 'integrity': integrity, 'shasum': hashlib.sha1(archive).hexdigest()}
                listed[version] = {**manifest(archive), 'name': name, 'version': version, 'dist': dist}
            times = {version: at for at, version, _ in released}
            body = json.dumps({'name': name, 'dist-tags': {'latest': released[-1][1]}, 'versions': listed, 'maintainers': [{'name': 'same'}],
                               'time': {'created': released[0][0], 'modified': released[-1][0], **times}}).encode()
        self.send_response(200 if body is not None else 404)
        self.send_header('content-length', str(len(body or b'')))
        self.end_headers()
        self.wfile.write(body or b'')

    def log_message(self, *_):
        pass


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'real_nights.txt')
    a.add_argument('capdex'); a.add_argument('names', nargs='?', default=beside); a.add_argument('--cache', default='target/real-nights')
    a.add_argument('--versions', type=int, default=5); a.add_argument('--packages'); a.add_argument('--popular')
    x = a.parse_args()
    names = [line.strip() for line in open(x.names) if line.strip()]
    if x.packages:
        x.versions, names = 1, []
        for path in sorted(glob.glob(os.path.join(x.packages, 'npm_*', '*.tgz'))):
            archive = open(path, 'rb').read()
            told = manifest(archive)
            names.append(told['name'])
            Registry.packages[told['name']] = [('2026-10-01T00:00:00.000Z', told['version'], archive)]
    for name in names if not x.packages else []:
        cache = os.path.join(x.cache, name.replace('/', '+'))
        os.makedirs(cache, exist_ok=True)
        Registry.packages[name] = versions(name, cache, x.versions)
    short = {name: len(of) for name, of in Registry.packages.items() if len(of) < x.versions}
    if short:
        print(f'fewer versions: {short}')
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Registry)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        lines = ['name = "real-nights"', '[sources.npm]', f'base_url = "http://127.0.0.1:{server.server_port}"', f'watchlist = {json.dumps(names)}',
                 'follow = false', 'requests_per_minute = 100000', 'tell_verdicts = false']
        if x.popular:
            lines[1:1] = ['[lookalikes]', f'popular = [{json.dumps(os.path.abspath(x.popular))}]']
        open(os.path.join(folder, 'schedule.toml'), 'w').write('\n'.join(lines) + '\n')
        capdex = os.path.abspath(x.capdex)
        for night in range(x.versions):
            Registry.night = night
            command = [capdex, 'nightly', '--config', 'schedule.toml', '--out', 'out', '--as-of', f'2026-11-{night + 1:02}T01:00:00Z']
            run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            assert run.returncode in (0, 3), run.stdout + run.stderr
        listed = subprocess.run([capdex, 'alerts', 'list', '--all', '--format', 'jsonl'], cwd=folder, capture_output=True, text=True)
        if listed.returncode:
            listed = subprocess.run([capdex, 'alerts', 'list', '--format', 'jsonl'], cwd=folder, capture_output=True, text=True)
        alerts = [json.loads(line) for line in listed.stdout.splitlines()]
        grave = [alert for alert in alerts if alert['severity'] in ('medium', 'high', 'critical')]
    for alert in grave:
        print(alert['severity'], alert['pass'], alert['title'])
        for evidence in alert.get('evidence', []):
            print('   ', json.dumps(evidence))
    print(f'{len(names)} packages, {sum(len(of) - 1 for of in Registry.packages.values() if of)} releases, {len(alerts)} alerts, {len(grave)} at medium or above')
    raise SystemExit(len(grave) > 1)


if __name__ == '__main__':
    main()
