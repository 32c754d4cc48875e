#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants faults in quantized files of four makers and asks diagnosis where they are and what they are.

usage: injected_faults.py PROGRAM [--cases FIRST LAST] [--step N] [--kind NAME] [--file TEXT] [--keep FOLDER] [--healthy] [--quick]

PROGRAM is quantlens. Each case takes one file, made by ONNX Runtime, NNCF, Neural Compressor, Quark or quantlens, damages
one op of it with the onnx package (faults/kinds.py) and runs `diagnose` over 16 samples. What damages the outputs by less
than 1 dB is drawn again: it is no fault. Counted: the first finding names the op; it names op and cause; it names a false
cause, which is any but the planted one, `unexplained` and, where the op is right, notes of rounding; the verdict contradicts
its own tables. Cases differ by file, kind and op, in an order that a seed fixes: 0 to 265 are one of each kind in each
file, 266 to 531 others, drawn after the rules were done; --step 5 takes a fifth of them, of all files and kinds. Files of
tools that are not installed are left out, and that is said. --healthy plants nothing and prints what is found all the same.
--quick diagnoses one sample without local errors: what the two files alone tell, which leaves out scales and zero points that
are wrong in writer and reader alike.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import onnx
from faults import files, kinds
from faults.edit import Damaged

SAMPLES = 16
SEED = 14
UNEXPLAINED = {"unexplained", "-"}


