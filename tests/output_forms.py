# SPDX-License-Identifier: Apache-2.0
"""What every verb prints with --output markdown and csv, read by programs of others: a CommonMark parser and Python's csv."""

import csv
import io
import re
import shutil

import harness

harness.need("markdown_it", "numpy", "onnx")

import markdown_it
import onnx

HOSTILE = "<b>bold</b> **x** | `y` [l](http://example.com) @someone"
MARKS = ("html_inline", "html_block", "link_open", "image", "em_open", "s_open", "hr", "blockquote_open")


def parsed(text):
    return markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)


def tables_of(tokens):
    """Header and rows of each table, as texts."""
    tables = []
    for place, token in enumerate(tokens):
        if token.type == "table_open":
            tables.append([])
        elif token.type == "tr_open":
            tables[-1].append([])
        elif token.type in ("th_open", "td_open"):
            tables[-1][-1].append("".join(child.content for child in tokens[place + 1].children))
    return tables


def rows_in(text):
    """Tables by the lines that begin one: none may have been taken for prose."""
    return len(re.findall(r"^\| ?:?-{3,}", text, flags=re.M))


def is_whole(text, who):
    tokens = parsed(text)
    tables = tables_of(tokens)
    harness.check(text.endswith("\n") and len(tables) == rows_in(text), f"{who}: {len(tables)} tables are tables")
    ragged = [row for table in tables for row in table if len(row) != len(table[0])]
    harness.check(not ragged, f"{who}: all rows are as wide as their heads: {ragged[:1]}")
    flat = [one for token in tokens for one in [token, *(token.children or [])]]
    harness.check(not [one.content for one in flat if one.type in MARKS and one.content != "<!-- -->"],
                  f"{who}: nothing is a mark that is not meant as one: {[one.content for one in flat if one.type in MARKS]}")
    bold = [flat[place + 1].content for place, one in enumerate(flat) if one.type == "strong_open"]
    harness.check("x" not in bold, f"{who}: names are not bold")
    return tokens, tables


def lines_of_csv(text, who):
    rows = list(csv.reader(io.StringIO(text, newline="")))
    harness.check(len(rows) > 1 and all(len(row) == len(rows[0]) for row in rows), f"{who}: {len(rows) - 1} rows of CSV")
    return rows


def named_after(path, copy, name):
    """A copy in which one op has that name."""
    model = onnx.load(path)
    next(node for node in model.graph.node if node.op_type == "Conv").name = name
    onnx.save(model, copy)


def commands(folder, model, data):
    """By verb what is run; each leaves what the next ones take."""
    int8, half = folder / "digits.int8.onnx", folder / "half.bin"
    yield "inspect", ("inspect", model)
    yield "calibrate", ("calibrate", model, "--data", data, "-o", half)
    yield "merge", ("merge", folder / "whole.bin", half)
    yield "quantize", ("quantize", model, "-o", int8, "--data", data, "--diagnose", "--metric", "top1")
    yield "diagnose", ("diagnose", model, int8, "--data", data, "--metric", "top1")
    yield "judge", ("judge", "last")
    yield "evaluate", ("evaluate", int8, "--against", model, "--data", data, "--metric", "top1")
    yield "profile", ("profile", model, int8, "--data", data)
    yield "benchmark", ("benchmark", model, int8, "--iterations", "20", "--rounds", "2")
    yield "tune", ("tune", model, "-o", folder / "tuned.onnx", "--data", data, "--metric", "top1", "--max-trials", "2")
    yield "workloads list", ("workloads", "list")
    yield "workloads show", ("workloads", "show", "last")
    yield "doctor", ("doctor",)


JUDGED = {"quantize", "diagnose", "judge", "evaluate", "profile", "benchmark", "tune"}


def prints_markdown(sandbox, folder, model, data):
    for verb, arguments in commands(folder, model, data):
        tokens, tables = is_whole(sandbox.run(*arguments, "--output", "markdown").stdout, verb)
        harness.check(tables and all(len(table) > 1 for table in tables), f"{verb}: has tables with rows")
        if verb in JUDGED:
            harness.check(tokens[1].content.startswith("**Verdict on "), f"{verb}: the verdict comes first")
        if verb == "quantize":
            names = [row[0] for table in tables for row in table]
            harness.check(HOSTILE in [name.replace("<!-- -->", "") for name in names], "an op is called as it is")


def prints_csv(sandbox, folder, model, data):
    for verb, arguments in commands(folder, model, data):
        lines_of_csv(sandbox.run(*arguments, "--output", "csv").stdout, verb)


def tells_all_rows(sandbox):
    first = tables_of(parsed(sandbox.run("workloads", "show", "last", "--output", "markdown", "--all").stdout))
    as_csv = lines_of_csv(sandbox.run("workloads", "show", "last", "--output", "csv").stdout, "workloads show")
    widths = [table for table in first if len(table) == len(as_csv)]
    harness.check(widths, "a table of Markdown has, with --all, as many rows as CSV")


def compares(sandbox, model, data):
    for name in ("a", "b"):
        recipe = ("--recipe", harness.PER_TENSOR) if name == "b" else ()
        sandbox.run("quantize", model, "-o", sandbox.path / f"{name}.onnx", "--data", data, "--diagnose", "--name", name, *recipe)
    ids = [row["id"] for row in sandbox.json("workloads", "list")[:2]]
    is_whole(sandbox.run("compare", *ids, "--output", "markdown").stdout, "compare")
    lines_of_csv(sandbox.run("compare", *ids, "--output", "csv").stdout, "compare")
    report = sandbox.path / "report.md"
    sandbox.run("report", ids[0], "-o", report)
    is_whole(report.read_text(), "report")


def main():
    sandbox = harness.Sandbox()
    data = sandbox.path / "digits.npz"
    shutil.copy(harness.DEMO / "digits.npz", data)
    model = sandbox.path / "digits.onnx"
    named_after(harness.DEMO / "digits.onnx", model, HOSTILE)
    for form in (prints_markdown, prints_csv):
        folder = sandbox.path / form.__name__
        folder.mkdir()
        form(sandbox, folder, model, data)
    tells_all_rows(sandbox)
    compares(sandbox, model, data)


if __name__ == "__main__":
    main()
