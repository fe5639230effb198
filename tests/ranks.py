#!/usr/bin/env python3
"""Says how well the order of a dataset separates, and how far each method agrees with it.

    capdex export ranked --format jsonl
    tests/ranks.py ranked

Prints for each kind how many of its rows share everything that ranks with another row, so that only slug and id tell them apart: once over
all rows, once over rows of different content, since two copies of one text are equal in whatever is measured. Then Spearman's rank
correlation of `rank_kind` with the value of each method, over the rows that have one: 1 where the method would order just so. Ends with 1
where more than 2 % of the rows of a kind with different content tie. Needs only the standard library and reads only the folder.
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
        groups = collections.defaultdict(list)
        for row in of_kind:
            key = (row["band"], row["trust"], covered.get(row["id"]), row["users"], row["bytes"])
            groups[key].append(row["content_sha256"])
        tied = sum(len(group) for group in groups.values() if len(group) > 1)
        # Of copies one stands for all.
        distinct = {place: set(group) for place, group in groups.items()}
        unlike = sum(len(group) for group in distinct.values() if len(group) > 1)
        total = sum(len(group) for group in distinct.values())
        share = unlike / total
        is_good &= share <= MOST_TIES
        print(f"{kind}: {tied} of {len(of_kind)} rows tie before the slug ({tied / len(of_kind):.1%}); "
              f"of different contents {unlike} of {total} ({share:.1%})")
        for method in METHODS:
            valued = [row for row in of_kind if row[method] is not None]
            # A good rank is a small number, and a good value a great one.
            found = spearman([-row["rank_kind"] for row in valued], [row[method] for row in valued])
            shown = "none" if found is None else f"{found:+.2f}"
            print(f"  {method:18} {shown} over {len(valued)} rows")
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
