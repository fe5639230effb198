"""Reads an export with the programs that people read it with, and says where two of them differ.

    dataset.py DIR          every table in every format, with DuckDB, pandas and sqlite3
    dataset.py DIR --typed  every Parquet table with its types, with DuckDB, pandas, Polars and Hugging Face's datasets
    dataset.py DIR --top N  the worst N as `rank, name, kind, band, four values`, tab-separated, asked of DuckDB

It needs what `tests/tools` installs as readers. Nothing of capdex is used: the tables come from `croissant.json` and their types
from `README.md`, so that this is what a stranger can do.
"""

import datetime
import json
import math
import os
import sqlite3
import sys
import tempfile
from pathlib import Path

import duckdb
import mlcroissant
import numpy
import pandas

SEEDS = ["spiderrating_seed", "saferskills_seed", "mcpbundles_seed", "agentscore_seed"]


def tables(out):
    """Every table with its columns and their types, out of the validated metadata and the README."""
    dataset = mlcroissant.Dataset(jsonld=str(out / "croissant.json"))
    warnings = dataset.metadata.issues.warnings
    assert not warnings, warnings
    return {record.name: [(field.name, kind_of(out, record, field)) for field in record.fields] for record in dataset.metadata.record_sets}


def kind_of(out, record, field):
    """The type that the README gives: Croissant has no lists of structs and no JSON."""
    section = (out / "README.md").read_text().split(f"\n### {record.name}\n", 1)[1].split("\n### ", 1)[0]
    # Behind the head of the table: one column is called column.
    section = section.split("|---|---|---|---|", 1)[1]
    return section.split(f"\n| {field.name} | ", 1)[1].split(" | ", 1)[0]


def file_of(out, name, ending):
    """The file of a table. This dataset tells of one night, so that the history too has one."""
    (found,) = [*out.glob(f"{name}.{ending}"), *out.glob(f"{name}-*.{ending}")]
    return str(found)


def is_nested(kind):
    return kind == "json" or kind.startswith(("list", "struct"))


def part(value):
    """A value inside a list or struct, whatever program read it."""
    if isinstance(value, dict):
        return {name: part(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple, numpy.ndarray)):
        return [part(inner) for inner in value]
    if isinstance(value, (float, numpy.floating)):
        return None if math.isnan(value) else int(value) if value == int(value) else float(value)
    return value.item() if isinstance(value, numpy.generic) else value


def plain(kind, value, quoted=False):
    """A value as all formats have it: nothing and the empty text are one; lists and structs are compared as JSON."""
    if is_nested(kind):
        if isinstance(value, str):
            value = json.loads(value) if value else None
        # pandas has a number that is none where there is nothing.
        return None if isinstance(value, float) else part(value)
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)) or value is pandas.NA or value is pandas.NaT:
        return None
    if kind == "integer":
        return int(value)
    if kind == "number":
        return float(value)
    if kind == "boolean":
        return {"true": True, "false": False, 1: True, 0: False}[value]
    if kind == "timestamp":
        return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ") if isinstance(value, datetime.datetime) else value
    # The apostrophe that keeps a text from being a formula.
    return value[1:] if quoted and value.startswith("'") else value


def rows(columns, records, quoted=False):
    return [tuple(plain(kind, value, quoted) for (_, kind), value in zip(columns, record)) for record in records]


