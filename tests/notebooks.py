"""Runs the cells of notebooks over a dataset, each notebook by itself, and prints what the last line of each cell shows.

    notebooks.py DATASET NOTEBOOK...

It does what Jupyter does with the code of a notebook, without its server. It ends with an error at the first cell that fails,
and where a notebook shows nothing.
"""

import ast
import json
import os
import sys
from pathlib import Path


def shown(code, name, space):
    """Runs a cell; what its last line gives, where that is a value."""
    tree = ast.parse(code, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), space)
    return eval(compile(ast.Expression(last.value), name, "eval"), space) if last else None


def run(path):
    notebook = json.loads(path.read_text())
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5), path
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(ids) == len(set(ids)), f"{path}: two cells have one id"
    space, tables = {"__name__": "__main__"}, 0
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] != "code":
            continue
        assert not cell["outputs"], f"{path} is kept without what it showed"
        value = shown("".join(cell["source"]), f"{path.name}[{number}]", space)
        if value is not None:
            tables += 1
            print(f"== {path.stem} {number}: {len(value)} rows\n{value.to_string()}")
    assert tables, f"{path} shows nothing"


if __name__ == "__main__":
    os.environ["CAPDEX_DATASET"] = sys.argv[1]
    for path in sys.argv[2:]:
        run(Path(path))
