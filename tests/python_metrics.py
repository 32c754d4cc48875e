# SPDX-License-Identifier: Apache-2.0
"""The predecessor's metrics: their figures against NumPy's, as eval_metric, from scripts, and what they refuse."""
import doctest
import math
import os
import subprocess
import sys

import harness

PACKAGE = harness.python_package()
harness.need("numpy", "onnx")
sys.path.insert(0, PACKAGE)

import numpy as np  # noqa: E402
import quantlens  # noqa: E402
from quantlens.neural_compressor import METRICS, Metric, PostTrainingQuantConfig, metric, options, quantization  # noqa: E402
from quantlens.neural_compressor.config import AccuracyCriterion  # noqa: E402
from quantlens.neural_compressor.data import DataLoader  # noqa: E402
from quantlens.neural_compressor.metric import base, scores  # noqa: E402
from quantlens.neural_compressor.metric import metric as names  # noqa: E402

ONNX = METRICS("onnxrt_qlinearops")
RNG = np.random.default_rng(7)


def raises(claim, kind, words, call):
    """One sentence of this class that has these words."""
    try:
        call()
    except kind as error:
        told = str(error)
        harness.check(type(error) is kind and "\n" not in told and all(word in told for word in words), f"{claim}: {told}")
        return
    harness.check(False, f"{claim}: {kind.__name__} is raised")


def figure(name, *batches, **asked):
    made = ONNX[name](**asked)
    for preds, labels in batches:
        made.update(preds, labels)
    return made.result()


def is_near(claim, told, wanted):
    harness.check(isinstance(told, float) and math.isclose(told, wanted, rel_tol=1e-12, abs_tol=1e-15),
                  f"{claim}: {told}, {wanted}")


def shares_of_right_answers():
    batches = [(RNG.normal(size=(size, 10)).astype(np.float32), RNG.integers(0, 10, size)) for size in (33, 33, 5)]
    every, labels = (np.concatenate([one[at] for one in batches]) for at in (0, 1))
    before = (every > every[np.arange(len(labels)), labels][:, None]).sum(axis=1)
    for k in (1, 3, 10, 20):
        is_near(f"topk of {k}", figure("topk", *batches, k=k), float((before < k).mean()))
    is_near("one-hot labels", figure("topk", (every, np.eye(10)[labels])), float((before < 1).mean()))
    is_near("outputs in a list", figure("topk", ([every], [labels])), float((before < 1).mean()))
    is_near("rows in a list, labels in a tuple", figure("topk", (every.tolist(), tuple(labels.tolist())), k=3),
            float((before < 3).mean()))
    is_near("one sample", figure("topk", ([0.1, 0.2, 0.7], 2), (np.array([0.1, 0.2, 0.7]), 0)), 0.5)
    is_near("of equal scores the higher class", figure("topk", (np.zeros((1, 40)), [39])), 1.0)
    is_near("NaN is wrong", figure("topk", (np.array([[0.0, np.nan], [1.0, 0.0]]), [1, 0])), 0.5)
    is_near("Accuracy of scores", figure("Accuracy", *batches), float((every.argmax(1) == labels).mean()))
    is_near("Accuracy in lists", figure("Accuracy", ([every], [labels])), float((every.argmax(1) == labels).mean()))
    told, wanted = RNG.integers(0, 2, (2, 8, 5))
    is_near("Accuracy of several labels", figure("Accuracy", (told, wanted), (told[:1], told[:1])),
            float(((told == wanted).sum() + 5) / 45))
    is_near("of answers in a column", figure("Accuracy", (told[:, :1], wanted[:, 0])), float((told[:, 0] == wanted[:, 0]).mean()))
    picture, mask = RNG.normal(size=(2, 3, 4, 5)), RNG.integers(0, 3, (2, 4, 5))
    is_near("of classes of pixels", figure("Accuracy", (picture, mask)), float((picture.argmax(1) == mask).mean()))
    is_near("of numbers", figure("Accuracy", (1, 1), (0, 1), ([1, 0], [1, 1])), 0.5)


