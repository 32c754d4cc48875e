# SPDX-License-Identifier: Apache-2.0
"""Arguments of the Python package: those of the command line, numbers as text, and an error that names what is wrong."""
import inspect
import os
import pathlib
import re
import sys

import harness

PACKAGE = harness.python_package()
harness.need("numpy", "onnx")
sys.path.insert(0, PACKAGE)

import quantlens  # noqa: E402
from quantlens._arguments import CHECKS  # noqa: E402

MODEL, DATA = harness.DEMO / "digits.onnx", harness.DEMO / "digits.npz"
FUNCTIONS = {name: getattr(quantlens, name) for name in quantlens.__all__ if inspect.isfunction(getattr(quantlens, name))}
# What each is called with beside the option in question: nothing is there, so that a call that is not refused ends at once.
NEEDED = {"benchmark": ("no.onnx",), "calibrate": ("no.onnx", "no.npz"), "compare": ("none", "none"), "delete_run": ("none",),
          "diagnose": ("no.onnx", "no.onnx", "no.npz"), "evaluate": ("no.onnx", "no.npz", "top1"), "export": ("none", "csv"),
          "inspect": ("no.onnx",), "judge": ("none",), "merge": ("no.bin", ["one.bin"]), "open_run": ("none",),
          "profile": ("no.onnx",), "quantize": ("no.onnx", "no.npz"), "report": ("none",), "tensorboard": ("none",),
          "tune": ("no.onnx", "no.npz", "top1")}
ALSO = {"calibrate": {"output": "no.bin"}, "demo": {"folder": "no"}, "serve": {"options": ["--no-such"]}}
NOTHING = object()
WRONG = (None, NOTHING, [], [NOTHING], {}, {"a": NOTHING}, b"bytes", float("nan"), float("inf"), -3, 10**30, "", "no", "1%",
         "\udcff", "a\0b", 1 + 2j, NOTHING.__class__)
POSITIONAL = {"OUT": "output", "IN": "inputs"}
SPELLED = {"-o": "output", "--as": "as_", "-h,--help": None}


def told_by(verb, /, **options):
    """What it raises: an error of quantlens or of Python's own call; anything else is a fault."""
    given = dict(zip(inspect.signature(FUNCTIONS[verb]).parameters, NEEDED.get(verb, ())))
    given = {**given, **ALSO.get(verb, {}), **options}
    runs = given.pop("runs", ())
    try:
        FUNCTIONS[verb](*(runs if isinstance(runs, tuple) else [runs]), **given)
    except (quantlens.Error, TypeError) as error:
        return str(error)
    except BaseException as error:  # noqa: BLE001: this is what is looked for
        raise AssertionError(f"{verb}({options}) raises {type(error).__name__}: {error}") from error
    return ""


def wrong_types():
    calls = silent = 0
    for name, function in FUNCTIONS.items():
        for option, parameter in inspect.signature(function).parameters.items():
            kind = str(parameter.annotation).removesuffix(" | None")
            for value in WRONG:
                if parameter.kind is parameter.VAR_POSITIONAL:
                    value = (value,)
                told = told_by(name, **{option: value})
                calls += 1
                assert "bad_cast" not in told and "incompatible" not in told, f"{name}({option}={value!r}): {told}"
                if kind in CHECKS and (value is NOTHING or value == (NOTHING,)):
                    assert told.startswith(f"{name}: {option}="), f"{name}({option}=object()): {told}"
                silent += not told
    harness.check(calls > 1000, f"{calls} calls with a wrong argument end in an error of quantlens or in none ({silent})")
    without = [(name, option) for name, function in FUNCTIONS.items()
               for option, one in inspect.signature(function).parameters.items()
               if str(one.annotation).removesuffix(" | None") not in (*CHECKS, "Recipe") and option != "example_inputs"]
    harness.check(not without, f"arguments that nothing checks: {without}")


def as_text(sandbox):
    """Numbers as the command line has them, with its limits and its words."""
    coarse = {"weight": {"granularity": "per_tensor"}, "accuracy_level": "fast"}
    run = quantlens.quantize(MODEL, DATA, output="text.onnx", limit="20", threads="1", batch_size="4", diagnose=True,
                             metric="top1", recipe=coarse, progress=False)
    same = [quantlens.report(run, output="text.xml", max_loss=share, progress=False).missed for share in ("1%", "0.01", 0.01)]
    harness.check(same[0] == same[1] == same[2], f"1%, '0.01' and 0.01 are one: {same[0]}")
    missed = quantlens.report([run], output="text.md", fail_below="200", progress=False).missed
    harness.check(len(missed) == 1 and "200 dB" in missed[0], f"a list of one run, and a bound as text: {missed}")
    tuned = quantlens.tune(MODEL, DATA, "top1", output="tuned.onnx", max_loss="50%", max_trials="2", limit="50", progress=False)
    harness.check(tuned.study.goal.max_loss == 0.5, "tune takes 50%")
    parts = [quantlens.diagnose(MODEL, "text.onnx", DATA, limit=20, shard=shard, progress=False) for shard in ("1/2", (2, 2))]
    few = quantlens.diagnose(MODEL, "text.onnx", DATA, samples="0:10", local="0", progress=False)
    counts = [few.diagnosis.samples, sum(one.diagnosis.samples for one in parts)]
    harness.check(counts == [10, 20], f"shards and ranges are texts or pairs: {counts}")
    for verb in ("quantize", "diagnose", "evaluate", "tune", "calibrate", "profile", "benchmark"):
        words = [str(one) for one in NEEDED[verb] if str(one).endswith(".onnx")]
        for option, parameter in inspect.signature(FUNCTIONS[verb]).parameters.items():
            if "Whole" not in str(parameter.annotation) or option == "shards":
                continue
            mine = told_by(verb, **{option: "x"})
            range_ = re.search(r"is no whole number from (\d+) to (\d+)", mine)
            theirs = sandbox.run(verb, *words, f"--{option.replace('_', '-')}", "x", code=None).stderr
            if "is no whole number" in theirs:  # the rest are options of Python alone
                assert range_ and range_[0] in theirs, f"{verb} {option}: {mine} / {theirs}"
    harness.check(True, "whole numbers have the limits of the command line")


