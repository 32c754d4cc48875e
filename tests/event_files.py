# SPDX-License-Identifier: Apache-2.0
"""Event files as TensorBoard itself reads them: its accumulator, and its server."""

import json
import os
import pathlib
import shlex
import subprocess
import urllib.parse

import harness
from tensorboards import answer, server

harness.need("numpy", "onnx", "onnxruntime", "tensorboard")
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
from onnx import numpy_helper  # noqa: E402
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # noqa: E402

MODEL = harness.DEMO / "digits.onnx"
DATA = harness.DEMO / "digits.npz"


def read(folder):
    run = EventAccumulator(str(folder), size_guidance={"histograms": 0, "scalars": 0, "tensors": 0})
    run.Reload()
    return run


def histogram(run, tag):
    events = run.Histograms(tag)
    harness.check(len(events) == 1, f"{tag} is told once")
    return events[0].histogram_value


def runs_below(root):
    return {path.name.split("_acc_")[0]: path for path in (root / "eval").iterdir()}


def agrees(told, values, claim):
    """Counts between the edges that were written, and the figures, as NumPy has them."""
    values = np.asarray(values, np.float64).ravel()
    limits = np.asarray(told.bucket_limit)
    counts, _ = np.histogram(values, bins=[-np.inf, *limits])
    harness.check(np.array_equal(counts, told.bucket) and told.num == values.size,
                  f"{claim}: {values.size} elements in {len(limits)} buckets")
    for name, figure in (("min", values.min()), ("max", values.max()), ("sum", values.sum()),
                         ("sum_squares", (values**2).sum())):
        harness.check(np.isclose(getattr(told, name), figure, rtol=1e-9, atol=1e-9), f"{claim}: {name} is {figure:.6g}")


def outputs_of(path, names, images):
    """Results of inner ops, computed by ONNX Runtime without optimisations, as the accumulator's tags have them."""
    model = onnx.load(path)
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return dict(zip(names, session.run(names, {session.get_inputs()[0].name: images})))


def tensors_agree(sandbox, float_run, int8_run, int8_model):
    pairing = sandbox.record(int8_run.identity, "pairing.json")
    images = np.load(DATA)["image"] if "image" in np.load(DATA) else np.load(DATA)[np.load(DATA).files[0]]
    agrees(histogram(float_run, "image/Output"), images, "the network's input")
    # A pool's results are exact: with the ops before it, the runtime may compute in another order.
    pairs = {pair["reference"]: pair for pair in pairing["pairs"] if pair.get("params") and pair.get("same_as") is None}
    name, pair = next((name, pair) for name, pair in pairs.items() if pair["side"] == "q_output" and name != "image")
    codes = outputs_of(int8_model, [pair["quantized"]], images)[pair["quantized"]].astype(np.float64)
    values = (codes - pair["params"]["zero_point"]).astype(np.float32) * np.float32(pair["params"]["scale"])
    tag = pair["op"]["name"].strip("/") + "/Output"
    agrees(histogram(int8_run, tag), values, f"codes of {name}")
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(MODEL).graph.initializer}
    compared = 0
    for weight in pairing["weights"]:
        if weight["folded"] or weight["reference"] not in stored:
            continue
        tag = weight["op"]["name"].strip("/") + "/weight"
        agrees(histogram(float_run, tag), stored[weight["reference"]], f"the weight {weight['reference']}")
        compared += 1
    harness.check(compared > 0, "weights are compared")