def distances():
    batches = [tuple(RNG.normal(size=(2, size, 3)).astype(np.float32)) for size in (7, 7, 2)]
    differences = np.concatenate([told.astype(float) - wanted for told, wanted in batches])
    for name, wanted in (("MAE", np.abs(differences).mean()), ("MSE", (differences**2).mean()),
                         ("RMSE", np.sqrt((differences**2).mean()))):
        is_near(name, figure(name, *batches), wanted)
        is_near(f"{name} beside another model's answers", figure(name, *batches, compare_label=False), wanted)
        is_near(f"{name} of several outputs", figure(name, ([batches[0][0], batches[1][0], batches[2][0]],
                                                            [batches[0][1], batches[1][1], batches[2][1]])), wanted)
        harness.check(ONNX[name]().higher_is_better is False, f"{name} is better lower")
    is_near("bytes do not wrap", figure("MAE", (np.array([1, 200], np.uint8), np.array([3, 100], np.uint8))), 51.0)
    is_near("lists of numbers", figure("MSE", ([1, 2, 4], [2, 2, 1.5])), 7.25 / 3)
    is_near("Loss", figure("Loss", ([1, 0, 0, 1], [0, 1, 0, 0]), (np.full((4, 1), 3.0), np.zeros((4, 1)))), 14 / 8)
    made = ONNX["MSE"]()
    made.update([1.0], [3.0])
    made.reset()
    made.update([1.0], [2.0])
    is_near("reset forgets", made.result(), 1.0)


def words_and_tasks():
    is_near("F1 of words", figure("F1", ([1, 1, 1, 1], [0, 1, 1, 0]), ("a b c a".split(), "a a d".split()), ([], ["a"])),
            (0.5 + 2 * 2 / 7 + 0) / 3)
    answers, labels = RNG.normal(size=(60, 2)), RNG.integers(0, 2, 60)
    told = answers.argmax(1)
    for task in ("mrpc", "sst-2"):
        is_near(f"GLUE {task}", figure("GLUE", ([answers[:9]], [labels[:9]]), (answers[9:], labels[9:]), task=task),
                float((told == labels).mean()))
    is_near("GLUE cola", figure("GLUE", (answers, labels), task="cola"), np.corrcoef(told, labels)[0, 1])
    marks, wanted = np.round(RNG.normal(size=(40, 1)), 1), np.round(RNG.normal(size=40), 1)

    def ranks(values):
        return [(values < one).sum() + ((values == one).sum() + 1) / 2 for one in values]

    both = np.corrcoef(marks[:, 0], wanted)[0, 1], np.corrcoef(ranks(marks[:, 0]), ranks(wanted))[0, 1]
    is_near("GLUE sts-b", figure("GLUE", (marks, wanted), task="sts-b"), sum(both) / 2)
    is_near("GLUE of what does not vary", figure("GLUE", (np.ones((4, 1)), wanted[:4]), task="sts-b"), 0.0)


def what_is_refused():
    wrong = [
        ("topk", [np.zeros((3, 4)), [0, 1]], ["2 labels", "3 samples"]), ("topk", [np.zeros(3), [0, 1, 2]], ["Accuracy"]),
        ("topk", [np.zeros((1, 2)), [0.5]], ["fractions"]), ("topk", [np.array([["a"]]), [0]], ["preds", "numbers"]),
        ("topk", [np.zeros((0, 3)), np.zeros(0)], ["empty"]), ("topk", [np.zeros((1, 2)), None], ["no labels"]),
        ("topk", [[[1, 2], [3]], [0, 1]], ["unequal"]), ("topk", [{"a": np.zeros(2), "b": np.zeros(2)}, [0]],
                                                         ["one output", "a, b"]),
        ("Accuracy", [np.zeros((2, 3)), np.zeros((3, 3))], ["(2, 3)", "(3, 3)"]), ("Accuracy", [np.zeros(3), np.zeros(2)],
                                                                                   ["(3,)"]),
        ("MSE", [np.zeros((3, 1)), np.zeros(3)], ["(3, 1)", "(3,)"]), ("MAE", [[np.zeros(3)], [np.zeros(3)] * 2],
                                                                       ["(3,) and (3,)"]),
        ("Loss", [["x"], ["y"]], ["numbers"]), ("RMSE", [object(), [1]], ["object"]),
        ("F1", [np.zeros(3), np.zeros(3)], ["'f1'"]), ("F1", ["denver", "denver"], ["words"]), ("F1", [[[1]], [[1]]], ["words"]),
        ("GLUE", [np.zeros(3), np.zeros(3)], ["(3,)"]), ("GLUE", [np.zeros((3, 2)), np.zeros(2)], ["3 samples"]),
    ]
    for name, arguments, words in wrong:
        made = ONNX[name]()
        raises(f"{name} of what it does not take", quantlens.UsageError, [f"{name}: ", *words],
               lambda made=made, arguments=arguments: made.update(*arguments))
        raises("and then there is no figure", quantlens.UsageError, [f"{name}: no samples"], made.result)
    raises("sample_weight", quantlens.UsageError, ["MSE: sample_weight", "leave it out"],
           lambda: ONNX["MSE"]().update([1.0], [1.0], sample_weight=[2.0]))
    for k in (0, -1, 1.5, "5", True, None):
        raises("k", quantlens.UsageError, ["topk: k: "], lambda k=k: ONNX["topk"](k))
    raises("a task", quantlens.UsageError, ["GLUE", "'xnli'", "mnli"], lambda: ONNX["GLUE"]("xnli"))
    for name in ("mAP", "COCOmAP", "COCOmAPv2", "VOCmAP"):
        raises(name, quantlens.Unsupported, [name, "'map'"], lambda name=name: ONNX[name])
    raises("no metric", quantlens.UsageError, ["'top1'", "topk, Accuracy"], lambda: ONNX["top1"])
    raises("no framework", quantlens.UsageError, ["METRICS", "caffe"], lambda: METRICS("caffe"))
    raises("another framework", quantlens.Unsupported, ["METRICS", "pytorch"], lambda: METRICS("pytorch"))
    raises("Horovod", quantlens.Unsupported, ["hvd"], lambda: metric.BaseMetric(hvd=object()))


