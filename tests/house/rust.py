"""Reads Rust sources for the counting scripts of this folder: packages, files, modules, and text without comments and literals.

Standard library only. A tokenizer, not a compiler: macros are not expanded and `cfg` is understood for `test` alone.
"""

import argparse
import bisect
import pathlib
import re
import sys
import tomllib

# The repository that the shell stands in, so that a script of one commit can count another; else the script's own.
HERE = pathlib.Path(__file__).resolve().parent
ROOT = next((folder for folder in [pathlib.Path.cwd(), *pathlib.Path.cwd().parents] if (folder / "Cargo.lock").is_file()), HERE.parent.parent)
SKIPPED_FOLDERS = {"target", "node_modules"}
TEST_FILE = re.compile(r"(^|/)(tests?|testing|fixtures?|fake|conformance)(/|\.rs$)|_tests?\.rs$|(^|/)tests?_[^/]*\.rs$|(^|/)benches(/|$)")

# What is no code: a comment, a string, a character.
LEXEME = re.compile(
    r"""(?P<line>//[^\n]*)
      | (?P<block>/\*)
      | (?P<raw>\b(?:b|c)?r(?P<hashes>\#*)"(?:.|\n)*?"(?P=hashes))
      | (?P<string>\b(?:b|c)?"(?:[^"\\]|\\(?:.|\n))*" | "(?:[^"\\]|\\(?:.|\n))*")
      | (?P<char>\bb?'(?:[^'\\\n]|\\(?:u\{[^}]*\}|x..|.))' | '(?:[^'\\\n]|\\(?:u\{[^}]*\}|x..|.))')
    """,
    re.VERBOSE,
)


class Source:
    """One file: its `text`; its `code`, of the same length, with comments and literals blanked; its comments with their offsets."""

    def __init__(self, path):
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.comments = []
        self.code = self._blank_literals()
        self.tests = list(self._test_items())
        self._starts = [0] + [match.end() for match in re.finditer("\n", self.text)]

    def _blank_literals(self):
        out, at = [], 0
        while match := LEXEME.search(self.text, at):
            begin, end = match.span()
            if match["block"]:
                end = self._block_end(begin)
            if match["line"] or match["block"]:
                self.comments.append((begin, self.text[begin:end]))
            out += [self.text[at:begin], re.sub(r"[^\n]", " ", self.text[begin:end])]
            at = end
        return "".join(out) + self.text[at:]

    def _block_end(self, begin):
        depth = 0
        for match in re.compile(r"/\*|\*/").finditer(self.text, begin):
            depth += 1 if match[0] == "/*" else -1
            if depth == 0:
                return match.end()
        return len(self.text)

    def _test_items(self):
        """The spans of items under `#[cfg(test)]` or `#[test]`."""
        end = 0
        for match in re.finditer(r"#\[\s*(?:cfg\s*\(\s*(?:test|all\s*\(\s*test\b)|(?:tokio::)?test\b)", self.code):
            if match.start() < end:
                continue
            end = self.item_end(match.start())
            yield match.start(), end

    def item_end(self, at):
        """The offset behind the item that stands at `at`: behind its block or its semicolon."""
        depth = 0
        for match in re.compile(r"[\[({})\];,]").finditer(self.code, at):
            sign = match[0]
            if sign in "[({":
                depth += 1
            elif sign in "])}":
                depth -= 1
                if depth < 0:
                    return match.start()
                if sign == "}" and depth == 0:
                    return match.end()
            elif depth == 0:
                return match.end()
        return len(self.code)

    def in_tests(self, offset):
        """True for an offset inside test code."""
        return any(begin <= offset < end for begin, end in self.tests)

    def line(self, offset):
        """The number of the line of an offset, from 1."""
        return bisect.bisect_right(self._starts, offset)

    def product(self):
        """The code with the tests blanked."""
        out = self.code
        for begin, end in self.tests:
            out = out[:begin] + re.sub(r"[^\n]", " ", out[begin:end]) + out[end:]
        return out

    def name(self):
        """The path as a person writes it, from the root of the repository."""
        return self.path.relative_to(ROOT).as_posix()


class Package:
    """A package of the workspace: its `name`, `folder` and the roots of its crates that are not tests."""

    def __init__(self, manifest):
        read = tomllib.loads(manifest.read_text(encoding="utf-8"))
        self.folder = manifest.parent
        self.name = read["package"]["name"]
        library = read.get("lib", {}).get("path", "src/lib.rs")
        programs = [entry.get("path") for entry in read.get("bin", [])] or ["src/main.rs"]
        self.roots = [self.folder / path for path in [library, *programs] if path and (self.folder / path).is_file()]


def packages():
    """Every package of the workspace but the fuzz targets, by folder."""
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    members = [path for pattern in workspace["workspace"]["members"] for path in sorted(ROOT.glob(pattern))]
    found = [Package(folder / "Cargo.toml") for folder in [ROOT, *members] if (folder / "Cargo.toml").is_file()]
    return [package for package in found if package.roots and "fuzz" not in package.folder.parts]


def is_test_file(path):
    """True for a file that holds tests or what only tests use, by its path."""
    return bool(TEST_FILE.search(path.relative_to(ROOT).as_posix()))


class Module:
    """A module with a file: `names` is its path below the crate, `children` its modules by name."""

    def __init__(self, source, names):
        self.source = source
        self.names = names
        self.children = {}

    def walk(self):
        """This module and all below it."""
        yield self
        for child in self.children.values():
            yield from child.walk()


MOD = re.compile(r"\bmod\s+(r#)?(?P<name>\w+)\s*;")
PATH_ATTRIBUTE = re.compile(r'#\[\s*path\s*=\s*"([^"]+)"\s*\]')


def modules(root):
    """The tree of modules of a crate, without test modules."""
    return _module(root, (), root.parent)


def _module(path, names, folder):
    module = Module(Source(path), names)
    code = module.source.product()
    for match in MOD.finditer(code):
        name = match["name"]
        file = _module_file(module.source, match.start(), name, folder)
        if file is None or is_test_file(file):
            continue
        below = file.parent if file.name == "mod.rs" else file.parent / file.stem
        module.children[name] = _module(file, (*names, name), below)
    return module


def _module_file(source, at, name, folder):
    line = source.text.rfind("\n\n", 0, at)
    named = [match[1] for match in PATH_ATTRIBUTE.finditer(source.text, max(line, 0), at) if ";" not in source.code[match.end() : at]]
    candidates = [source.path.parent / named[-1]] if named else [folder / f"{name}.rs", folder / name / "mod.rs"]
    return next((file.resolve() for file in candidates if file.is_file()), None)


def product_files():
    """Every source of the workspace that belongs to a crate and holds no tests, with the name of its package, each once."""
    seen = set()
    for package in packages():
        for root in package.roots:
            for module in modules(root).walk():
                if module.source.path not in seen:
                    seen.add(module.source.path)
                    yield package.name, module.source


def arguments(description, listed):
    """The command line that the scripts share."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--list", help=listed, metavar="FOLDER", nargs="?", const="", default=None)
    parser.add_argument("--max", type=float, metavar="N", help="end with 1 where the total is above N")
    return parser


def finish(total, most):
    """Ends with 1 where a total is above what was asked for."""
    if most is not None and total > most:
        print(f"{total:g} is above {most:g}", file=sys.stderr)
        sys.exit(1)
