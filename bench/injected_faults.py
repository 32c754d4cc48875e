#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants faults in quantized files of four makers and asks diagnosis where they are and what they are.

usage: injected_faults.py PROGRAM [--cases N] [--seed N] [--part K N] [--maker TEXT] [--model TEXT] [--kind TEXT]
       [--keep FOLDER] [--healthy] [--quick] [--table]

PROGRAM is quantlens. Each case takes one file, made by ONNX Runtime, NNCF, Neural Compressor or quantlens (--maker quark: by
Quark), damages one op of it with the onnx package (faults/kinds.py) and runs `diagnose` over 16 samples. What costs less
than 1 dB, or no more than chance, over 48 other samples in the stock runtime (faults/cost.py) is drawn again: it is no fault.
Counted (faults/judge.py): the first finding names the op; it names op and cause; it names a false cause, which is any but the
planted one, `unexplained` and, where the op is right, notes of rounding; the report contradicts itself.

Makers and kinds take turns, files and ops are drawn by --seed: 76 cases are each kind once for each maker. Files of tools that
are not installed are left out, and that is said; so are kinds that none of a maker's files has a place for. --part K N runs
each Nth case, from the Kth: parts may run side by side. With --keep, files, reports and results stay in FOLDER; what is in its
results.jsonl is not run again, and --table prints all of it. --healthy plants nothing and prints what is found all the same.
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
from faults.cost import Cost, is_fault
from faults.edit import Damaged
from faults.judge import contradictions, first_of, judge, named

SAMPLES = 16
ATTEMPTS = 24


class Bench:
    def __init__(self, program, folder, seed=0, quick=False):
        self.program, self.folder, self.seed, self.quick = program, folder, seed, quick
        folder.mkdir(parents=True, exist_ok=True)
        self.paths, self.cost = {}, Cost()

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
        found = self.diagnose(key[1], self.paths[key])
        (self.folder / f"healthy_{key[0]}_{key[1]}.json").write_text(json.dumps(found))
        first = [(f["rule"], f["op"]["name"]) for f in found["findings"][:3]]
        print(f"{key[0]} {key[1]}: healthy, {first} {contradictions(found)}", flush=True)

    def plant(self, number, maker, fault):
        """(key, path, names, rules, cost) of a fault that costs something; nothing where a dozen draws find none."""
        for attempt in range(ATTEMPTS):
            rng = random.Random(f"{self.seed} {number} {attempt}")
            own = sorted(k for k in self.paths if k[0] == maker)
            key = random.Random(f"{self.seed} {number}").sample(own, len(own))[attempt % len(own)]
            damaged = Damaged(self.paths[key], files.float_model(key[1]), rng)
            try:
                names, rules = fault(damaged)
            except LookupError:
                continue
            path = self.folder / f"case_{self.seed}_{number}.onnx"
            onnx.save(damaged.model, path)
            if fault is kinds.preprocessing:
                return key, path, names, rules, (float("inf"), 0.0)
            try:
                cost = self.cost.of(key, self.paths[key], path)
            except Exception as error:  # the runtime's own types: it does not load what was planted
                print(f"{number:4} {key} {fault.__name__}: {str(error).splitlines()[0][:150]}", flush=True)
                continue
            if is_fault(*cost):
                return key, path, names, rules, cost
        return None

    def case(self, number, maker, fault, keep):
        planted = self.plant(number, maker, fault)
        if planted is None:
            print(f"{number:4} {maker:5} {fault.__name__}: none of {ATTEMPTS} draws was possible and a fault", flush=True)
            return None
        key, path, names, rules, cost = planted
        try:
            found = self.diagnose(key[1], path, fault is kinds.preprocessing)
        except RuntimeError as error:
            print(f"{number:4} {maker:5} {key[1]:17} {fault.__name__:17} diagnosis failed: {error}", flush=True)
            return None
        result = {"seed": self.seed, "number": number, "maker": maker, "model": key[1], "kind": fault.__name__,
                  "names": sorted(names), "cost": cost[0], **judge(found, names, rules), "against": contradictions(found),
                  "verdict": found["verdict"], "first": first_of(named(found))}
        tell(result)
        if not keep:
            path.unlink()
        elif result["cause"] and not result["against"]:
            path.unlink()
        else:
            path.with_suffix(".json").write_text(json.dumps(found))
        return result


