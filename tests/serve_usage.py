# SPDX-License-Identifier: Apache-2.0
"""What the command line would refuse of a job is refused when it is asked for, in the same words; what the server's
document allows is taken."""

import json
import pathlib
import shutil

import harness
import serving

JOBS = "/api/v1/jobs"


class Server:
    """One whose only core is taken: what it takes waits until it is cancelled."""

    def __init__(self, served, model):
        self.served = served
        self.busy = self.taken({"verb": "benchmark", "model": model, "iterations": 100000, "rounds": 1000})

    def ask(self, method, path, value=None):
        headers = {"Content-Type": "application/json"}
        status, _, text = self.served.ask(method, path, headers, None if value is None else json.dumps(value))
        return status, text.decode()

    def taken(self, job):
        status, text = self.ask("POST", JOBS, job)
        if status != 201:
            raise AssertionError(f"{job}: {status} {text}")
        return json.loads(text)["id"]

    def drop(self, identity):
        self.ask("POST", f"{JOBS}/{identity}/cancel", {})
        self.ask("DELETE", f"{JOBS}/{identity}?confirm={identity}")


def forms_of(server):
    """By verb: the fields, which it needs, and which need others."""
    document = json.loads(server.ask("GET", "/api/v1/openapi.json")[1])
    body = document["paths"][JOBS]["post"]["requestBody"]["content"]["application/json"]["schema"]
    return {form["properties"]["verb"]["enum"][0]: form for form in body["anyOf"]}


def values_of(name, schema, texts):
    """What the document allows, at its bounds."""
    if "enum" in schema:
        return schema["enum"]
    if name in texts:
        return texts[name]
    kind = schema.get("type")
    if kind == "boolean":
        return [True, False]
    if kind == "integer":
        return [schema["minimum"], schema["maximum"]]
    return [0, 0.5] if kind == "number" else [1, [1, 8]]


def words_of(request):
    """The command line that asks the same."""
    places = ("model", "workload", "other_workload", "quantized", "other")
    words = [request["verb"], *(request[name] for name in places if name in request)]
    for name, value in request.items():
        if name == "verb" or name in places or value is False:
            continue
        option = "-o" if name == "output" else "--" + name.replace("_", "-")
        text = value if isinstance(value, str) else json.dumps(value)
        words += [option] if value is True else [option, text] if option == "-o" else [f"{option}={text}"]
    return words


def what_is_allowed_is_taken(server, base, texts):
    own = {"threads", "cores_per_instance", "instances"}  # bounded by the server's budget as well
    count = 0
    for verb, form in forms_of(server).items():
        needs = form.get("dependentRequired", {})
        for name, schema in form["properties"].items():
            for value in [] if name in {"verb", *own} else values_of(name, schema, texts):
                request = {"verb": verb, **{needed: base[needed] for needed in form["required"] if needed != "verb"}}
                request |= {"data": base["data"]} if verb == "quantize" else {}
                request |= {"objective": "speed"} if name == "prices" else {}
                request |= {needed: True for needed in needs.get(name, [])} | {name: value}
                server.drop(server.taken(request))
                count += 1
            if name in needs:
                status, text = server.ask("POST", JOBS, {**request, needs[name][0]: False})
                if status != 400 or not text.startswith(f"{name}: "):
                    raise AssertionError(f"{verb} {name} without {needs[name]}: {status} {text}")
    harness.check(count > 150, f"{count} requests at the bounds of the document are taken")


def refused_alike(server, sandbox, request):
    status, text = server.ask("POST", JOBS, request)
    words = words_of(request) + (["-o", str(sandbox.path / "made.bin")] if request["verb"] == "calibrate" else [])
    done = sandbox.run(*words, code=None)
    sentence = done.stderr.strip().splitlines()[-1].removeprefix("quantlens: ").partition("; see quantlens ")[0]
    option, colon, rest = sentence.partition(": ")
    if colon and option.startswith("--") and " " not in option:  # "--limit: '0' is ..." is about the field limit
        sentence = rest
    shown = {name: value for name, value in request.items() if name not in ("model", "quantized")}
    harness.check((status, done.returncode) == (400, 2) and sentence in text and ": " in text, f"{shown}: {text}")