class Bench:
    def __init__(self, program, folder, quick=False):
        self.program, self.folder, self.quick = program, folder, quick
        folder.mkdir(parents=True, exist_ok=True)
        self.paths, self.before = {}, {}

    def run(self, *arguments):
        command = [self.program, *arguments, "--workspace", self.folder / "workspace", "--output", "json", "--limit",
                   1 if self.quick and arguments[0] == "diagnose" else SAMPLES, "--quiet", "--threads", 1]
        if self.quick and arguments[0] == "diagnose":
            command += ["--local", 0]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError((done.stderr.strip() or "failed").splitlines()[-1])
        return json.loads(done.stdout)

    def data(self, name, otherwise=False):
        return files.write_data(files.MODELS[name][1 + otherwise], self.folder / f"{name}{'_otherwise' * otherwise}")

    def prepare(self):
        """The files that there are."""
        for key, name in files.FOREIGN.items():
            self.paths[key] = files.DATA / "foreign" / name
        for maker, name in files.OURS:
            path = self.folder / f"{maker}_{name}.onnx"
            if not path.exists():
                self.run("quantize", files.float_model(name), "--data", self.data(name), "-o", path)
            self.paths[maker, name] = path
        for (maker, name), package in files.MADE.items():
            path = self.folder / f"{maker}_{name}.onnx"
            if not path.exists():
                try:
                    files.make(maker, name, path)
                except ImportError:
                    print(f"{maker} {name}: left out, {package} is not installed", flush=True)
                    continue
            self.paths[maker, name] = path

    def diagnose(self, name, path, otherwise=False):
        return self.run("diagnose", files.float_model(name), path, "--data", self.data(name, otherwise))

    def healthy(self, key):
        if key not in self.before:
            found = self.diagnose(key[1], self.paths[key])
            self.before[key] = output_db(key[1], found)
            first = [(f["rule"], f["op"]) for f in found["findings"][:3]]
            print(f"{key[0]} {key[1]}: healthy, {self.before[key]:.1f} dB, {first}", flush=True)
        return self.before[key]

    def case(self, number, keys):
        key = keys[number % len(keys)]
        fault = kinds.FAULTS[number // len(keys) % len(kinds.FAULTS)]
        before = self.healthy(key)
        reference = files.float_model(key[1])
        for attempt in range(6):
            damaged = Damaged(self.paths[key], reference, random.Random(f"{SEED} {number} {attempt}"))
            try:
                names, rules = fault(damaged)
            except LookupError:
                continue
            path = self.folder / f"case_{number}.onnx"
            onnx.save(damaged.model, path)
            otherwise = fault is kinds.preprocessing
            try:
                found = self.diagnose(key[1], path, otherwise)
            except RuntimeError as error:
                print(f"{number:3} {key} {fault.__name__}: {error}", flush=True)
                continue
            after = output_db(key[1], found)
            if after <= before - 1 or otherwise:
                return result_of(number, key, fault, names, rules, (before, after), found)
            path.unlink()
        return None


def result_of(number, key, fault, names, rules, output_dbs, found):
    first = found["findings"][0] if found["findings"] else {"rule": "-", "op": "-", "ops": [], "because": ""}
    op = bool(names & {first["op"], *first["ops"]})
    cause = op and first["rule"] in rules
    false = not cause and first["rule"] not in UNEXPLAINED | ({"rounding"} if op else set())
    text = "cause" if cause else "op" if op else "FALSE" if false else "MISSED"
    against = contradiction(found)
    print(f"{number:3} {key[0]:5} {key[1]:17} {fault.__name__:17} {sorted(names)[0][-28:]:28} "
          f"{output_dbs[0]:5.1f} -> {output_dbs[1]:5.1f} dB  {text:6} ({first['rule']} {first['op'][-28:]}) {against}", flush=True)
    return {"number": number, "maker": key[0], "model": key[1], "kind": fault.__name__, "names": sorted(names), "op": op,
            "cause": cause, "false": false, "against": bool(against), "verdict": found["verdict"], "first": first}


def contradiction(found):
    """The verdict gives most of the error to one op, and the tables have another one whose own error is ten times as great."""
    first = next((f for f in found["findings"] if f.get("output_share") is not None), None)
    rows = [r for r in found["activations"] if r.get("local_sqnr_db") is not None]
    if first is None or first is not found["findings"][0] or first["output_share_interval"][0] < 0.5 or not rows:
        return ""
    own = [float(r["local_sqnr_db"]) for r in rows if r["name"] in (first["op"], *first["ops"])]
    worst = min(rows, key=lambda r: float(r["local_sqnr_db"]))
    if own and float(worst["local_sqnr_db"]) < min(own) - 10:
        return f"AGAINST its tables: {worst['name']} has {float(worst['local_sqnr_db']):.1f} dB, not {min(own):.1f}"
    return ""


def output_db(name, found):
    outputs = {o.name for o in onnx.load(files.float_model(name), load_external_data=False).graph.output}
    rows = [float(r["sqnr_db"]) for r in found["activations"] if r["value"] in outputs]
    return min(rows or [float(r["sqnr_db"]) for r in found["activations"]])


def summary(cases):
    def line(label, own):
        count = {key: sum(r[key] for r in own) for key in ("op", "cause", "false", "against")}
        print(f"  {label:18} {len(own):3} cases: op {count['op']:3}, op and cause {count['cause']:3}, "
              f"false cause {count['false']:3}, against its tables {count['against']:3}")
    for field in ("maker", "kind"):
        for value in dict.fromkeys(r[field] for r in cases):
            line(value, [r for r in cases if r[field] == value])
    line("all", cases)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--cases", nargs=2, type=int, default=(0, 532))
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--kind", default="")
    parser.add_argument("--file", default="")
    parser.add_argument("--keep")
    parser.add_argument("--healthy", action="store_true")
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    if not files.DATA.exists():
        print("skipped: ../shared/testdata is not there")
        return
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(arguments.program, pathlib.Path(arguments.keep or scratch), arguments.quick)
        bench.prepare()
        keys = sorted([*files.FOREIGN, *files.OURS, *files.MADE])
        if arguments.healthy:
            for key in filter(bench.paths.get, keys):
                bench.healthy(key)
            return
        results = []
        for number in range(*arguments.cases, arguments.step):
            key, kind = keys[number % len(keys)], kinds.FAULTS[number // len(keys) % len(kinds.FAULTS)].__name__
            if key not in bench.paths or arguments.kind not in kind or arguments.file not in " ".join(key):
                continue
            result = bench.case(number, keys)
            if result:
                results.append(result)
                if arguments.keep:
                    with open(bench.folder / "results.jsonl", "a", encoding="utf-8") as log:
                        log.write(json.dumps(result) + "\n")
        summary(results)


if __name__ == "__main__":
    sys.exit(main())
