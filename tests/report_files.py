# SPDX-License-Identifier: Apache-2.0
"""A stored run as Markdown, JUnit and SARIF: as other programs read them, and with the figures of the run's records."""

import html
import json
import os
import re
import shutil
import xml.etree.ElementTree

import harness


def report(sandbox, ending, *options, code=0):
    path = sandbox.path / f"report{ending}"
    path.unlink(missing_ok=True)
    sandbox.run("report", "last", "-o", path, *options, code=code)
    return path.read_text(encoding="utf-8")


def junit(sandbox, shown, *options, code=0):
    """Its test cases by name, each with its failure or None."""
    root = xml.etree.ElementTree.fromstring(report(sandbox, ".xml", *options, code=code))
    (suite,) = root
    harness.check((root.tag, suite.tag) == ("testsuites", "testsuite"), "one suite")
    cases = suite.findall("testcase")
    failures = [one for one in cases if one.find("failure") is not None]
    told = [int(suite.get(name)) for name in ("tests", "failures", "skipped")]
    harness.check(told == [len(cases), len(failures), 0], f"the suite counts its tests: {told}")
    harness.check(abs(float(suite.get("time")) - sum(shown["times"].values())) < 1e-3, "and has the seconds of the run")
    harness.check(len({one.get("name") for one in cases}) == len(cases), "no two tests have one name")
    verdict = shown["result"]["diagnosis"]["verdict"]
    harness.check(suite.find("system-out").text == verdict, "the suite says the verdict")
    for one in failures:
        failure = one.find("failure")
        harness.check(failure.get("message") and failure.get("type") and failure.text, f"{one.get('name')} says why it fails")
        if one.get("classname") != "quantlens.finding":
            harness.check(failure.get("message").endswith(verdict), "the reason, and the verdict behind it")
    return {one.get("name"): one.find("failure") for one in cases}


def sarif(sandbox, *options, code=0):
    """Its run, with the properties that the standard and GitHub's code scanning ask for."""
    log = json.loads(report(sandbox, ".sarif", *options, code=code))
    harness.check(log["version"] == "2.1.0" and "sarif" in log["$schema"], "version and schema")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    harness.check(driver["name"] == "quantlens" and driver["version"], "the tool and its version")
    rules = [rule["id"] for rule in driver["rules"]]
    harness.check(len(set(rules)) == len(rules), "each rule is there once")
    harness.check(all(rule["shortDescription"]["text"].endswith(".") for rule in driver["rules"]), "each says what it is")
    for result in run["results"]:
        harness.check(rules[result["ruleIndex"]] == result["ruleId"], f"the rule of {result['ruleId']}")
        harness.check(result["level"] in ("error", "warning", "note") and result["message"]["text"], "level and message")
        (place,) = result["locations"]
        uri = place["physicalLocation"]["artifactLocation"]["uri"]
        harness.check(re.fullmatch(r"[\w.~/%-]+", uri) and not uri.startswith("/"), f"a relative file: {uri}")
        harness.check(place["physicalLocation"]["region"]["startLine"] == 1, "a line")
        harness.check(result["partialFingerprints"]["primaryLocationLineHash"], "a fingerprint")
    harness.check(isinstance(run["invocations"][0]["executionSuccessful"], bool), "whether the run was completed")
    return run


def without_gates(sandbox, shown):
    diagnosis = shown["result"]["diagnosis"]
    findings = diagnosis["findings"]
    cases = junit(sandbox, shown)
    harness.check(len(cases) == len(findings) + 2, f"a test for each of {len(findings)} findings, and two")
    for finding in findings:
        failure = cases[f"{finding['rule']}: {finding['op']['name']}"]
        harness.check((failure is not None) == (finding["severity"] == "problem"), f"{finding['rule']} fails if a problem")
        if failure is not None:
            harness.check(finding["because"] in failure.get("message"), "with the sentence of the record")
    run = sarif(sandbox)
    harness.check([one["ruleId"] for one in run["results"]] == [one["rule"] for one in findings], "a result for each finding")
    for result, finding in zip(run["results"], findings):
        harness.check(finding["because"] in result["message"]["text"], "the sentence of the record")
        logical = result["locations"][0]["logicalLocations"][0]
        op = {"id": logical["fullyQualifiedName"], "name": logical["name"]}
        harness.check(op == finding["op"], f"at {op['name']}")
        harness.check(result["properties"].get("remedy") == finding["remedy"], "with its remedy")
    harness.check(run["properties"] == {"workload": shown["id"], "verdict": diagnosis["verdict"]}, "and the verdict")
    harness.check(run["tool"]["driver"]["version"] == shown["environment"]["quantlens"], "by the version that judged")