def what_is_refused_is_refused_at_once(server, sandbox, model, data):
    smooth = {"recipes": {"smooth_quant": True}}
    file = str(data.parent / "prices.json")
    asked = {
        "quantize": [{"verify": 3}, {"isolate_timeout": 5}, {"data": None}, {"data": None, "diagnose": True},
                     {"data": None, "approach": "dynamic", "diagnose": True},
                     {"data": None, "approach": "weight_only", "metric": "top1"},
                     {"data": None, "recipe": {"fallback": "int8"}},
                     {"ranges": file, "calibration_data": "random"}, {"ranges": file, "recipe": smooth},
                     {"metric": "top1:offset=1"}, {"metric": "top1:label_offset=one"}, {"metric": "f1:average=micro"},
                     {"metric": "top1:positive=1"}, {"recipe": {"wieght": {}}},
                     {"recipe": {"weight": {"dtype": "int3"}}},
                     {"recipe": {"activation": {"percentile": 101}}}, {"recipe": {"op_name_dict": {"(": "fp32"}}}],
        "diagnose": [{"shard": "1/2", "samples": "0:5"}, {"shard": "3/2"}, {"shard": "0/2"}, {"samples": "5:5"},
                     {"samples": "0:99999999999999999999"}, {"isolate_timeout": 5}, {"metric": "mse:label_offset=1"}],
        "tune": [{"max_loss": 1}, {"max_loss": 50, "metric": "accuracy"}, {"prices": file}, {"metric": "map:iou=2"},
                 {"isolate_timeout": 5}, {"recipe": {"weight": 7}},
                 {"recipe": {"weight": {"group_size": 7}, "approach": "weight_only"}}],
        "evaluate": [{"shard": "2/1"}, {"shard": "1/2", "samples": "0:5"}, {"metric": "top5:x=1"},
                     {"isolate_timeout": 5}],
        "profile": [{"isolate_timeout": 5}],
        "benchmark": [{"isolate_timeout": 5}],
        "calibrate": [{"recipe": smooth}, {"shard": "1/0"}, {"recipe": {"activation": {"algorithm": "best"}}}],
    }
    pathlib.Path(file).write_text("{}")
    for verb, requests in asked.items():
        base = {"verb": verb, "model": str(model), "data": "random"}
        base |= {"quantized": str(model)} if verb == "diagnose" else {}
        base |= {"metric": "top1"} if verb in ("tune", "evaluate") else {}
        for more in requests:
            request = {name: value for name, value in {**base, **more}.items() if value is not None}
            refused_alike(server, sandbox, request)


def what_files_hold_is_told_by_the_job(server, sandbox, model, root):
    """Recipes in files are not read: with one of these it is not known what the whole says."""
    recipe = root / "recipe.json"
    recipe.write_text('{"approach": "dynamic"}')
    server.drop(server.taken({"verb": "quantize", "model": str(model), "recipe": str(recipe)}))
    status, text = server.ask("POST", JOBS, {"verb": "quantize", "model": str(model), "data": "random",
                                             "recipe": [str(recipe), {"wieght": {}}]})
    harness.check(status == 400 and "wieght" in text, f"what is laid over it is: {text}")
    nothing = {"op_name_dict": {"x": None}}  # which leaves what the file says of x
    for over in (nothing, {"approach": "weight_only", "weight": {"dtype": "int4", "group_size": 64}}):
        server.drop(server.taken({"verb": "quantize", "model": str(model), "recipe": [str(recipe), over]}))
    status, text = server.ask("POST", JOBS, {"verb": "quantize", "model": str(model), "verify": 0, "diagnose": True})
    harness.check(status == 400 and text.startswith("verify: "), f"no remedy to be tried is none: {text}")


def main():
    sandbox = harness.Sandbox()
    root = sandbox.path / "root"
    root.mkdir()
    model = pathlib.Path(shutil.copy(harness.DEMO / "digits.onnx", root))
    data = pathlib.Path(shutil.copy(harness.DEMO / "digits.npz", root))
    stored = harness.identity_of(sandbox.run("quantize", model, "-o", sandbox.path / "stored.onnx", "--data", "random"))
    with serving.Server(sandbox, "--allow-insecure-connections", "--workspace", sandbox.path / "workspace",
                        "--root", root, "--job-cores", "1", port=0) as served:
        server = Server(served, str(model))
        try:
            base = {"model": str(model), "quantized": str(model), "data": "random", "metric": "top1", "workload": stored,
                    "logdir": str(root / "events")}
            texts = {"model": [base["model"]], "quantized": [base["model"]], "other": [base["model"]],
                     "against": [base["model"]], "data": ["random", str(data)], "calibration_data": ["random"],
                     "ranges": [str(data)], "recipe": [{}, [{}, {"approach": "dynamic"}]],
                     "metric": ["top1", "mse", "f1:average=macro"], "shard": ["1/1", "2/4"], "samples": ["0:1"],
                     "prices": ["measured", "none", str(data)], "name": ["--help"],
                     "inputs": ["image", "--x,y:1"], "outputs": ["scores"],
                     "trace": [str(root / "trace.json")], "emit_recipe": [str(root / "best.yaml")],
                     "logdir": [str(root / "events")], "tensorboard": [str(root / "events")], "output": [], "resume": [], "workload": [stored, "last"], "other_workload": [stored]}
            what_is_allowed_is_taken(server, base, texts)
            what_is_refused_is_refused_at_once(server, sandbox, model, data)
            what_files_hold_is_told_by_the_job(server, sandbox, model, root)
            jobs = json.loads(server.ask("GET", JOBS)[1])["jobs"]
            harness.check([job["id"] for job in jobs] == [server.busy], "nothing that was refused is kept")
        finally:
            server.ask("POST", f"{JOBS}/{server.busy}/cancel", {})
            while json.loads(server.ask("GET", f"{JOBS}/{server.busy}")[1])["state"] in ("queued", "running"):
                pass


main()