def readings(out, name, columns):
    """The rows of one table, by every program out of every format."""
    names = [column for column, _ in columns]
    selected = ", ".join(f'"{column}"' for column in names)
    ask = lambda source: duckdb.sql(f"SELECT {selected} FROM {source}").fetchall()
    frame = lambda data: data[names].astype(object).where(data[names].notna(), None).values.tolist()
    parquet, csv, jsonl = (file_of(out, name, kind) for kind in ("parquet", "csv", "jsonl"))
    lines = [json.loads(line) for line in Path(jsonl).read_text().split("\n") if line]
    yield "parquet by duckdb", rows(columns, ask(f"'{parquet}'"))
    yield "parquet by pandas", rows(columns, frame(pandas.read_parquet(parquet)))
    # As it is written: JSON lines have real lists, objects and booleans.
    for line in lines:
        for column, kind in columns:
            wanted = {"boolean": bool, "timestamp": str}.get(kind, (list, dict) if is_nested(kind) else object)
            assert line[column] is None or isinstance(line[column], wanted), f"{name}.{column}: {line[column]!r}"
    yield "jsonl by json", [tuple(plain(kind, line[column]) for column, kind in columns) for line in lines]
    if lines:
        duck = {"integer": "BIGINT", "number": "DOUBLE", "boolean": "BOOLEAN", "timestamp": "TIMESTAMPTZ"}
        typed = {column: "JSON" if is_nested(kind) else duck.get(kind, "VARCHAR") for column, kind in columns}
        yield "jsonl by duckdb", rows(columns, ask(f"read_json('{jsonl}', format='newline_delimited', columns={typed})"))
        yield "jsonl by pandas", rows(columns, frame(pandas.read_json(jsonl, lines=True, dtype=False, convert_dates=False, precise_float=True)))
    yield "csv by duckdb", rows(columns, ask(f"read_csv('{csv}', all_varchar=true, header=true, quote='\"', escape='\"', delim=',', strict_mode=false)"), True)
    yield "csv by pandas", rows(columns, frame(pandas.read_csv(csv, dtype=str, keep_default_na=False)), True)
    database = sqlite3.connect(f"file:{out / 'capdex.sqlite'}?mode=ro", uri=True)
    ordered = f'SELECT {selected} FROM "{name}" ORDER BY rowid'
    yield "sqlite by sqlite3", rows(columns, database.execute(ordered).fetchall())
    yield "sqlite by pandas", rows(columns, frame(pandas.read_sql(ordered, database)))


def compare(out):
    manifest = json.loads((out / "manifest.json").read_text())
    counts = {file["path"]: file["rows"] for file in manifest["files"]}
    total = 0
    for name, columns in tables(out).items():
        first, expected = None, None
        for reading, found in readings(out, name, columns):
            if first is None:
                first, expected = reading, found
                assert len(found) == counts[Path(file_of(out, name, "parquet")).name], f"{name}: {len(found)} rows"
            for number, (one, other) in enumerate(zip(expected, found)):
                assert one == other, f"{name} row {number}: {first} has {one!r}, {reading} has {other!r}"
            assert len(found) == len(expected), f"{name}: {first} has {len(expected)} rows, {reading} has {len(found)}"
        total += len(expected)
    database = sqlite3.connect(f"file:{out / 'capdex.sqlite'}?mode=ro", uri=True)
    keys = database.execute("SELECT count(*) FROM sqlite_master WHERE type = 'index'").fetchone()[0]
    assert keys > len(tables(out)), f"{keys} indexes"
    print(f"{len(tables(out))} tables, {total} rows: the same in every format")


def duckdb_type(kind):
    """The type in DuckDB of a column of this type."""
    if kind.startswith("list of "):
        return duckdb_type(kind.removeprefix("list of ")) + "[]"
    if kind.startswith("struct ("):
        fields, depth, field = [], 0, ""
        for sign in kind.removeprefix("struct (").removesuffix(")") + ",":
            depth += {"(": 1, ")": -1}.get(sign, 0)
            if sign == "," and depth == 0:
                fields.append(field.strip().split(" ", 1))
                field = ""
            else:
                field += sign
        quoted = lambda name: f'"{name}"' if duckdb.sql("SELECT count(*) FROM duckdb_keywords() WHERE keyword_name = $1", params=[name]).fetchall()[0][0] else name
        return "STRUCT(" + ", ".join(f"{quoted(name)} {duckdb_type(of)}" for name, of in fields) + ")"
    return {"integer": "BIGINT", "number": "DOUBLE", "boolean": "BOOLEAN", "timestamp": "TIMESTAMP WITH TIME ZONE"}.get(kind, "VARCHAR")