def options_of(sandbox, verb):
    """Of the command line: the option, and what its help says of it."""
    found, last = {}, None
    for line in sandbox.run(verb, "--help").stdout.splitlines():
        begun = re.match(r"^  (-[a-zA-Z],--[a-z-]+|--?[a-z][a-z-]*|[A-Z]+)(?=[ \[])(.*)", line)
        if begun:
            last = begun[1]
            found[last] = begun[2]
        elif last and line.startswith("   "):
            found[last] += " " + line.strip()
        else:
            last = None
    return found


def rows_of(title):
    """Of the table below a heading of docs/python.md: the names in backticks of its first column, by what the second says."""
    text = (harness.SOURCE / "docs" / "python.md").read_text(encoding="utf-8").split(f"## {title}\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `")]
    return [(set(re.findall(r"`([^`]+)`", row[0])), set(re.findall(r"`([^`]+)`", row[1]))) for row in rows]


def excuses(rows, name, verb):
    return {(at, name) for at, (names, verbs) in enumerate(rows) if name in names and (verb in verbs or "all" in verbs)}


def of_the_command_line(sandbox):
    """Each option is a keyword of the same name and default, or in the list of docs/python.md, which names nothing else."""
    left, more = rows_of("What the command line has beyond this"), rows_of("What Python has beyond the command line")
    used_left, used_more = set(), set()
    for verb in FUNCTIONS:
        if verb in ("open_run", "delete_run", "workloads", "serve"):  # the first are parts of one verb; serve has `options`
            continue
        parameters = inspect.signature(FUNCTIONS[verb]).parameters
        options = options_of(sandbox, verb)
        keywords = set()
        for option, help_ in options.items():
            keyword = SPELLED.get(option, POSITIONAL.get(option, option.lstrip("-").replace("-", "_").lower()))
            if keyword is None:
                continue
            excused = excuses(left, option.split(",")[-1], verb)
            if excused:
                used_left |= excused
                continue
            if keyword == "run" and "runs" in parameters:
                keyword = "runs"
            assert keyword in parameters, f"{verb} {option}: is no argument of quantlens.{verb}, nor listed in docs/python.md"
            keywords.add(keyword)
            default = parameters[keyword].default
            if default not in (None, False, True, (), inspect.Parameter.empty, "last"):
                assert f"{default})" in help_, f"{verb} {option}: the default is not {default}: {help_}"
        for keyword in set(parameters) - keywords:
            excused = excuses(more, keyword, verb)
            assert excused, f"quantlens.{verb}({keyword}=) is no option of the command line, nor listed in docs/python.md"
            used_more |= excused
    said_left = {(at, name) for at, (names, _) in enumerate(left) for name in names}
    said_more = {(at, name) for at, (names, _) in enumerate(more) for name in names}
    harness.check(said_left == used_left and said_more == used_more,
                  f"the lists of docs/python.md name {len(said_left)} and {len(said_more)} options, all of them needed: "
                  f"{said_left ^ used_left} {said_more ^ used_more}")


def in_words_of_python():
    said = told_by("quantize", model=MODEL, data=None)
    harness.check(said.startswith("data= is required") and "approach='dynamic'" in said and "--" not in said, said)
    said = told_by("evaluate", model=MODEL, data=DATA, metric="top7")
    harness.check(said.startswith("metric: there is no metric 'top7'"), said)
    said = told_by("quantize", model=MODEL, data=DATA, verify=3)
    harness.check("diagnose=True" in said, said)
    notes = []

    class Told:
        def update(self, step, done, total):
            pass

        def note(self, sentence):
            notes.append(sentence)

    quantlens.quantize(MODEL, DATA, output="again.onnx", metric="top1", limit=20, progress=Told())
    quantlens.quantize(MODEL, DATA, output="again.onnx", limit=20, progress=Told())
    harness.check(any("calibration_data=" in one for one in notes) and not any("--" in one for one in notes), "notes, too")
    harness.check(any("again.onnx: is written anew" in one for one in notes), "that a run's model is written anew is noted")


def what_is_not_there():
    for call in (lambda: quantlens.inspect("no.onnx"), lambda: quantlens.quantize(MODEL, "no.npz", progress=False),
                 lambda: quantlens.quantize(MODEL, DATA, recipe="no.yaml", progress=False)):
        try:
            call()
        except FileNotFoundError as error:
            assert isinstance(error, quantlens.NotFound), error
    for call in (lambda: quantlens.open_run("none-such"), lambda: quantlens.compare("none-such", "last")):
        try:
            call()
        except LookupError as error:
            harness.check(isinstance(error, quantlens.NotFound) and "none-such" in str(error), f"no such run: {error}")


def main():
    sandbox = harness.Sandbox()
    os.environ["QUANTLENS_WORKSPACE"] = sandbox.environment["QUANTLENS_WORKSPACE"]
    os.environ["QUANTLENS_PROGRAM"] = harness.program()
    os.chdir(pathlib.Path(sandbox.path))
    wrong_types()
    of_the_command_line(sandbox)
    as_text(sandbox)
    in_words_of_python()
    what_is_not_there()


main()
