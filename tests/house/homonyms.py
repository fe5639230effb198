#!/usr/bin/env python3
"""Counts types that share their name with another type of the workspace.

    tests/house/homonyms.py [--list [FOLDER]] [--max PERCENT]

Types are structs, enums, unions, traits and aliases that stand at the top of a file; neither tests nor associated types count. The
total is the share of types, in per cent, whose name another type has too.
"""

import collections
import re

import rust

TYPE = re.compile(r"^(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?(?P<kind>struct|enum|union|trait|type)\s+(?P<name>[A-Z]\w*)", re.MULTILINE)


def types():
    """Each type as its name, its kind and its place."""
    for _, source in rust.product_files():
        for match in TYPE.finditer(source.product()):
            yield match["name"], match["kind"], f"{source.name()}:{source.line(match.start())}"


def main():
    """Counts, prints, and ends with 1 where the share is above what is allowed."""
    asked = rust.arguments(__doc__, "print the shared names, of those with a type in one folder where one is given").parse_args()
    places = collections.defaultdict(list)
    for name, kind, place in types():
        places[name].append(f"{place} {kind}")
    shared = {name: found for name, found in places.items() if len(found) > 1}
    count = sum(len(found) for found in places.values())
    sharing = sum(len(found) for found in shared.values())
    share = 100 * sharing / max(count, 1)
    often = sum(1 for found in shared.values() if len(found) > 2)
    print(f"total: {share:.1f} % of {count} types share their name: {len(shared)} names, {often} of them three times or more")
    if asked.list is not None:
        for name, found in sorted(shared.items(), key=lambda entry: (-len(entry[1]), entry[0])):
            if any(place.startswith(asked.list.removeprefix("./")) for place in found):
                print(f"\n{name}: {len(found)}", *sorted(found), sep="\n  ")
    rust.finish(share, asked.max)


if __name__ == "__main__":
    main()
