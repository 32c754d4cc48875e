# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends a run with 130, kill -9 without a word; both leave a workload that says so, and no half file."""

import signal
import subprocess
import time

import harness


def start(sandbox, name, before=()):
    """A long run; returns once it is calibrating or diagnosing."""
    log = sandbox.path / f"{name}.log"
    with log.open("w") as stderr:
        process = subprocess.Popen(
            [*before, harness.program(), "quantize", harness.DEMO / "digits.onnx", "--data", sandbox.write(
                "many.yaml", "random: {count: 10000000, seed: 0}\n"), "-o", sandbox.path / f"{name}.onnx",
             "--diagnose", "--progress", "json", "--name", name],
            stderr=stderr, stdout=subprocess.PIPE, env=sandbox.environment)
    for _ in range(600):
        if '"progress","step":"diagnose"' in log.read_text():
            return process
        time.sleep(0.1)
    process.kill()
    raise AssertionError(f"it never got to diagnose:\n{log.read_text()}")


def state(sandbox, name):
    rows = [row for row in sandbox.json("workloads", "list") if row["name"] == name]
    return rows[0]["id"], rows[0]["state"], rows[0]["message"]


def main():
    sandbox = harness.Sandbox()
    for name, sent, code in (("asked", signal.SIGINT, 130), ("ended", signal.SIGTERM, 130),
                             ("hung_up", signal.SIGHUP, 130),
                             ("killed", signal.SIGKILL, -signal.SIGKILL)):
        process = start(sandbox, name)
        identity, now, _ = state(sandbox, name)
        harness.check(now == "wip", f"{name}: the workload is {now} while it runs")
        sandbox.run("workloads", "delete", identity, code=1)
        process.send_signal(sent)
        harness.check(process.wait(60) == code, f"{name}: exit code {process.returncode}")
        _, after, message = state(sandbox, name)
        harness.check((after, message) == ("failure", "interrupted"), f"{name}: the workload is {after}, {message}")
        harness.check((sandbox.path / f"{name}.onnx").exists(), f"{name}: the quantized model is kept")
        harness.check(harness.file_of(sandbox.workload(identity) / "plan.json").exists(), f"{name}: and what was finished")
        sandbox.run("workloads", "show", identity)
        sandbox.run("workloads", "delete", identity)
        harness.check(not sandbox.workload(identity).exists(), f"{name}: it can be deleted")
    harness.check(not list(sandbox.path.rglob("*.part*")), "nothing is half-written")
    ignored = start(sandbox, "nohup", ["nohup"])
    ignored.send_signal(signal.SIGHUP)
    time.sleep(1)
    harness.check(ignored.poll() is None, "nohup: it goes on")
    ignored.send_signal(signal.SIGTERM)
    harness.check(ignored.wait(60) == 130, "  until it is asked to end")


main()