def markdown(sandbox, shown):
    """As it looks: without what keeps Markdown from reading names as its own."""
    text = report(sandbox, ".md", "--fail-below", "1000", code=3)
    plain = re.sub(r"\\(.)", r"\1", text)
    lines = plain.splitlines()
    diagnosis = shown["result"]["diagnosis"]
    harness.check(lines[0] == f"**Verdict on {shown['name']}:** {diagnosis['verdict']}", "the verdict stands first")
    harness.check(lines[2].startswith("**Gate missed:** SQNR >= 1000 dB: "), f"the missed gate is next: {lines[2]}")
    for name in ("reference", "quantized"):
        value = f"{shown['result'][name]['value']:g}"
        harness.check(any(f"| {value} |" in line for line in lines), f"the accuracy of the {name} model: {value}")
    for number, finding in enumerate(diagnosis["findings"], 1):
        said = next(line for line in lines if line.startswith(f"{number}. "))
        harness.check(all(part in said for part in (finding["rule"], finding["op"]["name"], finding["because"])), said)
    ops = [line for line in lines if line.startswith("| ") and line.endswith("| float |") or "| integer_output |" in line
           or "| q_output |" in line]
    worst = [row["op"]["name"] for row in diagnosis["activations"][:10]]
    harness.check([line.split(" | ")[0][2:] for line in ops] == worst, f"the {len(worst)} worst ops")
    for model in shown["models"]:
        harness.check(f"SHA-256 {model['sha256'][:12]}" in plain, f"the {model['role']} model's hash")
        harness.check(model["path"].rpartition("/")[0] not in plain, "and no folder of this machine")
    harness.check(f"| Id | {shown['id']} |" in lines and f"| When | {shown['created']} |" in lines, "which run, and when")


def origin(sandbox):
    """A reviewer sees which run it is, and no folder of this machine."""
    model, data = harness.DEMO / "digits.onnx", harness.DEMO / "digits.npz"
    recipe = "{weight: {granularity: per_tensor}}"
    sandbox.run("quantize", model, "-o", sandbox.path / "out.onnx", "--data", data, "--limit", "8", "--recipe", recipe,
                "--metric", "top1:label_offset=0", "-q")
    text = report(sandbox, ".md")
    plain = re.sub(r"\\(.)", r"\1", text)
    for row in ("| Data | digits.npz, 8 samples |", "| Metric | top1:label_offset=0 |"):
        harness.check(row in plain, row)
    rows = {line.split(" | ")[0][2:]: line for line in plain.splitlines() if line.startswith("| ")}
    harness.check("weight.granularity: per_tensor" in rows["Recipe"], rows["Recipe"])
    command = "quantlens quantize digits.onnx -o out.onnx --data digits.npz --limit 8 --recipe"
    harness.check(command in rows["Command"], rows["Command"])
    harness.check(str(harness.DEMO) not in plain and str(sandbox.path) not in plain, "and no folder")


