# SPDX-License-Identifier: Apache-2.0
"""What the server says of other codes is what a run with them measures: local errors of some twenty tensors of three
models, each by a recipe of its own."""

import json
import pathlib

import harness
from serving import Server

DIGITS = (harness.DEMO / "digits.onnx", harness.DEMO / "digits.npz")
CHANGES = [{"activation": {"algorithm": "percentile", "percentile": 99}}, {"activation": {"algorithm": "mse"}},
           {"activation": {"algorithm": "entropy"}}, {"weight": {"granularity": "per_tensor"}},
           {"activation": {"scheme": "sym"}}, {"activation": {"dtype": "int8", "scheme": "sym"}},
           {"weight": {"dtype": "int4"}}]
SAMPLES = 32


def diagnosed(sandbox, name, model, data, *more):
    arguments = ["quantize", model, "--data", data, "--limit", SAMPLES, "--diagnose", "-o", f"{name}.onnx", "-q",
                 *harness.eight_bits(), *more]
    done = sandbox.run(*arguments)
    identity = harness.identity_of(done)
    return identity, {row["value"]: row for row in sandbox.record(identity, "diagnosis.json")["activations"]}


def compared(sandbox, server, name, model, data, recipe=(), first=0):
    """Changes of ops whose own error is most of their local one, so that an error of the estimate would show."""
    identity, rows = diagnosed(sandbox, name, model, data, *recipe)
    # What the recipe names is one op, and what it reads stays as it is: its local error is comparable.
    own = [row for row in rows.values() if row["local_mse"] and row["scale"] and row["type"] in ("Conv", "MatMul", "Gemm")
           and row["rounding_mse"] + row["weight_mse"] > 0.3 * row["local_mse"]]
    own.sort(key=lambda row: -(row["output_share"] or 0))
    count = 0
    for number, row in enumerate(own[:10]):
        changes = CHANGES[(first + number) % len(CHANGES)]
        change = {"value": row["value"], **changes}
        told = server.json(f"/api/v1/workloads/{identity}/what-if", {"changes": [change]})
        one = told["changes"][0]
        if one["known_by"] == "unknown":
            print("note", name, row["op"]["name"], one["reason"])
            continue
        again = diagnosed(sandbox, f"{name}_{number}", model, data, *recipe, "--recipe", json.dumps(told["recipe"]))[1].get(row["value"])
        if again is None or not again["local_mse"] or again["scale"] is None:
            continue
        away = abs(again["local_sqnr_db"] - one["expected"]["sqnr_db"])
        moved = abs(again["local_sqnr_db"] - one["now"]["sqnr_db"])
        harness.check(away <= 0.5 or one["known_by"] == "moments" and away <= 1.5,
                      f"{name} {row['op']['name']} {changes}: told {one['expected']['sqnr_db']:.2f} dB, "
                      f"run {again['local_sqnr_db']:.2f} dB (moved {moved:.2f}), {one['known_by']}")
        count += 1
    return count


def main():
    sandbox = harness.Sandbox()
    pathlib.Path(sandbox.environment["QUANTLENS_WORKSPACE"]).mkdir()
    models = [("digits", *DIGITS), ("seven_bits", *DIGITS, ("--recipe", "{reduce_range: true}"), CHANGES.index({"weight": {"dtype": "int4"}}))]
    if harness.TESTDATA.is_dir():
        models.append(("kwt1", harness.TESTDATA / "models" / "kwt1.onnx", harness.TESTDATA / "speech" / "kwt1_400.npz"))
        models.append(("mobilenet", harness.TESTDATA / "models" / "mobilenet_v1_0.25_224.onnx", harness.imagenet(sandbox)))
    with Server(sandbox, "--allow-insecure-connections") as server:
        count = sum(compared(sandbox, server, *model) for model in models)
    harness.check(count >= (23 if len(models) == 4 else 6), f"{count} tensors of {len(models)} models were compared")


main()