def runs_of_a_quantize(sandbox):
    int8 = sandbox.path / "int8.onnx"
    done = sandbox.run("quantize", MODEL, "-o", int8, "--data", DATA, "--metric", "top1", "--tensorboard")
    folders = runs_below(sandbox.path / "runs")
    harness.check(sorted(folders) == ["baseline", "tune_1"], f"two runs: {sorted(map(str, folders.values()))}")
    for folder in folders.values():
        harness.check(str(folder.relative_to(sandbox.path)) in done.stdout, f"{folder.name} is told")
    float_run, int8_run = read(folders["baseline"]), read(folders["tune_1"])
    int8_run.identity = harness.identity_of(done)
    accuracy = sandbox.record(int8_run.identity, "accuracy.json")
    for name, run, side in (("baseline", float_run, "reference"), ("tune_1", int8_run, "quantized")):
        value = accuracy[side]["value"]
        harness.check(folders[name].name == f"{name}_acc_{value}", f"{name} is called after its accuracy, {value}")
        harness.check(abs(run.Scalars("accuracy")[0].value - value) < 1e-6, f"{name} has it as a scalar")
    tags = [set(run.Tags()["histograms"]) for run in (float_run, int8_run)]
    harness.check(tags[0] == tags[1] and len(tags[0]) > 10, f"{len(tags[0])} histograms, under the same tags in both runs")
    tensors_agree(sandbox, float_run, int8_run, int8)
    diagnosis = sandbox.record(int8_run.identity, "diagnosis.json")
    steps = {event.step: event.value for event in int8_run.Scalars("by_op/sqnr_db")}
    worst = min(row["sqnr_db"] for row in diagnosis["activations"] if isinstance(row["sqnr_db"], float))
    harness.check(abs(min(steps.values()) - worst) < 1e-4 and list(steps) == sorted(steps), "SQNR by op, in the network's order")
    for run, path in ((float_run, MODEL), (int8_run, int8)):
        graph, file = run.Graph(), onnx.load(path).graph
        wanted = len(file.node) + len(file.initializer) + len(file.input)
        names = {node.name for node in graph.node}
        harness.check(len(graph.node) == len(names) == wanted, f"the graph of {path.name} has all {wanted} nodes")
        missing = [name for node in graph.node for name in node.input if name.split(":")[0] not in names]
        harness.check(not missing, "and every edge begins at one of them")
    scales = [node for node in int8_run.Graph().node if "scale" in node.attr and node.device == "int8"]
    harness.check(len(scales) > 3, f"{len(scales)} nodes show their scale and what they are computed in")
    convolutions = {node.name: node.device for node in int8_run.Graph().node if node.op == "Conv"}
    harness.check(set(convolutions.values()) == {"int8"}, f"so do all {len(convolutions)} convolutions, before a Relu, too")
    verdict = int8_run.Tensors("verdict")[0].tensor_proto.string_val[0].decode()
    harness.check("dB" in verdict, "findings are there as text")
    return folders


def original_tags(sandbox):
    sandbox.run("tensorboard", "last", "--logdir", "original", "--tensorboard-tags", "original")
    folders = runs_below(sandbox.path / "original")
    ends = [{tag.rsplit("/", 1)[1] for tag in read(folder).Tags()["histograms"]} for _, folder in sorted(folders.items())]
    harness.check(ends == [{"fp32"}, {"int8"}], "the predecessor's tags end in what they are of")


def one_card(sandbox, folders):
    """Both models of a tensor are steps of one run, which TensorBoard draws in one card."""
    told = sandbox.run("tensorboard", "last", "--logdir", "one_card", "--tensorboard-tags", "together")
    together = runs_below(sandbox.path / "one_card")
    harness.check(sorted(together) == ["baseline", "together", "tune_1"], f"a run more: {sorted(together)}")
    harness.check("together:" in told.stdout, "which the printed command names")
    runs = [read(folders["baseline"]), read(folders["tune_1"])]
    both = read(together["together"])
    tags = set(both.Tags()["histograms"])
    harness.check(tags == set(runs[0].Tags()["histograms"]), f"{len(tags)} tags, those of the pair")
    for tag in tags:
        events = both.Histograms(tag)
        harness.check([event.step for event in events] == [0, 1], f"{tag}: the float model's, then the quantized one's")
        harness.check([event.histogram_value for event in events] == [histogram(run, tag) for run in runs], "with their counts")
    for name in ("baseline", "tune_1"):
        harness.check(not read(together[name]).Tags()["histograms"], f"and no card of {name} beside it")
    with server(["--logdir", "one_card"], sandbox.path) as port:
        query = urllib.parse.urlencode({"run": "eval/together", "tag": sorted(tags)[0]})
        steps = json.loads(answer(port, f"/data/plugin/histograms/histograms?{query}", is_whole=lambda text: len(json.loads(text)) == 2))
        harness.check([step[1] for step in steps] == [0, 1], "the server has both for one card")


