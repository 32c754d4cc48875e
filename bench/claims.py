#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How well the first finding's share of the outputs' error holds: claimed, then tried.

usage: claims.py PROGRAM MODEL DATA [MODEL DATA ...]     DATA as --data takes it; "recipe=TEXT" before a pair: its recipe

PROGRAM is quantlens. Each model is quantized and diagnosed over the data; the remedy of the first finding that has one is
tried over all samples (`--verify 1`). A claim holds where what was gone lies within the claimed interval. Remedies that
edit the float model are not tried; a model without a finding to try counts apart, and so does one whose outputs lose
less than 60 dB, where there is nothing to explain.
"""

import json
import pathlib
import subprocess
import sys
import tempfile


def diagnosis_of(program, model, data, recipe, folder):
    command = [program, "quantize", model, "--data", data, "-o", folder / "quantized.onnx", "--workspace", folder / "ws",
               "--diagnose", "--verify", "1", "--output", "json"]
    if recipe:
        command += ["--recipe", recipe]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"ends with {done.returncode}")
    return json.loads(done.stdout)["diagnosis"]


def claim_of(diagnosis):
    """The first finding that was tried, or nothing."""
    return next((f for f in diagnosis["findings"] if f["measured_gain"] is not None), None)


def percent(value):
    return f"{100 * value:.0f}"


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    program, rest = sys.argv[1], sys.argv[2:]
    held = tried = 0
    recipe = ""
    print("| model | first finding | claimed % | how | tried % | holds |\n| --- | --- | --- | --- | --- | --- |")
    while rest:
        if rest[0].startswith("recipe="):
            recipe, rest = rest[0][len("recipe="):], rest[1:]
            continue
        (model, data), rest = rest[:2], rest[2:]
        name = pathlib.Path(model).name
        with tempfile.TemporaryDirectory() as folder:
            try:
                diagnosis = diagnosis_of(program, model, data, recipe, pathlib.Path(folder))
            except RuntimeError as problem:
                print(f"| {name} | {problem} | | | | |", flush=True)
                continue
            finally:
                recipe = ""
        claim = claim_of(diagnosis)
        if claim is None:
            print(f"| {name} | none to try: {diagnosis['verdict'][:120]} | | | | |", flush=True)
            continue
        low, high = claim["output_share_interval"]
        gain = claim["measured_gain"]
        holds = low <= gain <= high
        tried += 1
        held += holds
        how = "measured" if claim["share_is_measured"] else "estimated"
        print(f"| {name} | {claim['rule']} {claim['op']['name']} | {percent(claim['output_share'])} ({percent(low)} to {percent(high)})"
              f" | {how} | {percent(gain)} | {'yes' if holds else 'NO'} |", flush=True)
    print(f"\n{held} of {tried} claims hold")


main()
