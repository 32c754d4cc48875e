# SPDX-License-Identifier: Apache-2.0
"""Every metric through the command line, against plain NumPy: figures, jackknife intervals, paired differences."""

import csv
import json
import signal
import stat
import subprocess
import sys
import time

import harness

harness.need("numpy", "onnx")

import numpy as np  # noqa: E402
import onnx  # noqa: E402
from onnx import TensorProto, helper  # noqa: E402
from jackknife import half_width  # noqa: E402

BLOCKS = 32


def passing_model(path, **shapes):
    """Outputs that are the inputs of the same number: x0 becomes the first name, and so on."""
    inputs, outputs, nodes = [], [], []
    for i, (name, (kind, shape)) in enumerate(shapes.items()):
        inputs.append(helper.make_tensor_value_info(f"x{i}", kind, ["N", *shape]))
        outputs.append(helper.make_tensor_value_info(name, kind, ["N", *shape]))
        nodes.append(helper.make_node("Identity", [f"x{i}"], [name], f"copy{i}"))
    save(path, nodes, inputs, outputs)


def scaled_model(path, factor, shape):
    """y = factor x, as another model than the one that passes x on."""
    constant = helper.make_tensor("factor", TensorProto.FLOAT, [], [factor])
    save(path, [helper.make_node("Mul", ["x0", "factor"], ["y"], "scale")],
         [helper.make_tensor_value_info("x0", TensorProto.FLOAT, ["N", *shape])],
         [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", *shape])], [constant])


def save(path, nodes, inputs, outputs, constants=()):
    graph = helper.make_graph(nodes, "g", inputs, outputs, constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


# ---- Independent figures: each a function of the indices of the samples that count


def jackknife(figure, samples):
    """Value and half of its interval, over blocks by index modulo 32."""
    index = np.arange(samples)
    return figure(index), half_width([figure(index[index % BLOCKS != b]) for b in range(min(BLOCKS, samples))])


def f1_of_class(labels, answers, number):
    hits = ((labels == number) & (answers == number)).sum()
    wrong = ((labels != number) & (answers == number)).sum() + ((labels == number) & (answers != number)).sum()
    return 2 * hits / (2 * hits + wrong) if hits + wrong else 0.0


def macro_f1(labels, answers):
    return np.mean([f1_of_class(labels, answers, c) for c in np.union1d(labels, answers)])


def iou(box, others, crowd):
    """Of one xyxy box with many."""
    low, high = np.maximum(box[:2], others[:, :2]), np.minimum(box[2:], others[:, 2:])
    shared = np.prod(np.clip(high - low, 0, None), axis=1)
    mine, theirs = np.prod(box[2:] - box[:2]), np.prod(others[:, 2:] - others[:, :2], axis=1)
    return shared / np.where(crowd, mine, mine + theirs - shared)


def coco_matches(truth, found, threshold):
    """[(score, hit, ignored)] of one class in one image, and how many objects there are."""
    order = np.argsort(-found[:, 4], kind="stable")[:100]
    free = [t for t in range(len(truth)) if not truth[t, 5]]
    crowds = [t for t in range(len(truth)) if truth[t, 5]]
    objects, rows = len(free), []
    for d in order:
        overlaps = iou(found[d, :4], truth[:, :4], truth[:, 5] > 0) if len(truth) else np.zeros(0)
        candidates = [t for t in free if overlaps[t] >= threshold]
        hit = bool(candidates)
        if hit:
            free.remove(max(candidates, key=lambda t: overlaps[t]))
        ignored = not hit and any(overlaps[t] >= threshold for t in crowds)
        rows.append((found[d, 4], hit, ignored))
    return rows, objects


def coco_map(truths, detections, kept, thresholds):
    """truths[i]: rows of xyxy, class, crowd; detections[i]: rows of xyxy, score, class."""
    classes = {int(c) for i in kept for c in truths[i][:, 4] if c >= 0}
    results = []
    for c in sorted(classes):
        for threshold in thresholds:
            rows, objects = [], 0
            for i in kept:
                truth, found = truths[i][truths[i][:, 4] == c], detections[i][detections[i][:, 5] == c]
                more, count = coco_matches(truth, found, threshold)
                rows += more
                objects += count
            if not objects:
                continue
            rows = [row for row in sorted(rows, key=lambda row: -row[0]) if not row[2]]
            hits = np.cumsum([row[1] for row in rows])
            precision, recall = hits / np.arange(1, len(rows) + 1), hits / objects
            points = [precision[recall >= r].max(initial=0.0) for r in np.linspace(0, 1, 101)]
            results.append(np.mean(points))
    return np.mean(results)


# ---- What is checked


def check_result(claim, result, wanted, half):
    value, (low, high) = result["value"], result["interval"]
    harness.check(abs(value - wanted) < 1e-6 * max(1, abs(wanted)), f"{claim}: {value:.6g}, NumPy {wanted:.6g}")
    spread = (high - low) / 2
    harness.check(abs(spread - half) < 1e-4 * half + 1e-9, f"  interval +-{spread:.4g}, NumPy {half:.4g}")


def tokens(sandbox, random):
    samples, length, classes = 150, 9, 4
    labels = random.integers(0, classes, (samples, length))
    labels[random.random(labels.shape) < 0.3] = -100
    scores = random.normal(size=(samples, length, classes)).astype(np.float32)
    answers = scores.argmax(-1)
    model, data = sandbox.path / "tokens.onnx", sandbox.path / "tokens.npz"
    passing_model(model, y=(TensorProto.FLOAT, [length, classes]))
    np.savez(data, x0=scores, label=labels)

    def macro(kept):
        use = labels[kept] != -100
        return macro_f1(labels[kept][use], answers[kept][use])

    def binary(kept):
        use = labels[kept] != -100
        return f1_of_class(labels[kept][use], answers[kept][use], 2)

    for metric, figure in (("f1:average=macro,ignore_label=-100", macro), ("f1:positive=2,ignore_label=-100", binary)):
        for batch in (1, 7):
            result = sandbox.json("evaluate", model, "--data", data, "--metric", metric, "--batch-size", batch)
            check_result(f"{metric}, batches of {batch}", result, *jackknife(figure, samples))
            harness.check(result["samples"] == samples and not result["is_rate"] and result["higher_is_better"],
                          "  its samples and direction")
    one = sandbox.run("evaluate", model, "--data", data, "--metric", "f1:average=macro", code=1).stderr
    harness.check("ignore_label=-100" in one, f"a label without a class: {one.strip()}")
    one = sandbox.run("evaluate", model, "--data", data, "--metric", "f1:ignore_label=-100", code=2).stderr
    harness.check("average=macro" in one, f"binary of four classes: {one.strip()}")


def distances(sandbox, random):
    samples, shape = 100, (3, 5)
    x = random.normal(size=(samples, *shape)).astype(np.float32)
    target = (x + random.normal(scale=0.3, size=x.shape)).astype(np.float32)
    model, other, data = sandbox.path / "pass.onnx", sandbox.path / "scaled.onnx", sandbox.path / "targets.npz"
    passing_model(model, y=(TensorProto.FLOAT, shape))
    scaled_model(other, 0.9, shape)
    np.savez(data, x0=x, label=target)
    scaled = (x * np.float32(0.9)).astype(np.float64)
    figures = {"mse": lambda d: (d ** 2).mean(), "rmse": lambda d: np.sqrt((d ** 2).mean()),
               "mae": lambda d: np.abs(d).mean()}
    for metric, figure in figures.items():
        def plain(kept, figure=figure):
            return figure(x[kept].astype(np.float64) - target[kept])

        def change(kept, figure=figure):
            return figure(scaled[kept] - target[kept]) - figure(x[kept].astype(np.float64) - target[kept])

        check_result(metric, sandbox.json("evaluate", model, "--data", data, "--metric", metric),
                     *jackknife(plain, samples))
        result = sandbox.json("evaluate", other, "--against", model, "--data", data, "--metric", metric)
        harness.check(f"-evaluate-{other.stem}-" in result["workload"], "  the run is named after the model that is evaluated")
        check_result(f"{metric}, difference of two models",
                     {"value": result["difference"], "interval": result["difference_interval"]},
                     *jackknife(change, samples))
        harness.check(abs(result["ratio"] - result["difference"] / result["against"]["value"]) < 1e-12 and
                      result["higher_is_better"] is False and result["lost"] == 0, "  its ratio and direction")
    text = sandbox.run("evaluate", other, "--against", model, "--data", data, "--metric", "mse").stdout
    harness.check("lower is better" in text and "answers lost" not in text, f"said so: {text.splitlines()[0]}")
    harness.check(f"({other.name}|{model.name})" in text, "two models that are held against each other are named")
    table = sandbox.run("evaluate", other, "--against", model, "--data", data, "--metric", "mse", "--output", "csv").stdout
    rows = list(csv.DictReader(table.splitlines()))
    harness.check([row["Model"] for row in rows] == [other.name, model.name, "difference"] and
                  abs(float(rows[2]["Value"]) - float(rows[0]["Value"]) + float(rows[1]["Value"])) < 1e-9,
                  "--output csv has a row a model and one of their difference")
    one = sandbox.json("evaluate", model, "--data", data, "--metric", "mse:higher_is_better=true")
    harness.check(one["higher_is_better"] is True, "unless the option says otherwise")
    np.savez(data, x0=x, label=target.reshape(samples, 5, 3))
    one = sandbox.run("evaluate", model, "--data", data, "--metric", "mse", code=1).stderr
    harness.check("[3,5]" in one and one.count("\n") == 1, f"targets of another shape: {one.strip()}")


def images_with_boxes(random, samples, most, classes):
    """Truth, padded, and detections: some objects moved a little, some doubled, some out of nowhere."""
    truth = np.zeros((samples, 8, 6), np.float32)
    truth[:, :, 4] = -1
    found = np.zeros((samples, most, 6), np.float32)
    found[:, :, 5] = -1
    for i in range(samples):
        count = random.integers(0, 7)
        corner, size = random.uniform(0, 80, (count, 2)), random.uniform(4, 30, (count, 2))
        truth[i, :count] = np.column_stack([corner, corner + size, random.integers(0, classes, count),
                                            random.random(count) < 0.15])
        repeated = truth[i, :count][random.integers(0, max(count, 1), 2 * count)] if count else truth[i, :0]
        boxes = repeated[:, :4] + random.normal(scale=1.5, size=(len(repeated), 4))
        noise = random.uniform(0, 60, (4, 2))
        boxes = np.vstack([boxes, np.hstack([noise, noise + random.uniform(5, 40, (4, 2))])])
        numbers = np.append(repeated[:, 4], random.integers(0, classes, 4))
        scores = np.round(random.random(len(boxes)), 1)  # many are equal
        found[i, :len(boxes)] = np.column_stack([boxes, scores, numbers])
    return truth, found


def boxes(sandbox, random):
    samples, most, classes = 90, 20, 5
    truth, found = images_with_boxes(random, samples, most, classes)
    model, rows, data = sandbox.path / "detector.onnx", sandbox.path / "rows.onnx", sandbox.path / "boxes.npz"
    passing_model(model, b=(TensorProto.FLOAT, [most, 4]), s=(TensorProto.FLOAT, [most]),
                  c=(TensorProto.INT64, [most]))
    passing_model(rows, y=(TensorProto.FLOAT, [most, 6]))
    np.savez(data, x0=found[:, :, :4], x1=found[:, :, 4], x2=found[:, :, 5].astype(np.int64), label=truth)
    exact = found.astype(np.float64)
    coco = np.linspace(0.5, 0.95, 10)

    def figure(thresholds):
        return lambda kept: coco_map(truth.astype(np.float64), exact, kept, thresholds)

    named = "boxes=b,scores=s,classes=c"
    wanted = jackknife(figure(coco), samples)
    check_result("map", sandbox.json("evaluate", model, "--data", data, "--metric", f"map:{named}"), *wanted)
    check_result("map, in batches", sandbox.json("evaluate", model, "--data", data, "--metric", f"map:{named}",
                                                 "--batch-size", 8), *wanted)
    check_result("map, models in a worker", sandbox.json("evaluate", model, "--data", data, "--metric", f"map:{named}",
                                                         "--isolate"), *wanted)
    check_result("map at 0.5", sandbox.json("evaluate", model, "--data", data, "--metric", f"map:{named},iou=0.5"),
                 *jackknife(figure([0.5]), samples))
    swapped, wide = found.copy(), found.copy()
    swapped[:, :, :4] = found[:, :, [1, 0, 3, 2]]
    wide[:, :, 2:4] = found[:, :, 2:4] - found[:, :, :2]
    for name, turned in (("xyxy", found), ("yxyx", swapped), ("xywh", wide)):
        np.savez(data, x0=turned, label=truth)
        one = sandbox.json("evaluate", rows, "--data", data, "--metric", f"map:format={name},label_format=xyxy")
        harness.check(abs(one["value"] - wanted[0]) < 2e-3, f"map of rows, {name}: {one['value']:.6f}")
    np.savez(data, x0=found, label=truth[:, :, :4])
    one = sandbox.run("evaluate", rows, "--data", data, "--metric", "map", code=1).stderr
    harness.check("x1, y1, x2, y2, class" in one, f"labels without classes: {one.strip()}")
    one = sandbox.run("evaluate", rows, "--data", data, "--metric", "map:detectons=y", code=2).stderr
    harness.check("detections" in one, f"an option misspelt: {one.strip()}")


def script(sandbox, name, body):
    path = sandbox.write(name, f"#!{sys.executable}\n{body}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def programs(sandbox, random):
    float_model, int8 = harness.DEMO / "digits.onnx", sandbox.path / "digits.int8.onnx"
    size = script(sandbox, "size of.py", "import os, sys\nprint('looking')\nprint(os.path.getsize(sys.argv[-1]))\n")
    metric = f"command:'{size}' --any,higher_is_better=false"
    one = sandbox.json("evaluate", float_model, "--metric", metric)
    harness.check(one["value"] == float_model.stat().st_size and one["interval"] is None and one["samples"] == 0 and
                  one["higher_is_better"] is False, f"command: {one['value']:.0f} bytes, without data")
    both = sandbox.json("quantize", float_model, "-o", int8, "--data", harness.DEMO / "digits.npz", "--metric", metric)
    harness.check(both["quantized"]["value"] == int8.stat().st_size and both["reference"]["value"] == one["value"] and
                  both["difference_interval"] is None and
                  both["difference"] == int8.stat().st_size - float_model.stat().st_size,
                  f"quantize asks it of both: ratio {both['ratio']:.2f}")
    stored = sandbox.record(both["workload"], "accuracy.json")
    harness.check(stored["quantized"]["value"] == int8.stat().st_size, "and keeps it in accuracy.json")
    weights = sandbox.json("quantize", float_model, "-o", int8, "--approach", "weight_only", "--metric", metric)
    harness.check(weights["quantized"]["value"] == int8.stat().st_size, "also where there are no data at all")
    two = sandbox.json("evaluate", int8, "--against", float_model, "--metric", metric)
    harness.check(two["against"]["value"] == one["value"], "evaluate --against runs it twice")
    text = sandbox.run("evaluate", int8, "--against", float_model, "--metric", metric).stdout
    harness.check("samples" not in text and "n/a" in text, f"said as {text.splitlines()[0]}")

    def fails(claim, body, *words, code=1, options=""):
        path = script(sandbox, "bad.py", body)
        done = sandbox.run("evaluate", float_model, "--metric", f"command:{path}{options}", code=code, timeout=60)
        said = done.stderr.strip()
        harness.check(not done.stdout and said.count("\n") == 0 and all(word in said for word in words),
                      f"{claim}: {said[-150:]}")

    fails("a program that fails", "import sys\nprint(1)\nsys.exit('no labels')\n", "exit code 1", "no labels")
    fails("one without a number", "print('done')\n", "'done'")
    fails("one that is silent", "", "no number")
    fails("one of NaN", "print(float('nan'))\n", "'nan'")
    fails("one that prints megabytes", "print('7' * 5_000_000)\n", "1 MB")
    fails("one that never ends", "import time\ntime.sleep(500)\n", "0.5 seconds", options=",timeout=0.5")
    quitter = script(sandbox, "quitter.py", "raise SystemExit(9)\n")
    int8.unlink()
    done = sandbox.run("quantize", float_model, "-o", int8, "--data", harness.DEMO / "digits.npz", "--diagnose", "--name",
                       "quitter", "--metric", f"command:{quitter}", code=1)
    workload = [row["id"] for row in sandbox.json("workloads", "list") if row["name"] == "quitter"][0]
    harness.check("exit code 9" in done.stderr and int8.exists() and
                  harness.file_of(sandbox.workload(workload) / "diagnosis.json").exists(),
                  "one that fails loses neither the quantized model nor the diagnosis")
    done = sandbox.run("evaluate", float_model, "--data", harness.DEMO / "digits.npz", "--metric", metric)
    harness.check("--data has no effect" in done.stderr, f"data are not read: {done.stderr.strip()}")
    fails("an option misspelt", "print(1)\n", "did you mean 'timeout'", code=2, options=",timeuot=5")
    done = sandbox.run("evaluate", float_model, "--metric", "command:no-such-program", code=1)
    harness.check("cannot be started" in done.stderr, f"one that is not there: {done.stderr.strip()}")
    done = sandbox.run("evaluate", float_model, "--metric", "top1", code=2)
    harness.check("--data is required" in done.stderr, f"other metrics want data: {done.stderr.strip()}")

    asleep = script(sandbox, "asleep.py", "import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(500)\n")
    process = subprocess.Popen([harness.program(), "evaluate", float_model, "--metric", f"command:{asleep}"],
                               cwd=sandbox.path, env=sandbox.environment, stderr=subprocess.PIPE)
    for _ in range(300):
        if (sandbox.path / "pid").exists() and (sandbox.path / "pid").read_text():
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    harness.check(process.wait(30) == 130, f"Ctrl-C: exit code {process.returncode}")
    child = int((sandbox.path / "pid").read_text())
    harness.check(not harness.pathlib.Path(f"/proc/{child}").exists(), "and the program has ended, too")


def main():
    sandbox, random = harness.Sandbox(), np.random.default_rng(5)
    for check in (tokens, distances, boxes, programs):
        check(sandbox, random)
    rates = sandbox.json("evaluate", harness.DEMO / "digits.onnx", "--data", harness.DEMO / "digits.npz",
                         "--metric", "top1:higher_is_better=true")
    harness.check(rates["is_rate"] and rates["higher_is_better"], f"top1 as ever: {json.dumps(rates['value'])}")


main()