def trials_of_a_search(sandbox):
    done = sandbox.run("tune", MODEL, "-o", "tuned.onnx", "--data", DATA, "--metric", "top1", "--max-loss", "-0.01",
                       "--max-trials", "3", "--tensorboard", "search", code=None)
    harness.check(done.returncode in (0, 3), "a search writes its trials, its goal reached or missed")
    study = sandbox.record(harness.identity_of(done), "study.json")
    folders = runs_below(sandbox.path / "search")
    scored = {f"tune_{trial['number']}": trial for trial in study["trials"] if trial["accuracy"]}
    harness.check(set(folders) == {"baseline", *scored} and len(scored) > 1, f"a run for each of {len(scored)} scored trials")
    for name, trial in scored.items():
        told = read(folders[name]).Scalars("accuracy")[0].value
        harness.check(abs(told - trial["accuracy"]["value"]) < 1e-6, f"{name} has the trial's accuracy")
    best = read(folders[f"tune_{study['best']}"])
    harness.check(len(best.Tags()["histograms"]) > 10, "the one that is kept has histograms")
    sandbox.run("tensorboard", harness.identity_of(done), "--logdir", "steps", "--tensorboard-tags", "together")
    together = read(runs_below(sandbox.path / "steps")["together"])
    steps = {event.step for tag in together.Tags()["histograms"] for event in together.Histograms(tag)}
    harness.check({0, study["best"]} <= steps <= {0, *(trial["number"] for trial in study["trials"])},
                  f"together, a step is a trial's number: {sorted(steps)}")
    return folders


def served(sandbox, folders):
    """The predecessor's command, on a loopback address."""
    spec = ",".join(f"{name}:{folder.relative_to(sandbox.path)}" for name, folder in sorted(folders.items()))
    with server(["--logdir_spec", spec], sandbox.path) as port:
        tags = json.loads(answer(port, "/data/plugin/histograms/tags", is_whole=lambda text: len(json.loads(text)) == 2))
        harness.check(set(tags) == {"baseline/.", "tune_1/."} and set(tags["baseline/."]) == set(tags["tune_1/."]),
                      f"the server has both runs, with the same tags: {sorted(tags)}")
        query = urllib.parse.urlencode({"run": "tune_1/.", "tag": sorted(tags["tune_1/."])[0]})
        buckets = json.loads(answer(port, f"/data/plugin/histograms/histograms?{query}"))[0][2]
        harness.check(sum(bucket[2] for bucket in buckets) > 0, "and their histograms")
        for run in ("baseline/.", "tune_1/."):
            graph = answer(port, f"/data/plugin/graphs/graph?run={run}")
            harness.check(graph.count("node {") > 20, f"the graph of {run} is shown")
        texts = json.loads(answer(port, "/data/plugin/text/tags"))
        harness.check("verdict" in texts["tune_1/."], "and the verdict as text")


def printed_command_works(sandbox, identity):
    """What the program says to type, typed: paths that mean something to a shell or to TensorBoard among them."""
    for logdir in ("my runs; $(touch x)", "a,b:c"):
        told = sandbox.run("tensorboard", identity, "--logdir", logdir).stdout.splitlines()[-1]
        program, *arguments = shlex.split(told.removeprefix("see them: "))
        harness.check(program == "tensorboard" and arguments[:2] == ["--host", "127.0.0.1"], told)
        with server(arguments[2:], sandbox.path) as port:
            tags = json.loads(answer(port, "/data/plugin/histograms/tags", is_whole=lambda text: len(json.loads(text)) == 2))
            harness.check(all(tags.values()), f"it shows {sorted(tags)}")
    harness.check(not (sandbox.path / "x").exists(), "and nothing else ran")