def typed(out):
    """Every table in four programs: the types of its columns, and as many rows in each."""
    os.environ |= {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "TQDM_DISABLE": "1"}
    import datasets
    import polars

    datasets.disable_progress_bars()
    named = set()
    with tempfile.TemporaryDirectory() as cache:
        for name, columns in tables(out).items():
            path = file_of(out, name, "parquet")
            found = dict(duckdb.sql(f"SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '{path}')").fetchall())
            assert [*found] == [column for column, _ in columns], name
            one, other = pandas.read_parquet(path, dtype_backend="pyarrow").dtypes, polars.read_parquet_schema(path)
            count = duckdb.sql(f"SELECT count(*) FROM '{path}'").fetchall()[0][0]
            # A hub loads no table without rows; the card names none.
            hub = datasets.load_dataset(str(out), name, split="train", cache_dir=cache) if count else None
            for column, kind in columns:
                named.add(kind)
                where = f"{name}.{column} is {kind}"
                assert found[column].replace('"', "") == duckdb_type(kind).replace('"', ""), f"{where}: {found[column]}"
                starts = {"integer": "int64", "number": "double", "boolean": "bool", "timestamp": "timestamp[us, tz=UTC]"}
                wanted = "list" if kind.startswith("list") else "struct" if kind.startswith("struct") else starts.get(kind, "string")
                assert str(one[column]).startswith((wanted, f"large_{wanted}")), f"{where}: pandas {one[column]}"
                types = {"integer": polars.Int64, "number": polars.Float64, "boolean": polars.Boolean, "timestamp": polars.Datetime("us", "UTC")}
                of = polars.List if kind.startswith("list") else polars.Struct if kind.startswith("struct") else types.get(kind, polars.String)
                assert other[column] == of, f"{where}: Polars {other[column]}"
                if hub is None:
                    continue
                feature = hub.features[column]
                if kind.startswith("list"):
                    assert isinstance(feature, datasets.List), f"{where}: datasets {feature}"
                elif not kind.startswith("struct"):
                    assert feature.dtype.replace("float64", "double").startswith(wanted), f"{where}: datasets {feature}"
            assert polars.read_parquet(path).height == len(pandas.read_parquet(path)) == count == len(hub or []), name
    for kind in ("integer", "number", "boolean", "timestamp", "text", "list of text"):
        assert kind in named, f"no column is {kind}"
    questions(out)
    print(f"{len(tables(out))} tables: typed in each of them")


def questions(out):
    """What a researcher asks, without a cast."""
    ask = lambda question: duckdb.sql(question.format(out=out)).fetchall()
    (year,) = ask("SELECT DISTINCT year(as_of) FROM '{out}/capabilities.parquet'")[0]
    assert year == 2026, year
    assert ask("SELECT count(*) FROM '{out}/capabilities.parquet' WHERE as_of - first_seen >= INTERVAL 0 DAY")[0][0] > 0
    assert ask("SELECT date_trunc('week', as_of), count(*) FROM '{out}/history-*.parquet' GROUP BY 1")[0][1] > 0
    assert ask("SELECT count(*) FROM (SELECT unnest(capability_tags) AS tag FROM '{out}/capabilities.parquet') WHERE tag IS NOT NULL")[0][0] > 0
    assert ask("SELECT count(*) FROM (SELECT unnest(terms) AS term FROM '{out}/score_breakdowns.parquet') WHERE term.points <> 0")[0][0] > 0
    assert ask("SELECT count(*) FROM (SELECT unnest(codes.saferskills) FROM '{out}/findings.parquet')")[0][0] > 0
    joined = "SELECT count(*) FROM '{out}/scores.parquet' JOIN '{out}/capabilities.parquet' USING (capability) JOIN '{out}/score_breakdowns.parquet' USING (breakdown)"
    assert ask(joined)[0][0] == ask("SELECT count(*) FROM '{out}/scores.parquet'")[0][0]
    assert ask("SELECT count(*) FROM '{out}/surfaces.parquet' WHERE description AND NOT complete")[0][0] >= 0
    assert ask("SELECT count(*) FROM '{out}/hosts.parquet' JOIN '{out}/capabilities.parquet' USING (capability) WHERE does IN ('sends', 'fetches', 'connects', 'named')")[0][0] > 0
    assert ask("SELECT count(*) FROM '{out}/permissions.parquet' WHERE origin NOT IN ('declared', 'code') OR (origin = 'code') <> (line > 0)")[0][0] == 0


def top(out, count):
    """What the terminal shows: rests of packages only where they have something to say, and answers of methods alone."""
    open_ = f"""capability IN (SELECT capability FROM '{out}/scores.parquet'
                WHERE rubric = 'agentscore/seed' AND grade = 'INSUFFICIENT DATA')"""
    shown = [*SEEDS[:3], f"CASE WHEN {open_} THEN NULL ELSE agentscore_seed END"]
    found = duckdb.sql(
        f"""SELECT rank, rtrim(package || '#' || path, '#'), kind, band, {", ".join(shown)} FROM '{out}/capabilities.parquet'
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
    elif len(sys.argv) == 3 and sys.argv[2] == "--typed":
        typed(Path(sys.argv[1]))
    else:
        compare(Path(sys.argv[1]))