def tell(result):
    text = ("cause" if result["cause"] else "unexplained" if result["unexplained"] else "FALSE" if result["false"] else "op")
    first, named = result["first"], "op " if result["op"] else "-- "
    print(f"{result['number']:4} {result['maker']:5} {result['model']:17} {result['kind']:17} {result['names'][0][-28:]:28} "
          f"{result['cost']:5.1f} dB  {named} {text:11} ({first['rule']} {first['op'][-28:]}) {' '.join(result['against'])}",
          flush=True)


COLUMNS = ("op", "cause", "false", "unexplained", "against")


def table(results):
    """Maker by kind: cases, op named, op and cause, false cause, unexplained, contradictions."""
    def line(label, own):
        if own:
            counts = " ".join(f"{sum(bool(r[c]) for r in own):11}" for c in COLUMNS)
            print(f"{label:36} {len(own):5} {counts}")
    print(f"{'':36} {'cases':>5} " + " ".join(f"{c:>11}" for c in COLUMNS))
    makers, all_kinds = (list(dict.fromkeys(r[k] for r in results)) for k in ("maker", "kind"))
    for kind in all_kinds:
        for maker in makers:
            line(f"{kind} {maker}", [r for r in results if (r["kind"], r["maker"]) == (kind, maker)])
    for field in ("maker", "model", "kind"):
        for value in dict.fromkeys(r[field] for r in results):
            line(f"all {value}", [r for r in results if r[field] == value])
    line("all", results)


def arguments_of(text=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--cases", type=int, default=76)
    parser.add_argument("--seed", type=int, default=14)
    parser.add_argument("--part", nargs=2, type=int, default=(0, 1))
    parser.add_argument("--kind", default="")
    parser.add_argument("--maker", default="")
    parser.add_argument("--model", default="")
    parser.add_argument("--keep")
    parser.add_argument("--healthy", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--table", action="store_true")
    return parser.parse_args(text)


def known_results(folder):
    path = folder / "results.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def main():
    arguments = arguments_of()
    if not files.DATA.exists():
        print("skipped: ../shared/testdata is not there")
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(arguments.keep or scratch)
        if arguments.table:
            table(known_results(folder))
            return
        bench = Bench(arguments.program, folder, arguments.seed, arguments.quick)
        bench.prepare()
        bench.paths = {key: path for key, path in bench.paths.items() if arguments.model in key[1]}
        makers = [m for m in (*files.MAKERS, "quark") if any(k[0] == m for k in bench.paths)
                  and (arguments.maker in m if arguments.maker else m in files.MAKERS)]
        if arguments.healthy:
            for key in sorted(k for k in bench.paths if k[0] in makers):
                bench.healthy(key)
            return
        faults = [f for f in kinds.FAULTS if arguments.kind in f.__name__]
        done = {(r["seed"], r["number"]) for r in known_results(folder)}
        results = []
        for number in range(arguments.part[0], arguments.cases, arguments.part[1]):
            if (arguments.seed, number) in done:
                continue
            maker, fault = makers[number % len(makers)], faults[number // len(makers) % len(faults)]
            result = bench.case(number, maker, fault, bool(arguments.keep))
            if result:
                results.append(result)
                if arguments.keep:
                    with open(folder / "results.jsonl", "a", encoding="utf-8") as log:
                        log.write(json.dumps(result) + "\n")
        table(results)


if __name__ == "__main__":
    sys.exit(main())