class Offset(metric.BaseMetric):
    """A metric of a user's."""

    def __init__(self, offset=0):
        super().__init__()
        self.offset = offset
        self.reset()

    def reset(self):
        self.right = self.seen = 0

    def update(self, preds, labels=None, sample_weight=None):
        self.right += int((preds.argmax(1) + self.offset == labels).sum())
        self.seen += len(labels)

    def result(self):
        return self.right / self.seen


def registered():
    made = metric.metric_registry("offset", "tensorflow, onnxrt_qlinearops, onnxrt_integerops")(Offset)
    harness.check(made is Offset and METRICS("onnxruntime")["offset"] is Offset,
                  "a registered class is found in all of ONNX Runtime's")
    METRICS("onnxrt_qdq").register("offset too", Offset)
    harness.check(ONNX["offset too"] is Offset, "by register, too")
    for name in ("offset", "topk", "mAP"):
        raises("a name that is there", quantlens.UsageError, [f"'{name}'"], lambda name=name: ONNX.register(name, Offset))
    raises("a framework that is none", quantlens.UsageError, ["caffe"], lambda: metric.metric_registry("x", "onnxruntime, caffe"))
    raises("one that is not here", quantlens.Unsupported, ["mxnet"], lambda: metric.metric_registry("x", "mxnet"))
    wrapped = metric.BaseMetric(Offset)(offset=3)
    harness.check(wrapped.metric.offset == 3, "BaseMetric around a class makes its object")
    for call in (wrapped.reset, wrapped.result, lambda: wrapped.update([1])):
        try:
            call()
        except NotImplementedError as error:
            harness.check("BaseMetric has no" in str(error), f"and scores nothing by itself: {error}")