def damaged(sandbox, identity):
    """What is missing or damaged is named, and the verdict is told all the same; of its own record nothing can be told."""
    folder, page = sandbox.workload(identity), sandbox.path / "page.html"

    def told(change, *words):
        copy = folder.with_name(folder.name + "-copy")
        shutil.copytree(folder, copy)
        change(copy)
        page.unlink(missing_ok=True)
        for verb in (["report", copy.name], ["compare", copy.name, identity]):
            done = sandbox.run(*verb, "-o", page)
            sentence = next((line for line in done.stderr.splitlines() if f"{copy.name}/{words[0]}: " in line), "")
            harness.check(all(word in sentence for word in words) and "; " in sentence, f"{verb[0]}: {sentence or done.stderr}")
            harness.check(sentence.removeprefix("note: ") in html.unescape(page.read_text()), "and the page says so")
        shutil.rmtree(copy)

    if sandbox.run("report", identity, "-o", page, code=None).returncode != 0:
        print("NOT TRIED: the page of a damaged run, since this program has no pages")
    else:
        told(lambda copy: (copy / "histograms.bin").unlink(), "histograms.bin", "is missing")
        told(lambda copy: (copy / "ranges.json").write_text("{"), "ranges.json")
        told(lambda copy: ((copy / "ranges.json").unlink(), os.mkfifo(copy / "ranges.json")), "ranges.json", "it is no file")
    for change in (lambda path: path.unlink(), lambda path: path.write_text("")):
        copy = folder.with_name(folder.name + "-copy")
        shutil.copytree(folder, copy)
        change(copy / "workload.json")
        for verb in (["report", copy.name, "-o", "no.md"], ["report", copy.name, "-o", "no.html"], ["workloads", "show", copy.name],
                     ["tensorboard", copy.name, "--logdir", "no"], ["export", copy.name, "--as", "csv", "-o", "no"],
                     ["export", copy.name, "--as", "netron", "-o", "no.onnx"], ["compare", copy.name, identity]):
            refused = sandbox.run(*verb, code=1).stderr
            harness.check(f"{copy.name}/workload.json: is " in refused and "name another run" in refused, f"{verb[0]}: {refused.strip()}")
        shutil.rmtree(copy)


def hostile_name(sandbox):
    name = "n<b>|\x1b[31m\n@x\u0085"
    model, data = harness.DEMO / "digits.onnx", harness.DEMO / "digits.npz"
    sandbox.run("quantize", model, "-o", sandbox.path / "out.onnx", "--data", data, "--limit", "8", "--name", name, "-q")
    done = sandbox.run("report", "last", "-o", sandbox.path / "name.html", code=None)
    if done.returncode == 0:
        text = (sandbox.path / "name.html").read_text()
        harness.check("\x1b" not in text and "\x85" not in text and "<b>" not in text, "a page has no control character of a name")


def through_a_link(sandbox):
    target, link = sandbox.path / "target.md", sandbox.path / "link.md"
    link.symlink_to("target.md")
    sandbox.run("report", "last", "-o", link)
    harness.check(link.is_symlink() and "Verdict" in target.read_text(), "a link stays, and the file that it means is written")
    link.unlink()
    link.symlink_to("link.md")
    refused = sandbox.run("report", "last", "-o", link, code=1)
    harness.check("link.md: cannot write: Too many levels" in refused.stderr, refused.stderr.strip())


def gates(sandbox, shown):
    reached = ("--fail-below", "-1000")
    harness.check(not any(junit(sandbox, shown, *reached).values()), "nothing fails where the gate is reached")
    harness.check(all(one["level"] != "error" for one in sarif(sandbox, *reached)["results"]), "nor is it an error")
    missed = ("--fail-below", "1000", "--max-loss", "0.001")
    failed = [name for name, failure in junit(sandbox, shown, *missed, code=3).items() if failure is not None]
    harness.check({"SQNR >= 1000 dB", "accuracy loss <= 0.1 %"} < set(failed), f"both gates fail, and findings: {failed}")
    rules = [one["ruleId"] for one in sarif(sandbox, *missed, code=3)["results"]]
    harness.check(rules[:2] == ["gate/sqnr", "gate/accuracy"], "both are results")


def same_finding_same_alert(sandbox, first):
    sandbox.run("demo", "-q")
    prints = [[one["partialFingerprints"] for one in run["results"]] for run in (first, sarif(sandbox))]
    harness.check(prints[0] == prints[1], "the same findings of another run have the same fingerprints")


def main():
    sandbox = harness.Sandbox()
    sandbox.run("demo", "-q")
    shown = sandbox.json("workloads", "show", "last")
    without_gates(sandbox, shown)
    markdown(sandbox, shown)
    gates(sandbox, shown)
    same_finding_same_alert(sandbox, sarif(sandbox))
    damaged(sandbox, shown["id"])
    through_a_link(sandbox)
    origin(sandbox)
    hostile_name(sandbox)


main()
