# SPDX-License-Identifier: Apache-2.0
"""Jobs over the API: a real quantization, a cancelled benchmark, what is refused, and kill -9 of server and jobs."""

import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import time

import harness
import serving

ENDS = ("success", "failure", "cancelled", "interrupted")
ROUNDS = int(os.environ.get("QUANTLENS_KILL_ROUNDS", "12"))


class Server:
    """The program serving a workspace; started and killed as a test wants."""

    def __init__(self, sandbox, root):
        self.sandbox, self.root = sandbox, root
        self.workspace = sandbox.path / "workspace"
        self.start()

    def start(self):
        self.served = serving.Server(self.sandbox, "--allow-insecure-connections", "--workspace", self.workspace, "--root",
                                     self.root, "--job-cores", "1", port=0)

    def kill(self):
        self.served.end(signal.SIGKILL)

    def stop(self):
        self.served.end(signal.SIGTERM)

    def ask(self, method, path, body=None, status=200, kind="application/json"):
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body)
        headers = {} if body is None else {"Content-Type": kind}
        was, answered, text = self.served.ask(method, path, headers, body)
        if was != status:
            raise AssertionError(f"{method} {path}: {was}, not {status}: {text[:400]}")
        return json.loads(text) if answered["Content-Type"] == "application/json" else text.decode()

    def submit(self, status=201, **job):
        return self.ask("POST", "/api/v1/jobs", job, status)

    def job(self, identity):
        return self.ask("GET", f"/api/v1/jobs/{identity}")

    def wait(self, identity, is_so, seconds=120):
        for _ in range(seconds * 20):
            job = self.job(identity)
            if is_so(job):
                return job
            time.sleep(0.05)
        raise AssertionError(f"it never came to be: {json.dumps(job)[:600]}")

    def ended(self, identity):
        return self.wait(identity, lambda job: job["state"] in ENDS)

    def under_way(self, identity):
        return self.wait(identity, lambda job: job["progress"] is not None)