def search_served(sandbox, folders):
    with server(["--logdir", str(folders["baseline"].parent)], sandbox.path) as port:
        answer(port, "/data/plugin/scalars/tags", is_whole=lambda text: len(json.loads(text)) == len(folders))
        asked = json.dumps({"experimentName": ""})
        experiment = json.loads(answer(port, "/data/plugin/hparams/experiment", "POST", asked))
        parameters = [info["name"] for info in experiment["hparamInfos"]]
        harness.check(parameters, f"the search's parameters are shown: {parameters}")
        asked = json.dumps({"experimentName": "", "allowedStatuses": ["STATUS_SUCCESS"], "sliceSize": 100,
                            "colParams": [{"metric": info["name"]} for info in experiment["metricInfos"]]})
        sessions = json.loads(answer(port, "/data/plugin/hparams/session_groups", "POST", asked))["sessionGroups"]
        values = [metric["value"] for session in sessions for metric in session["metricValues"]
                  if metric["name"]["tag"] == "accuracy"]
        harness.check(len(sessions) == len(folders) - 1 == len(values), f"{len(sessions)} trials against {values}")


def among_others(sandbox, foreign):
    """Another program's events: what can be known before the work is, and what is not loses nothing of it."""
    known = sandbox.path / "known" / "eval" / "tune_1"
    known.mkdir(parents=True)
    (known / "events.out.tfevents.1.host").write_bytes(b"of another program")
    wrong = sandbox.run("quantize", MODEL, "-o", "early.onnx", "--data", DATA, "--tensorboard=known", code=2)
    harness.check("another program" in wrong.stderr and not (sandbox.path / "early.onnx").exists(), "refused before the work")
    theirs = foreign / "events.out.tfevents.1.host"
    theirs.write_bytes(b"of another program")
    wrong = sandbox.run("quantize", MODEL, "-o", "late.onnx", "--data", DATA, "--metric", "top1", "--tensorboard=mixed", code=1)
    last = sandbox.json("workloads", "list")[0]["id"]
    harness.check(f"the run is stored: 'quantlens tensorboard {last} --logdir OTHER' writes" in wrong.stderr, wrong.stderr.strip())
    harness.check((sandbox.path / "late.onnx").exists() and harness.identity_of(wrong) == last, "and the run is told")
    theirs.unlink()
    again = sandbox.run("quantize", MODEL, "-o", "late.onnx", "--data", DATA, "--metric", "top1", "--tensorboard=mixed")
    harness.check("--tensorboard=DIR keeps them apart" in again.stderr, "a note names the option that the command has")
    last = sandbox.json("workloads", "list")[0]["id"]
    ours, = foreign.glob("*.quantlens")
    twin = foreign / f"events.out.tfevents.{ours.name.split('.')[3]}.0123abcd.quantlens"
    twin.write_bytes(b"of a run that began in the same second")
    again = sandbox.run("tensorboard", last, "--logdir", "mixed")
    harness.check("took the place" in again.stderr and not twin.exists(), "nor are runs of one second taken for one")
    for path in foreign.parent.rglob("*.quantlens"):
        path.unlink()


def all_or_nothing(sandbox, identity):
    sandbox.run("tensorboard", identity, "--logdir", "whole")
    sizes = {path.parent.name: path.stat().st_size for path in (sandbox.path / "whole").rglob("*tfevents*")}
    most = max(sizes.values()) // 1024  # the larger one does not fit
    done = subprocess.run(["bash", "-c", f'ulimit -f {most}; exec "$0" tensorboard {identity} --logdir limited', harness.program()],
                          cwd=sandbox.path, env=sandbox.environment, capture_output=True, text=True, check=False)
    harness.check(done.returncode == 1 and not (sandbox.path / "limited").exists(), f"nothing of {sizes} is there: {done.stderr.strip()}")
    sandbox.run("quantize", MODEL, "-o", "no.onnx", "--data", "none.npz", "--tensorboard=unmade", code=1)
    harness.check(not (sandbox.path / "unmade").exists(), "nor a folder where the work failed")