def scored(sandbox):
    """As eval_metric and in the verbs, on the network of the demo."""
    arrays = np.load(harness.DEMO / "digits.npz")
    model = str(harness.DEMO / "digits.onnx")
    data = list(zip(arrays["image"][:200], arrays["label"][:200].astype(int)))
    loader = DataLoader("onnxrt_qdq", data, 25)
    options.workspace = str(sandbox.path / "nc")
    top1 = quantlens.evaluate(model, data, "top1", progress=False).accuracy.quantized.value
    for name, made in (("topk", ONNX["topk"](1)), ("Accuracy", ONNX["Accuracy"]())):
        told = quantlens.evaluate(model, data, made, progress=False).accuracy
        is_near(f"evaluate with {name} is top1", told.quantized.value, top1)
        harness.check(told.quantized.metric == name, f"and is called {told.quantized.metric}")
    hot = [(image, np.eye(10, dtype=np.float32)[label]) for image, label in data]
    for name in ("MSE", "MAE", "RMSE"):
        own, ours = (quantlens.evaluate(model, hot, one, progress=False).accuracy.quantized for one in (name.lower(),
                                                                                                        ONNX[name]()))
        harness.check(math.isclose(own.value, ours.value, rel_tol=1e-6) and not ours.higher_is_better,
                      f"{name} is quantlens's {name.lower()}: {own.value}, {ours.value}")

    def fit(asked, **criterion):
        config = PostTrainingQuantConfig(diagnosis=True, accuracy_criterion=AccuracyCriterion(**criterion))
        return quantization.fit(model, config, calib_dataloader=loader, eval_dataloader=loader, eval_metric=asked).run.accuracy

    for asked in (ONNX["topk"](), {"topk": 1}, {"topk": {"k": 1}, "weight": [1.0]}, Metric(name="topk", k=1),
                  Metric(metric_cls=Offset), "top1",
                  {"Accuracy": None}):
        told = fit(asked)
        harness.check(math.isclose(told.reference.value, top1) and told.quantized.higher_is_better,
                      f"fit by {told.quantized.metric}: {told.reference.value}")
    harness.check(fit(Offset(), higher_is_better=False).quantized.higher_is_better is False,
                  "the criterion says which way is good")
    harness.check(fit({"offset": {}, "higher_is_better": [False]}).quantized.higher_is_better is False,
                  "or the dict of the metric")
    harness.check(fit(ONNX["topk"](), higher_is_better=False).quantized.higher_is_better is True,
                  "where the metric does not say it")
    for words, asked in ((["2 metrics"], {"topk": 1, "MSE": {}}), (["0 metrics"], {"weight": [1]}),
                         (["a class", "GeneralTopK"], ONNX["topk"]),
                         (["topk", "options", "j"], Metric("topk", j=1)), (["'top2'"], {"top2": 1}), (["'top2'"], Metric("top2")),
                         (["metric", "int"], 3)):
        raises("as eval_metric", quantlens.UsageError, words, lambda asked=asked: fit(asked))
    raises("the float model as label", quantlens.Unsupported, ["compare_label=False"],
           lambda: fit(ONNX["MSE"](compare_label=False)))
    raises("mAP", quantlens.Unsupported, ["COCOmAPv2", "'map'"], lambda: fit({"COCOmAPv2": {}}))
    for made in (ONNX["F1"](), ONNX["MSE"]()):
        try:
            fit(made)
            harness.check(False, "what does not fit the model is told")
        except quantlens.Error as error:
            harness.check(made.name in str(error) and "\n" not in str(error), f"what does not fit the model is told: {error}")
    harness.check(metric.register_customer_metric({"topk": 3}, "onnxrt_qdq").k == 3, "register_customer_metric makes the object")


def scripts(sandbox):
    path = sandbox.write("script.py", """
import numpy as np
import neural_compressor
from neural_compressor.metric import METRICS, BaseMetric, Metric, metric_registry, GeneralTopK
from neural_compressor.metric.metric import METRICS as THE_SAME
from neural_compressor import METRICS as TOO
assert METRICS is THE_SAME is TOO is neural_compressor.metric.METRICS and METRICS("onnxrt_qdq")["topk"] is GeneralTopK
made = METRICS("onnxrt_integerops")["topk"](k=2)
made.update(np.array([[1, 2, 3], [3, 2, 1]]), np.array([1, 2]))
print("figure", made.result())
""")
    done = subprocess.run([sys.executable, "-B", "-m", "quantlens", "run-script", str(path)], cwd=sandbox.path,
                          capture_output=True, text=True,
                          env=dict(sandbox.environment, PYTHONPATH=PACKAGE), timeout=300, check=False)
    harness.check("figure 0.5" in done.stdout, f"a script finds them where the predecessor had them: {done.stdout}{done.stderr}")


def examples_of_docstrings():
    runner, finder = doctest.DocTestRunner(verbose=False), doctest.DocTestFinder(recurse=False)
    known = [base.BaseMetric, names.METRICS, names.Metric, names.metric_registry, scores.GeneralTopK, scores.Accuracy,
             scores.Loss, scores.MAE,
             scores.MSE, scores.RMSE, scores.F1, scores.GLUE]
    for one in known:
        globs = {"np": np, "METRICS": METRICS, "Metric": Metric, "BaseMetric": metric.BaseMetric,
                 "metric_registry": metric.metric_registry}
        examples = [found for found in finder.find(one, one.__name__, globs=globs) if found.examples]
        harness.check(examples, f"{one.__name__} has an example")
        for example in examples:
            runner.run(example)
    told = runner.summarize(verbose=False)
    harness.check(told.failed == 0, f"{told.attempted} lines of examples in docstrings do what they say")


def main():
    sandbox = harness.Sandbox()
    os.environ["QUANTLENS_WORKSPACE"] = sandbox.environment["QUANTLENS_WORKSPACE"]
    shares_of_right_answers()
    distances()
    words_and_tasks()
    what_is_refused()
    registered()
    scored(sandbox)
    scripts(sandbox)
    examples_of_docstrings()


main()