def marked(workspace):
    """Processes of this workspace's jobs: the job's folder by pid."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if entry.joinpath("stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                continue
            for one in entry.joinpath("environ").read_bytes().split(b"\0"):
                if one.startswith(b"QUANTLENS_JOB=" + os.fsencode(workspace)):
                    found[int(entry.name)] = pathlib.Path(os.fsdecode(one.split(b"=", 1)[1]))
        except OSError:
            continue
    return found


def made_model(server, job):
    """What a client on another machine gets."""
    status, headers, text = server.served.ask(path=f"/api/v1/jobs/{job['id']}/made")
    harness.check(status == 200 and text == pathlib.Path(job["output"]).read_bytes(),
                  f"the model that it made is sent: {len(text)} bytes")
    harness.check(pathlib.Path(job["output"]).name in headers["Content-Disposition"], "  under its name")


def reported(server, run, root):
    summary = root / "summary.md"
    done = server.ended(server.submit(verb="report", workload=run, output=str(summary))["id"])
    harness.check((done["state"], done["exit_code"]) == ("success", 0) and run in summary.read_text(), "a job reports a run")
    summary.unlink()
    missed = server.ended(server.submit(verb="report", workload=run, output=str(summary), fail_below=200)["id"])
    harness.check((missed["state"], missed["exit_code"]) == ("success", 3) and "goal was missed" in missed["message"],
                  f"a gate that is missed is told: {missed['message']}")
    summary.unlink()


def shown_in_tensorboard(server, run, root):
    """A job writes event files into a new folder below the roots, and into no other."""
    folder = root / "events"
    job = server.submit(verb="tensorboard", workload=run, logdir=str(folder))
    done = server.ended(job["id"])
    files = sorted(path.relative_to(folder).parts[:2] for path in folder.rglob("*tfevents*"))
    harness.check((done["state"], job["cores"], done["output"]) == ("success", 1, None) and len(files) == 2,
                  f"a job writes event files: {files}")
    server.submit(status=409, verb="tensorboard", workload=run, logdir=str(folder))
    server.submit(status=403, verb="tensorboard", workload=run, logdir=str(root.parent / "elsewhere"))
    harness.check(not (root.parent / "elsewhere").exists(), "and none elsewhere")
    shutil.rmtree(folder)


def quantize_and_follow(server, model, data):
    job = server.submit(verb="quantize", model=str(model), data=str(data), diagnose=True, metric="top1",
                        recipe={"weight": {"granularity": "per_tensor"}}, name="<b>first</b>")
    harness.check(job["state"] == "queued" and job["cores"] == 1, "a job waits for its core")
    done = server.ended(job["id"])
    harness.check((done["state"], done["exit_code"]) == ("success", 0), f"it succeeds: {done['message']}")
    harness.check(pathlib.Path(done["output"]).stat().st_size > 0, "the quantized model is in the job's folder")
    made_model(server, done)
    run = server.ask("GET", f"/api/v1/workloads/{done['workload']}")
    harness.check(run["state"] == "success" and run["name"] == "<b>first</b>", "and the workload is there")
    reported(server, done["workload"], pathlib.Path(model).parent)
    shown_in_tensorboard(server, done["workload"], pathlib.Path(model).parent)
    log, after = "", 0
    while True:
        part = server.ask("GET", f"/api/v1/jobs/{job['id']}/log?after={after}")
        if not part["text"]:
            break
        log, after = log + part["text"], part["end"]
    steps = {json.loads(line).get("step") for line in log.splitlines()}
    harness.check({"calibrate", "diagnose"} <= steps, "its log tells the steps")
    output = server.ask("GET", f"/api/v1/jobs/{job['id']}/log?stream=output")["text"]
    harness.check("quantized model:" in output, "and its output the result")
    again = server.submit(verb="diagnose", model=str(model), quantized=done["output"], data=str(data), limit=50)
    harness.check(server.ended(again["id"])["state"] == "success", "what a job made is taken by another job")
    server.ask("DELETE", f"/api/v1/jobs/{job['id']}", status=400)
    server.ask("DELETE", f"/api/v1/jobs/{job['id']}?confirm={job['id']}")
    server.ask("GET", f"/api/v1/jobs/{job['id']}", status=404)
    harness.check(not pathlib.Path(done["output"]).exists(), "a removed job takes its model along")


def long_job(server, model, **more):
    return server.submit(verb="benchmark", model=str(model), iterations=100000, rounds=1000, **more)


def cancel(server, model):
    running, waiting = long_job(server, model)["id"], long_job(server, model)["id"]
    server.wait(running, lambda job: job["workload"] is not None)
    harness.check(server.job(waiting)["before"] == 0, "the next one waits")
    server.ask("POST", f"/api/v1/jobs/{running}/cancel", {})
    begun = time.monotonic()
    done = server.ended(running)
    harness.check(done["state"] == "cancelled", f"a cancelled job ends within {time.monotonic() - begun:.1f} s")
    harness.check(server.ask("GET", f"/api/v1/workloads/{done['workload']}")["message"] == "interrupted", "and its run")
    server.ask("POST", f"/api/v1/jobs/{waiting}/cancel", {})
    server.ended(waiting)
    server.ask("POST", f"/api/v1/jobs/{running}/cancel", {}, status=409)
    server.ask("DELETE", f"/api/v1/jobs/{waiting}")


def progress(server, model, root):
    (root / "many.yaml").write_text("random: {count: 1000000}\n")
    job = server.submit(verb="evaluate", model=str(model), data=str(root / "many.yaml"), metric="mse")
    server.ended(job["id"])  # random data have no labels: it fails, and says why
    harness.check(server.job(job["id"])["message"].startswith("quantlens: "), "a failure is told in the program's words")
    job = server.submit(verb="quantize", model=str(model), data=str(root / "many.yaml"), diagnose=True)
    seen = server.wait(job["id"], lambda one: (one["progress"] or {}).get("remaining_seconds"))["progress"]
    harness.check(seen["rate"] > 0 and seen["total"] == 1000000 and seen["done"] > 0, f"rate and remaining time: {seen}")
    server.ask("POST", f"/api/v1/jobs/{job['id']}/cancel", {})
    harness.check(server.ended(job["id"])["state"] == "cancelled", "a diagnosis is cancelled")


def refusals(server, model, root):
    outside = server.sandbox.path / "outside.onnx"
    shutil.copy(model, outside)
    (root / "link.onnx").symlink_to(outside)
    (root / "outside.yaml").write_text(f"npz: {{file: {server.sandbox.path / 'secret.npz'}}}\n")
    model = str(model)
    for path in (outside, root / "link.onnx", "/etc/passwd", f"{root}/../outside.onnx", server.workspace / "token"):
        server.submit(403, verb="profile", model=str(path))
        server.submit(403, verb="quantize", model=model, data=str(path))
    server.submit(403, verb="quantize", model=model, data=str(root / "outside.yaml"))
    server.submit(403, verb="quantize", model=model, output=str(server.sandbox.path / "new.onnx"))
    server.submit(403, verb="evaluate", model=model, data="random", metric="command:touch /tmp/x")
    for hostile in ({"verb": "serve"}, {"verb": "quantize", "model": "--help"}, {"verb": "quantize", "model": model, "workspace": "/"},
                    {"verb": "quantize", "model": model, "limit": "--workspace=/"}, {"verb": "quantize", "model": model, "-o": "x"}):
        server.submit(400, **hostile)
    server.ask("POST", "/api/v1/jobs", b"verb=quantize", 415, "text/plain")
    server.ask("POST", "/api/v1/jobs", b"[", 400)
    server.ask("POST", "/api/v1/jobs", b"[]", 400)
    for path in ("root=/", f"root={root}&path=..", f"root={root}&path=../..", f"root={root}&path=/etc"):
        server.ask("GET", f"/api/v1/files?{path}", status=403)
    listed = server.ask("GET", f"/api/v1/files?root={root}")["entries"]
    names = [entry["name"] for entry in listed]
    harness.check("digits.onnx" in names and "link.onnx" not in names, "the file picker leaves out links to other places")
    harness.check(len(server.ask("GET", "/api/v1/files")["entries"]) == 2, "the roots are the workspace and the folder")


def uploads(server, model):
    kept = server.ask("PUT", "/api/v1/uploads/mine.onnx", model.read_bytes(), 201, "application/octet-stream")
    server.ask("PUT", "/api/v1/uploads/cut.onnx", model.read_bytes()[:-9], 400, "application/octet-stream")
    server.ask("PUT", "/api/v1/uploads/..%2Fmine.onnx", b"x", 400, "application/octet-stream")
    names = [one["name"] for one in server.ask("GET", "/api/v1/uploads")["uploads"]]
    harness.check(names == ["mine.onnx"], "what is no model is not kept")
    job = server.submit(verb="profile", model=kept["path"], iterations=5)
    harness.check(server.ended(job["id"])["state"] == "success", "an upload is profiled")
    server.ask("DELETE", "/api/v1/uploads/mine.onnx")


def orphans(server):
    """Processes that no record calls running."""
    jobs = {job["id"]: job for job in server.ask("GET", "/api/v1/jobs?limit=1000")["jobs"]}
    return [(pid, folder) for pid, folder in marked(server.workspace).items()
            if jobs.get(folder.name, {"state": "none"})["state"] != "running"]


def kill_at_random(server, model, data):
    """Finished jobs stay finished, no process is without a record, and what was cut off says so."""
    seed = int(os.environ.get("QUANTLENS_SEED", "16"))
    chance, finished, cut = random.Random(seed), {}, 0
    for turn in range(ROUNDS):
        short = server.submit(verb="evaluate", model=str(model), data=str(data), metric="top1")["id"]
        long = long_job(server, model)["id"]
        time.sleep(chance.random() * 1.5)
        pids = [pid for pid, folder in marked(server.workspace).items() if folder.name in (short, long)]
        victim = chance.choice(("server", "job", "both"))
        if victim != "job":
            server.kill()
        if victim != "server" and pids:
            with contextlib.suppress(ProcessLookupError):  # it has just ended
                os.kill(chance.choice(pids), signal.SIGKILL)
        if victim != "job":
            time.sleep(chance.random() * 0.3)
            server.start()
        for identity, state in finished.items():
            if server.job(identity)["state"] != state:
                raise AssertionError(f"round {turn}: {identity} was {state}, and is {server.job(identity)['state']}")
        finished[short] = server.ended(short)["state"]
        state = server.job(long)["state"]
        if state not in ENDS:
            server.ask("POST", f"/api/v1/jobs/{long}/cancel", {})
        finished[long] = server.ended(long)["state"]
        for identity in (short, long):
            run = server.job(identity)["workload"]
            told = server.ask("GET", f"/api/v1/workloads/{run}")["state"] if run else None
            if finished[identity] == "success" and told != "success":
                raise AssertionError(f"round {turn}: {identity} succeeded, and its run is {told}")
            if finished[identity] == "interrupted":
                cut += 1
                if told not in (None, "failure"):
                    raise AssertionError(f"round {turn}: {identity} was interrupted, and its run is {told}")
        for _ in range(100):
            left = orphans(server)
            if not left:
                break
            time.sleep(0.05)
        if left:
            raise AssertionError(f"round {turn}: {left} run without a record")
    states = list(finished.values())
    harness.check("failure" not in states, f"{ROUNDS} times kill -9: { {state: states.count(state) for state in set(states)} }")
    harness.check(cut > 0 or ROUNDS < 10, f"{cut} were cut off, and say so")


def outlive(server, model):
    identity = long_job(server, model)["id"]
    pid = server.wait(identity, lambda job: job["workload"] is not None)["pid"]
    server.stop()
    harness.check(pid in marked(server.workspace), "a job goes on when the server is stopped")
    server.start()
    job = server.job(identity)
    harness.check((job["state"], job["pid"]) == ("running", pid), "and the next server has it")
    server.kill()
    os.kill(pid, signal.SIGKILL)
    server.start()
    harness.check(server.ended(identity)["state"] == "interrupted", "one that died meanwhile is interrupted")
    record = server.workspace / "jobs" / identity / "job.json"
    server.stop()
    record.write_text("{")
    server.start()
    shown = server.job(identity)
    harness.check(shown["state"] == "failure" and "job.json" in shown["message"], "a damaged record is shown as such")
    server.ask("DELETE", f"/api/v1/jobs/{identity}?confirm={identity}")


def unseen(server, model, data):
    made = server.ended(server.submit(verb="quantize", model=str(model), data=str(data))["id"])
    identity = server.submit(verb="diagnose", model=str(model), quantized=made["output"], data=str(data),
                             fail_below=1000)["id"]
    pid = server.wait(identity, lambda job: job["pid"] > 0)["pid"]
    server.kill()
    for _ in range(1200):
        if pid not in marked(server.workspace):
            break
        time.sleep(0.05)
    server.start()
    job = server.ended(identity)
    harness.check((job["state"], job["exit_code"]) == ("success", 3) and "goal was missed" in job["message"],
                  f"the exit code of a job that no server saw end is known: {job['exit_code']}")


def main():
    sandbox = harness.Sandbox()
    root = sandbox.path / "root"
    root.mkdir()
    model = pathlib.Path(shutil.copy(harness.DEMO / "digits.onnx", root))
    data = pathlib.Path(shutil.copy(harness.DEMO / "digits.npz", root))
    server = Server(sandbox, root)
    try:
        quantize_and_follow(server, model, data)
        progress(server, model, root)
        cancel(server, model)
        refusals(server, model, root)
        uploads(server, model)
        outlive(server, model)
        unseen(server, model, data)
        kill_at_random(server, model, data)
        harness.check(not marked(server.workspace), "no process is left")
    finally:
        server.kill()
        for pid in marked(server.workspace):
            os.kill(pid, signal.SIGKILL)


main()
