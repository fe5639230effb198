#!/usr/bin/env python3
"""Counts import circles: groups of files of one crate that reach each other by naming each other's items.

    tests/house/circles.py [--list [FOLDER]] [--max N]

An edge leads from a file to the file whose item it names: in `use`, and in paths inside code (`crate::…`, `self::…`, `super::…`, or
by the name of a module that is in scope). A parent that names its children is not counted, for it declares them. Tests do not count.
"""

import re

import rust

TOKEN = re.compile(r"\b(?:pub|extern\s+crate|macro_rules|mod|use|as)\b|::|\$?\b[A-Za-z_]\w*|[{}();,*=<>&.!\[\]]")
KEYWORDS = {"crate", "self", "super"}
# An import that leads to an import, and so on.
MOST_HOPS = 6


class Reader:
    """Collects the paths of one file, each with the inline modules around it, from its tokens."""

    def __init__(self, module):
        self.module = module
        code = module.source.product()
        self.tokens = [(match.start(), match[0].lstrip("$")) for match in TOKEN.finditer(code)]
        self.imports = {}
        self.paths = []
        self._read()

    def _read(self):
        at, inline, depth = 0, [], 0
        while at < len(self.tokens):
            offset, token = self.tokens[at]
            following = self.tokens[at + 1][1] if at + 1 < len(self.tokens) else ""
            if token == "pub" and following == "(":
                at = self._behind(at + 1)
                continue
            if token == "mod" and at + 2 < len(self.tokens) and self.tokens[at + 2][1] == "{":
                inline.append((depth, following))
                at += 2
                continue
            if token == "{":
                depth += 1
            elif token == "}":
                depth -= 1
                if inline and inline[-1][0] == depth:
                    inline.pop()
            elif token == "use":
                at = self._use(at + 1, len(inline))
                continue
            elif following == "::" and (at == 0 or self.tokens[at - 1][1] != "::"):
                at = self._path(at, len(inline))
                continue
            at += 1

    def _behind(self, at):
        depth = 0
        while at < len(self.tokens):
            depth += {"(": 1, ")": -1}.get(self.tokens[at][1], 0)
            at += 1
            if depth == 0:
                break
        return at

    def _path(self, at, inline):
        offset, first = self.tokens[at]
        names = [first]
        while at + 2 < len(self.tokens) and self.tokens[at + 1][1] == "::" and re.match(r"\w", self.tokens[at + 2][1]):
            names.append(self.tokens[at + 2][1])
            at += 2
        self.paths.append((offset, names, inline))
        return at + 1

    def _use(self, at, inline):
        """Reads a tree of `use` up to its semicolon and gives back the place behind it."""
        prefix, stack = [], []
        while at < len(self.tokens):
            offset, token = self.tokens[at]
            if token == "{":
                stack.append(list(prefix))
            elif token in "},;" or token == "*":
                at = self._ends(at, prefix, inline)
                if token == "}":
                    stack.pop()
                prefix = list(stack[-1]) if stack else []
                if token == ";":
                    return at
                continue
            elif token == "as":
                alias = self.tokens[at + 1][1]
                self.paths.append((offset, list(prefix), inline))
                self.imports[alias] = (list(prefix), inline)
                prefix = []
                at += 1
            elif token != "::":
                prefix.append(token)
            at += 1
        return at

    def _ends(self, at, prefix, inline):
        offset, token = self.tokens[at]
        before = self.tokens[at - 1][1]
        if prefix and before not in "},;{":
            names = prefix[:-1] if prefix[-1] == "self" and len(prefix) > 1 else list(prefix)
            self.paths.append((offset, names, inline))
            if token != "*":
                self.imports[names[-1]] = (names, inline)
        return at + 1


