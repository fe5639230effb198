#!/usr/bin/env python3
"""Says how well the order of a dataset separates, and how far each method agrees with it.

    capdex export ranked --format jsonl
    tests/ranks.py ranked

Prints for each kind how many of its rows share everything that ranks with another row, so that only slug and id tell them apart: once over
all rows; once where copies are one row, since copies are equal in whatever is measured: those of one content, and those of one thing in one
package (the same name and number of bytes); once where one template that a package fills out several times, with another name of the same
length, is one row too: rows of one package that are equal in all that ranks, the numbers of bytes and words among it. Nothing but their names tells these
apart. Then how many would tie without bytes, words and depth, and Spearman's rank correlation of `rank_kind` with the value of each method, over the rows
that have one: 1 where the method would order just so. Ends with 1 where more than 2 % of the rows of a kind
tie. Needs only the standard library and reads only the folder.
"""

import collections
import json
import pathlib
import sys

METHODS = ["spiderrating_seed", "saferskills_seed", "mcpbundles_seed", "agentscore_seed"]
MOST_TIES = 0.02


def rows(folder):
    with (folder / "capabilities.jsonl").open(encoding="utf-8") as lines:
        return [row for row in map(json.loads, lines) if row["rank"] is not None]


def coverage(folder):
    """The mean coverage over the four methods, by the id of the capability, in thousandths."""
    parts = collections.defaultdict(list)
    with (folder / "scores.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["rubric"].endswith("/seed"):
                parts[row["capability"]].append(round(row["coverage"] * 1000))
    return {capability: sum(shares) // len(shares) for capability, shares in parts.items()}


def places(values):
    """The place of each value, equal ones in the middle of theirs."""
    order, found = sorted(values), {}
    for value in set(values):
        first = order.index(value)
        found[value] = first + (order.count(value) - 1) / 2
    return [found[value] for value in values]


def one_of_copies(rows):
    """The rows of which none is a copy of another: by content, then by name in one package."""
    of_content = {row["content_sha256"]: row for row in rows}
    return {(package_of(row), row["name"]): row for row in of_content.values()}


def one_of_templates(rows):
    """The packages of rows that are equal in all that ranks; copies of one content are one, in whatever package."""
    return {package_of(row) for row in one_of_copies(rows).values()}


def package_of(row):
    """The package of a row; a release line of it is no other package."""
    at = row["package"].rfind("@")
    return row["package"][:at] if at > row["package"].find(":") + 1 else row["package"]


def tying(counts):
    """The share of those that are not alone, of groups of so many."""
    return sum(count for count in counts if count > 1) / sum(counts)


def spearman(one, other):
    if len(one) < 3:
        return None
    left, right = places(one), places(other)
    mean = (len(one) - 1) / 2
    both = sum((a - mean) * (b - mean) for a, b in zip(left, right, strict=True))
    spread = sum((a - mean) ** 2 for a in left) * sum((b - mean) ** 2 for b in right)
    return both / spread**0.5 if spread else None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    covered, by_kind, is_good = coverage(folder), collections.defaultdict(list), True
    for row in rows(folder):
        by_kind[row["kind"]].append(row)
    for kind, of_kind in sorted(by_kind.items()):
        groups, coarse = collections.defaultdict(list), collections.Counter()
        tied = collections.Counter()
        for row in of_kind:
            key = (row["band"], row["trust"], covered.get(row["capability"]), row["users"])
            coarse[key] += 1
            key = (*key, row["bytes"], row["words"], row["path"].count("/"))
            tied[key] += 1
            groups[key].append(row)
        copies_are_one = tying([len(one_of_copies(group)) for group in groups.values()])
        templates_are_one = tying([len(one_of_templates(group)) for group in groups.values()])
        is_good &= tying(tied.values()) <= MOST_TIES
        print(f"{kind}: of {len(of_kind)} rows {tying(tied.values()):.1%} tie before the slug, {copies_are_one:.1%} where copies are one, "
              f"{templates_are_one:.1%} where filled out templates are one; without bytes, words and depth {tying(coarse.values()):.1%}")
        for method in METHODS:
            valued = [row for row in of_kind if row[method] is not None]
            # A good rank is a small number, and a good value a great one.
            found = spearman([-row["rank_kind"] for row in valued], [row[method] for row in valued])
            shown = "none" if found is None else f"{found:+.2f}"
            print(f"  {method:18} {shown} over {len(valued)} rows")
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
