# SPDX-License-Identifier: Apache-2.0
"""How a notebook shows a run: verdict, findings with their remedies, the worst values as a chart, the first rows."""
from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import records
    from .runs import Compared, Run

FINDINGS, BARS, PICTURES, ROWS, COLUMNS = 10, 15, 3, 10, 10
# By what a run is about: the first of these tables that it has.
MAIN_TABLES = ("activations", "trials", "profile_ops", "profile_nodes", "benchmark", "accuracy", "plan", "statistics")
TABLES_COMPARED = {"findings": "Findings", "worse": "Worse in B", "better": "Better in B"}
NAME_WIDTH, BAR_WIDTH, ROW_HEIGHT = 240, 360, 18  # of the chart, in pixels


def main_table(tables: dict[str, Any]) -> str:
    return next((name for name in MAIN_TABLES if name in tables), "")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return escape(f"{value:.5g}" if isinstance(value, float) else str(value))


def _findings(table: dict[str, list[Any]] | None) -> str:
    if not table or not table.get("Rule"):
        return ""
    items = []
    for at, rule in enumerate(table["Rule"][:FINDINGS]):
        said = {title: table[title][at] for title in ("Op", "Ops", "Reasons", "Remedy") if title in table}
        where = said.get("Op") or said.get("Ops") or ""
        remedy = f'<br>remedy: <code>{escape(str(said["Remedy"]))}</code>' if said.get("Remedy") else ""
        reasons = escape(str(said.get("Reasons", "")))
        items.append(f"<li><b>{escape(str(rule))}</b> at {escape(str(where))}: {reasons}{remedy}</li>")
    return f"<ol>{''.join(items)}</ol>" + "".join(f"<p>{more}</p>" for more in _more(len(table["Rule"]) - FINDINGS, "finding"))


def _short(name: str) -> str:
    return name if len(name) <= 34 else "…" + name[-33:]


def _chart(rows: Sequence[records.ActivationRow]) -> str:
    """SQNR of the worst values as bars, each with its 95 % interval."""
    worst = sorted((one for one in rows if math.isfinite(one.sqnr_db)), key=lambda one: one.sqnr_db)[:BARS]
    if not worst:
        return ""
    low = min(0.0, math.floor(worst[0].sqnr_db))
    high = max(10.0, math.ceil(worst[-1].sqnr_db))

    def x(db: float) -> str:
        return f"{NAME_WIDTH + BAR_WIDTH * (min(max(db, low), high) - low) / (high - low):.1f}"

    parts = []
    for at, one in enumerate(worst):
        top, middle = at * ROW_HEIGHT + 4, at * ROW_HEIGHT + 10
        left, right = (x(side) for side in sorted((0.0, one.sqnr_db)))
        name = one.op.name or one.value
        parts.append(f'<g><title>{escape(name)}: {one.sqnr_db:.1f} dB</title>'
                     f'<text x="{NAME_WIDTH - 6}" y="{middle + 4}" text-anchor="end">{escape(_short(name))}</text>'
                     f'<rect x="{left}" y="{top}" width="{float(right) - float(left):.1f}" height="12" fill="#4c78a8"/>')
        if one.sqnr_db_interval:
            begin, end = (x(side) for side in one.sqnr_db_interval)
            parts.append(f'<path d="M{begin} {middle}H{end}M{begin} {middle - 4}v8M{end} {middle - 4}v8" stroke="currentColor"/>')
        parts.append(f'<text x="{NAME_WIDTH + BAR_WIDTH + 6}" y="{middle + 4}">{one.sqnr_db:.1f} dB</text></g>')
    width, height = NAME_WIDTH + BAR_WIDTH + 80, len(worst) * ROW_HEIGHT + 4
    return ('<p>SQNR of the worst values, with 95 % intervals</p>'
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-size="11" font-family="sans-serif" '
            f'fill="currentColor">{"".join(parts)}</svg>')


def _histograms(run: Run, rows: Sequence[records.ActivationRow]) -> str:
    worst = sorted((one for one in rows if math.isfinite(one.sqnr_db)), key=lambda one: one.sqnr_db)[:PICTURES]
    pictures = {one.reference_name: one for one in run.histograms([one.value for one in worst])} if worst else {}
    shown = "".join(pictures[one.value]._repr_html_() for one in worst if one.value in pictures)
    return f"<p>Distributions of the worst values: float as an area, quantized as a line, density in three decades</p>{shown}" if shown else ""


def _more(count: int, word: str) -> list[str]:
    return [f"{count} more {word}{'s' if count > 1 else ''}"] if count > 0 else []


def _first_rows(name: str, table: dict[str, list[Any]], of: str = "run") -> str:
    titles = list(table)[:COLUMNS]
    order = list(range(len(table[titles[0]])))
    if "Rank" in table:
        order.sort(key=lambda at: math.inf if table["Rank"][at] is None else table["Rank"][at])
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    rows = "".join("<tr>" + "".join(f"<td>{_cell(table[title][at])}</td>" for title in titles) + "</tr>" for at in order[:ROWS])
    left = _more(len(order) - ROWS, "row") + _more(len(table) - COLUMNS, "column")
    more = f"<p>{' and '.join(left)}: <code>{of}.to_pandas({escape(repr(name))})</code></p>" if left else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"


def page_of(run: Run) -> str:
    tables = run.tables()
    name = main_table(tables)
    return "".join((f"<p><b>{escape(run.verdict)}</b></p>", _findings(tables.get("findings")),
                    _chart(run.diagnosis.activations) if run.diagnosis else "",
                    _histograms(run, run.diagnosis.activations) if run.diagnosis else "", _first_rows(name, tables[name]) if name else "",
                    f"<details><summary>All tables</summary><pre>{escape(str(run))}</pre></details>"))


def page_of_comparison(compared: Compared) -> str:
    told = compared.to_dict()
    tables = {name: table for name, table in compared.tables().items() if name != "ops"}
    shown = "".join(f"<p>{escape(TABLES_COMPARED[name])}</p>{_first_rows(name, tables[name], 'compared')}"
                    for name in TABLES_COMPARED if name in tables)
    cautions = f"<p>{escape(told['cautions'])}</p>" if told.get("cautions") else ""
    return (f"<p><b>{escape(compared.verdict)}</b></p>{cautions}{shown}"
            f"<details><summary>All tables</summary><pre>{escape(str(compared))}</pre></details>")