class Crate:
    """The modules of a crate with what each names, and the way from a path to the file that holds its item."""

    def __init__(self, root):
        self.top = rust.modules(root)
        self.modules = {module.names: module for module in self.top.walk()}
        self.readers = {names: Reader(module) for names, module in self.modules.items()}

    def resolve(self, module, names, inline, hops=0):
        """The module in whose file the item of a path stands, or None for a path that leads out of the crate."""
        imports = self.readers[module.names].imports
        if names[0] in KEYWORDS:
            found = self._anchor(module, names, inline)
        elif names[0] in module.children:
            found = module, names
        elif names[0] in imports and hops < MOST_HOPS and imports[names[0]][0] != names:
            head, depth = imports[names[0]]
            return self.resolve(module, [*head, *names[1:]], depth, hops + 1)
        else:
            return None
        return found and self._holder(*found, hops)

    def _anchor(self, module, names, inline):
        """The module that `crate`, `self` and `super` at the head of a path lead to, and the rest of the path."""
        if names[0] == "crate":
            return self.top, names[1:]
        while names and names[0] in KEYWORDS:
            if names[0] == "super" and inline:
                inline -= 1
            elif names[0] == "super":
                module = self.modules[module.names[:-1]]
            names = names[1:]
        return None if inline else (module, names)

    def _holder(self, module, names, hops):
        """Follows the modules of a path, and then what the last of them takes in from elsewhere and hands on."""
        while names and names[0] in module.children:
            module, names = module.children[names[0]], names[1:]
        reader = self.readers[module.names]
        if names and names[0] in reader.imports and hops < MOST_HOPS:
            head, depth = reader.imports[names[0]]
            return self.resolve(module, [*head, *names[1:]], depth, hops + 1) or module
        return module

    def edges(self):
        """For each module the modules that it names, with a place for each; without those below it."""
        for module in self.modules.values():
            found = {}
            for offset, names, inline in self.readers[module.names].paths:
                target = self.resolve(module, names, inline)
                if target is not None and target.names[: len(module.names)] != module.names:
                    found.setdefault(target.names, (offset, "::".join(names)))
            yield module, found


def components(graph):
    """Strongly connected components of more than one node (Tarjan, without recursion)."""
    index, low, on_stack, stack, out = {}, {}, set(), [], []
    for start in graph:
        if start in index:
            continue
        work = [(start, iter(sorted(graph[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, following = work[-1]
            for target in following:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(sorted(graph[target]))))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = []
                    while True:
                        top = stack.pop()
                        on_stack.discard(top)
                        group.append(top)
                        if top == node:
                            break
                    if len(group) > 1:
                        out.append(sorted(group))
    return out


def circles(package):
    """The circles of a package, each as the list of its modules with the edges inside; and the numbers of files and edges."""
    out, files, arrows = [], 0, 0
    for root in package.roots:
        named = {module.names: (module, found) for module, found in Crate(root).edges()}
        graph = {names: set(found) for names, (_, found) in named.items()}
        files += len(graph)
        arrows += sum(len(found) for found in graph.values())
        for group in components(graph):
            inside = set(group)
            out.append([(named[names][0], {to: at for to, at in named[names][1].items() if to in inside}) for names in group])
    return out, files, arrows


def show(circle):
    """Prints a circle: each file, and the places where it names another file of it."""
    print(f"\n{len(circle)} files:")
    for module, found in circle:
        print(f"  {module.source.name()}")
        for target, (offset, path) in sorted(found.items()):
            print(f"    {module.source.line(offset)}: {path}  ->  {'::'.join(target) or 'crate'}")


def main():
    """Counts, prints, and ends with 1 where there are more circles than allowed."""
    asked = rust.arguments(__doc__, "print the circles with their edges, of one folder where one is given").parse_args()
    total = []
    for package in rust.packages():
        found, files, arrows = circles(package)
        total += found
        members = sum(len(circle) for circle in found)
        largest = max((len(circle) for circle in found), default=0)
        print(f"{package.name}: {len(found)} circles, {members} files in them, largest {largest}; {files} files, {arrows} edges")
    members = sum(len(circle) for circle in total)
    print(f"total: {len(total)} circles, {members} files in them, largest {max((len(circle) for circle in total), default=0)}")
    if asked.list is not None:
        for circle in sorted(total, key=len, reverse=True):
            if any(module.source.name().startswith(asked.list.removeprefix("./")) for module, _ in circle):
                show(circle)
    rust.finish(len(total), asked.max)


if __name__ == "__main__":
    main()
