# SPDX-License-Identifier: Apache-2.0
"""Whether a diagnosis found what was planted, and whether what it says holds against its own tables."""

import math
import re

UNEXPLAINED = {"unexplained", "-"}
EXACT = {"changed_op", "changed_weight", "unequal_codes", "shifted_codes", "lost_bias"}  # without a share: read off the two files
FAR = 10  # dB


def first_of(found):
    return found["findings"][0] if found["findings"] else {"rule": "-", "op": "-", "ops": [], "because": ""}


def named(found):
    """The same with ops by their names alone, which faults are planted by."""
    findings = [{**one, "op": one["op"]["name"], "ops": [op["name"] for op in one["ops"]]} for one in found["findings"]]
    rows = {table: [{**row, "name": row["op"]["name"]} for row in found[table]] for table in ("activations", "weights")}
    return {**found, "findings": findings, **rows}


def judge(found, names, rules):
    """Whether the first finding names the op, op and cause, a false cause, or says that it does not know."""
    first = first_of(named(found))
    op = bool(names & {first["op"], *first["ops"]})
    cause = op and first["rule"] in rules
    unexplained = first["rule"] in UNEXPLAINED
    return {"op": op, "cause": cause, "unexplained": unexplained,
            "false": not cause and not unexplained and not (op and first["rule"] == "rounding")}


def contradictions(found):
    """Sentences, each about one figure of the report that another one denies."""
    checks = (interval_denies_share, verdict_denies_findings, local_errors_deny_share, table_denies_cause,
              unnamed_damage)
    return [text for check in checks for text in check(named(found))]


def shared(found):
    return [f for f in found["findings"] if f.get("output_share") is not None]


def of_value(row, key):
    return float(row[key]) if row.get(key) is not None else 0.0


def interval_denies_share(found):
    for finding in shared(found):
        low, high = finding["output_share_interval"]
        if not low - 1e-9 <= finding["output_share"] <= high + 1e-9:
            yield f"{finding['op']}: share {finding['output_share']:.3f} lies outside of {low:.3f} to {high:.3f}"
        gain = finding.get("measured_gain_interval")
        if gain is not None and (gain[1] < low or gain[0] > high):
            yield f"{finding['op']}: {gain[0]:.2f} to {gain[1]:.2f} were gone, {low:.2f} to {high:.2f} claimed"


def verdict_denies_findings(found):
    """The verdict's first share is the first such finding's, and what stands below with surely more is named, too."""
    findings = shared(found)
    said = re.search(r"(-?\d+) % \((-?\d+) to (-?\d+), (measured|estimated)\) of the error begins at", found["verdict"])
    if not findings:
        if said:
            yield "the verdict has a share, no finding has"
        return
    first = findings[0]
    if said and (int(said[1]) != round(100 * first["output_share"])
                 or (said[4] == "measured") != first["share_is_measured"]):
        yield f"the verdict says {said[0]}, the first finding {first['output_share']:.3f}"
    if found["findings"][0] is not first:
        return
    for other in findings[1:]:
        if (other["share_is_measured"] and other["output_share_interval"][0] > first["output_share_interval"][1]
                and other["op"] not in found["verdict"]):
            yield f"{first['op']} comes first, {other['op']} has surely more and is not named"


def own_db(row):
    """SQNR of what the op adds by itself; infinite where that is nothing or not known."""
    local = of_value(row, "local_mse")
    if local <= 0 or row.get("input_mse") is None or row.get("local_sqnr_db") is None:
        return float("inf")
    own = max(0.0, local - of_value(row, "input_mse")) / local
    return float(row["local_sqnr_db"]) - 10 * math.log10(own) if own > 0 else float("inf")


def local_errors_deny_share(found):
    """Most of the error is given to an op by an estimate, and another one's own error is ten times as great."""
    findings = shared(found)
    if not findings or findings[0] is not found["findings"][0] or findings[0]["share_is_measured"]:
        return
    first = findings[0]
    if first["output_share_interval"][0] < 0.5:
        return
    rows = found["activations"]
    own = [own_db(r) for r in rows if r["name"] in (first["op"], *first["ops"])]
    worst = min(rows, key=own_db, default=None)
    if own and own_db(worst) < min(own) - FAR and worst["name"] not in found["verdict"]:
        yield f"{worst['name']} adds an error at {own_db(worst):.1f} dB, {first['op']} at {min(own):.1f} dB"


def table_denies_cause(found):
    """What a finding says of its op is not in the op's row."""
    rows = {}  # an op may have several: a product and its sum with the bias
    for row in found["activations"]:
        rows.setdefault(row["name"], []).append(row)
    weights = {row["name"]: row for row in found["weights"]}
    for finding in shared(found):
        own = rows.get(finding["op"], [])
        if not own:
            if "was not compared" not in finding["because"]:
                yield f"{finding['op']} has no row"
        elif finding["rule"] == "clipped_range" and not any(of_value(row, "clipping_mse") > 0 for row in own):
            yield f"{finding['op']}: clipped_range, nothing is clipped"
        elif finding["rule"] == "wasted_range" and not any(float(row["scale"] or 0) > 0 for row in own):
            yield f"{finding['op']}: wasted_range of a float"
        elif "rounding its weight" in finding["because"]:
            stored = weights.get(finding["op"])
            if stored is not None and float(stored["sqnr_db"]) < 6:
                yield f"{finding['op']}: rounding does not make a weight's SQNR {float(stored['sqnr_db']):.1f} dB"


def unnamed_damage(found):
    """An op's error is mostly none that rounding makes, and greater than any other's; the verdict names others."""
    first = first_of(found)
    if first["rule"] in EXACT and first.get("output_share") is None:
        return
    rows = [r for r in found["activations"] if of_value(r, "other_mse") > 0.5 * of_value(r, "local_mse") > 0]
    worst = min(rows, key=own_db, default=None)
    if worst is None or own_db(worst) > min(map(own_db, found["activations"])):
        return
    if own_db(worst) < 20 and worst["name"] not in (first["op"], *first["ops"]) and worst["name"] not in found["verdict"]:
        yield f"no rounding explains {worst['name']} at {own_db(worst):.1f} dB, which the verdict does not name"