def bad_input(sandbox):
    foreign = sandbox.path / "mixed" / "eval" / "tune_1_acc_0.5"
    wrong = sandbox.run("tensorboard", "none-such", code=1)
    harness.check("none-such" in wrong.stderr, wrong.stderr.strip())
    wrong = sandbox.run("quantize", "--tensorboard", MODEL, "--data", DATA, code=2)
    harness.check("is a file" in wrong.stderr, wrong.stderr.strip())
    told = sandbox.run("quantize", MODEL, "-o", "plain.onnx", "--data", DATA, "--metric", "top1", "--tensorboard=mixed")
    foreign = next(path for path in (sandbox.path / "mixed" / "eval").iterdir() if path.name.startswith("tune_1"))
    before = {path.name: path.read_bytes() for path in foreign.iterdir()}
    identity = harness.identity_of(told)
    sandbox.run("tensorboard", identity, "--logdir", "mixed")
    harness.check({path.name: path.read_bytes() for path in foreign.iterdir()} == before, "once more gives equal bytes")
    for host in ("host", "quantlens.7.0", "quantlens-pc.7.0"):  # as TensorBoard's own writer calls its files
        theirs = foreign / f"events.out.tfevents.1.{host}"
        theirs.write_bytes(b"of another program")
        wrong = sandbox.run("tensorboard", identity, "--logdir", "mixed", code=2)
        harness.check("another program" in wrong.stderr and theirs.exists(), wrong.stderr.strip())
        theirs.unlink()
    among_others(sandbox, foreign)
    ended = subprocess.Popen(["true"])
    ended.wait()
    (foreign / f"events.out.tfevents.1.quantlens.part{ended.pid}").write_bytes(b"of a killed process")
    living = foreign / f"events.out.tfevents.1.quantlens.part{os.getpid()}"
    living.write_bytes(b"of a process that writes")
    sandbox.run("tensorboard", identity, "--logdir", "mixed")
    harness.check(living.exists(), "what another process writes stays")
    living.unlink()
    harness.check({path.name: path.read_bytes() for path in foreign.iterdir()} == before, "what a killed process left is gone")
    at_once = [subprocess.Popen([harness.program(), "tensorboard", identity, "--logdir", "at_once"], cwd=sandbox.path, env=sandbox.environment,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    told = [(one.communicate()[1], one.returncode) for one in at_once]
    harness.check(all(code == 0 for _, code in told), f"four at once into one folder end well: {told}")
    all_or_nothing(sandbox, identity)
    (sandbox.path / "file").write_text("")
    wrong = sandbox.run("tensorboard", identity, "--logdir", "file", code=1)
    harness.check("Traceback" not in wrong.stderr and "file" in wrong.stderr, wrong.stderr.strip())
    rows = sandbox.workload(identity) / "histograms.bin"
    rows.write_bytes(rows.read_bytes()[:-40])
    wrong = sandbox.run("tensorboard", identity, "--logdir", "damaged", code=1)
    harness.check("histograms.bin" in wrong.stderr, wrong.stderr.strip())
    left = [path for path in (sandbox.path / "damaged").rglob("*") if path.is_file()]
    harness.check(not left, "nothing half-written is left")
    harness.check(not (sandbox.path / "damaged").exists(), "nor an empty folder")


def main():
    sandbox = harness.Sandbox()
    folders = runs_of_a_quantize(sandbox)
    served(sandbox, folders)
    original_tags(sandbox)
    one_card(sandbox, folders)
    search_served(sandbox, trials_of_a_search(sandbox))
    bad_input(sandbox)
    keep = os.environ.get("QUANTLENS_KEEP_EVENTS")
    if keep:
        pathlib.Path(keep).mkdir(parents=True)
        for name in ("runs", "search"):
            (sandbox.path / name).rename(pathlib.Path(keep) / name)


main()
