# SPDX-License-Identifier: Apache-2.0
"""Every command of docs/tour.md and README.md works as it stands, and prints what the page says it prints; every
verb's help has an example."""

import os
import pathlib
import re
import shutil
import subprocess

import harness

BLOCK = re.compile(r"^```(sh|text)( as printed)?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# What differs from run to run and from machine to machine.
VARIES = [(re.compile(r"\d{8}-\d{6}-[\w.-]+"), "WORKLOAD"), (re.compile(r"(?<=[ (])\S*/"), ""),
          (re.compile(r"\s+"), " ")]


def plain(text):
    for pattern, word in VARIES:
        text = pattern.sub(word, text)
    return text.strip()


def run_page(sandbox, page, check_prints):
    """Runs the page's sh blocks in order; a text block "as printed" must be in what the block before printed."""
    folder = sandbox.path / page.stem
    shutil.copytree(harness.DEMO, folder / "examples" / "demo")
    shutil.copy(harness.DEMO / "digits.onnx", folder / "model.onnx")  # in place of the reader's own
    shutil.copy(harness.DEMO / "digits.npz", folder / "samples.npz")
    path = pathlib.Path(harness.program()).parent
    environment = dict(sandbox.environment, PATH=f"{path}{os.pathsep}{os.environ['PATH']}", COLUMNS="100")
    printed = ""
    for kind, checked, text in BLOCK.findall(page.read_text()):
        if kind == "sh":
            if text.startswith(("tools/", "git clone")):
                continue  # how one gets here
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=environment,
                                  capture_output=True, text=True, check=False, timeout=300)
            harness.check(done.returncode == 0, f"{page.name}: {text.strip().splitlines()[0]} {done.stderr}")
            printed = done.stdout
        elif checked and check_prints:
            parts = [plain(part) for part in text.split("\n...\n")]
            for part in parts:
                harness.check(part in plain(printed), f"{page.name}: prints {part[:70]!r}")


def fragments(text):
    """What a help says of its options, in the right column, where that is no sentence."""
    lines = text.splitlines()
    said = []
    for line, after in zip(lines, lines[1:]):
        if re.match(r"  (-|[A-Z]+ (TEXT|\[))", line):
            said.append((line if line[33:34] == " " and line[34:] else after)[34:])
    return [begin for begin in said if not begin[:1].isupper()]


def helps(sandbox):
    """Every verb explains itself, each option in sentences, with an example, on a terminal of 100 columns."""
    verbs = re.findall(r"^  ([a-z]+) ", sandbox.run("--help").stdout.split("ubcommands:")[1], re.MULTILINE)
    harness.check(len(verbs) > 10, f"all verbs: {verbs}")
    for arguments in [[], *([verb] for verb in verbs)]:
        text = sandbox.run(*arguments, "--help").stdout
        wide = [line for line in text.splitlines() if len(line) > 100]
        harness.check(not wide, f"{arguments} --help: {wide}")
        harness.check(not fragments(text), f"{arguments} --help has a sentence for each option: {fragments(text)}")
        harness.check(not arguments or "Example:\n  quantlens " in text, f"{arguments} --help has an example")


def main():
    sandbox = harness.Sandbox()
    helps(sandbox)
    # Without 8-bit dot products, weights have 7 bits by default, and figures are others.
    check_prints = sandbox.json("doctor")["vnni"]
    print(f"figures are {'' if check_prints else 'not '}compared on this CPU")
    run_page(sandbox, harness.SOURCE / "docs" / "tour.md", check_prints)
    run_page(sandbox, harness.SOURCE / "README.md", check_prints)


main()
