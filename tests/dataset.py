"""Reads an export with the programs that people read it with, and says where two formats differ.

    dataset.py DIR          every table in every format, with DuckDB, pandas and sqlite3
    dataset.py DIR --top N  the best N as `rank, name, kind, band, four values`, tab-separated, asked of DuckDB

It needs duckdb, pandas, pyarrow and mlcroissant, which `tests/run` installs. Nothing of capdex is used: the columns come
from `croissant.json`, so that this is what a stranger can do.
"""

import json
import math
import sqlite3
import sys
from pathlib import Path

import duckdb
import mlcroissant
import pandas

SEEDS = ["spiderrating_seed", "saferskills_seed", "mcpbundles_seed", "agentscore_seed"]


def tables(out):
    """Every table with its columns and their types, out of the validated metadata."""
    metadata = mlcroissant.Dataset(jsonld=str(out / "croissant.json")).metadata
    return {
        record.name: [(field.name, str(field.data_types[0]).rsplit("/", 1)[-1], "JSON" if is_json(out, record, field) else "") for field in record.fields]
        for record in metadata.record_sets
    }


def is_json(out, record, field):
    """Whether the README calls the column JSON: Croissant has no such type."""
    section = (out / "README.md").read_text().split(f"\n### {record.name}\n", 1)[1].split("\n### ", 1)[0]
    return f"\n| {field.name} | json |" in section


def plain(kind, is_json, value, quoted=False):
    """A value as all formats have it: nothing and the empty text are one; JSON is compared as JSON."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)) or value is pandas.NA:
        return None
    if is_json:
        return json.loads(value) if isinstance(value, str) else value
    if kind == "Integer":
        return int(value)
    if kind == "Float":
        return float(value)
    # The apostrophe that keeps a text from being a formula.
    return value[1:] if quoted and value.startswith("'") else value


def rows(columns, records, quoted=False):
    return [tuple(plain(kind, js, value, quoted) for (_, kind, js), value in zip(columns, record)) for record in records]


def readings(out, name, columns):
    """The rows of one table, by every program out of every format."""
    names = [column for column, _, _ in columns]
    selected = ", ".join(f'"{column}"' for column in names)
    ask = lambda source: duckdb.sql(f"SELECT {selected} FROM {source}").fetchall()
    frame = lambda data: data[names].astype(object).where(data[names].notna(), None).values.tolist()
    parquet, csv, jsonl = (str(out / f"{name}.{kind}") for kind in ("parquet", "csv", "jsonl"))
    lines = [json.loads(line) for line in Path(jsonl).read_text().split("\n") if line]
    yield "parquet by duckdb", rows(columns, ask(f"'{parquet}'"))
    yield "parquet by pandas", rows(columns, frame(pandas.read_parquet(parquet)))
    yield "jsonl by json", [
        tuple(None if line[column] == "" else line[column] for column in names) for line in lines
    ]
    if lines:
        typed = {column: "JSON" if js else {"Integer": "BIGINT", "Float": "DOUBLE"}.get(kind, "VARCHAR") for column, kind, js in columns}
        yield "jsonl by duckdb", rows(columns, ask(f"read_json('{jsonl}', format='newline_delimited', columns={typed})"))
        yield "jsonl by pandas", rows(columns, frame(pandas.read_json(jsonl, lines=True, dtype=False, convert_dates=False, precise_float=True)))
    yield "csv by duckdb", rows(columns, ask(f"read_csv('{csv}', all_varchar=true, header=true, quote='\"', escape='\"', delim=',', strict_mode=false)"), True)
    yield "csv by pandas", rows(columns, frame(pandas.read_csv(csv, dtype=str, keep_default_na=False)), True)
    database = sqlite3.connect(f"file:{out / 'capdex.sqlite'}?mode=ro", uri=True)
    yield "sqlite by sqlite3", rows(columns, database.execute(f'SELECT {selected} FROM "{name}"').fetchall())
    yield "sqlite by pandas", rows(columns, frame(pandas.read_sql(f'SELECT {selected} FROM "{name}"', database)))


def compare(out):
    manifest = json.loads((out / "manifest.json").read_text())
    counts = {file["path"]: file["rows"] for file in manifest["files"]}
    total = 0
    for name, columns in tables(out).items():
        first, expected = None, None
        for reading, found in readings(out, name, columns):
            if first is None:
                first, expected = reading, found
                assert len(found) == counts[f"{name}.parquet"], f"{name}: {len(found)} rows"
            for number, (one, other) in enumerate(zip(expected, found)):
                assert one == other, f"{name} row {number}: {first} has {one!r}, {reading} has {other!r}"
            assert len(found) == len(expected), f"{name}: {first} has {len(expected)} rows, {reading} has {len(found)}"
        total += len(expected)
    print(f"{len(tables(out))} tables, {total} rows: the same in every format")


def top(out, count):
    """What the terminal shows: rests of packages only where they have something to say."""
    found = duckdb.sql(
        f"""SELECT rank, rtrim(package || '#' || path, '#'), kind, band, {", ".join(SEEDS)} FROM '{out}/capabilities.parquet'
            WHERE kind <> 'package' OR band NOT IN ('ok', 'watch')
               OR findings_critical + findings_high + findings_medium + findings_low > 0
            ORDER BY rank LIMIT {count}"""
    ).fetchall()
    value = lambda value: "n/a" if value is None else f"{value:.2f}".rstrip("0").rstrip(".")
    for rank, name, kind, band, *values in found:
        print("\t".join([str(rank), name, kind, band, *map(value, values)]))


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[2] == "--top":
        top(Path(sys.argv[1]), int(sys.argv[3]))
    else:
        compare(Path(sys.argv[1]))
