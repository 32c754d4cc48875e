# SPDX-License-Identifier: Apache-2.0
"""Folders as Hugging Face Optimum exports them: images and texts become what the model takes, as the files beside it say."""
import json
import os
import pathlib
import shutil
import sys

import harness

PACKAGE = harness.python_package()
harness.need("numpy", "onnx", "PIL")
sys.path.insert(0, PACKAGE)

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import quantlens  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from PIL import Image  # noqa: E402

VIT = {"image_processor_type": "ViTImageProcessor", "do_resize": True, "size": {"height": 16, "width": 16}, "resample": 2,
       "do_rescale": True, "rescale_factor": 1 / 255, "do_normalize": True, "image_mean": [0.5, 0.4, 0.3],
       "image_std": [0.25, 0.5, 0.5]}
CLIP = {"feature_extractor_type": "CLIPFeatureExtractor", "size": 20, "resample": 3, "do_center_crop": True, "crop_size": 16}
RESNET = {"feature_extractor_type": "ConvNextFeatureExtractor", "size": 16, "crop_pct": 0.875, "resample": 3,
          "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}
CLIP_MEAN, CLIP_STD = [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "good", "bad", "film", "a", "very"]
RNG = np.random.default_rng(3)


class Dataset:
    """As `datasets` gives them: items are dicts."""

    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


def weight(name, *shape):
    return numpy_helper.from_array(RNG.normal(0, 1 / np.sqrt(np.prod(shape[1:])), shape).astype(np.float32), name)


def saved(path, nodes, inputs, outputs, weights):
    graph = helper.make_graph(nodes, "g", inputs, outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, path)


def image_model(path):
    saved(path, [helper.make_node("Conv", ["pixel_values", "w"], ["c"], name="conv", pads=[1, 1, 1, 1]),
                 helper.make_node("Relu", ["c"], ["r"], name="relu"),
                 helper.make_node("GlobalAveragePool", ["r"], ["p"], name="pool"),
                 helper.make_node("Flatten", ["p"], ["f"], name="flatten"),
                 helper.make_node("Gemm", ["f", "v"], ["logits"], name="head")],
          [helper.make_tensor_value_info("pixel_values", TensorProto.FLOAT, ["batch", 3, 16, 16])],
          [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 4])],
          [weight("w", 8, 3, 3, 3), weight("v", 8, 4)])


def text_model(path, length="sequence", kind=TensorProto.INT64, names=("input_ids", "attention_mask", "token_type_ids")):
    """Means of embeddings over the tokens that the mask keeps."""
    shape = ["batch", length]
    nodes = [helper.make_node("Gather", ["words", "input_ids"], ["e"], name="embed"),
             helper.make_node("Cast", ["attention_mask"], ["m"], name="cast", to=TensorProto.FLOAT),
             helper.make_node("Unsqueeze", ["m", "last"], ["u"], name="widen"),
             helper.make_node("Mul", ["e", "u"], ["k"], name="keep")]
    kept = "k"
    if "token_type_ids" in names:
        nodes += [helper.make_node("Gather", ["kinds", "token_type_ids"], ["t"], name="kind"),
                  helper.make_node("Add", ["k", "t"], ["s"], name="add")]
        kept = "s"
    nodes += [helper.make_node("MatMul", [kept, "v"], ["h"], name="head"),
              helper.make_node("ReduceMean", ["h"], ["logits"], axes=[1], keepdims=0)]
    saved(path, nodes, [helper.make_tensor_value_info(name, kind, shape) for name in names],
          [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 2])],
          [weight("words", len(WORDS), 8), weight("kinds", 2, 8), weight("v", 8, 2),
           numpy_helper.from_array(np.array([-1]), "last")])


def write(folder, name, told):
    (folder / name).write_text(json.dumps(told), encoding="utf-8")


def pixels(image, mean, std):
    return ((np.asarray(image, np.float64) / 255).astype(np.float32) - np.float32(mean)) / np.float32(std)


def by_hand(image, told):
    """Each step written out for the configuration at hand."""
    if told is VIT:
        return pixels(image.resize((16, 16), 2), VIT["image_mean"], VIT["image_std"]).transpose(2, 0, 1)
    short = 20 if told is CLIP else 18  # int(16 / 0.875)
    longer = int(short * max(image.size) / min(image.size))
    width, height = (short, longer) if image.width <= image.height else (longer, short)
    top, left = (height - 16) // 2, (width - 16) // 2
    mean, std = (CLIP_MEAN, CLIP_STD) if told is CLIP else ([0.5] * 3, [0.5] * 3)
    return pixels(image.resize((width, height), 3), mean, std)[top:top + 16, left:left + 16].transpose(2, 0, 1)


def refused(kind, parts, call):
    try:
        call()
    except kind as error:
        harness.check(all(part in str(error) for part in parts) and "\n" not in str(error), f"{type(error).__name__}: {error}")
        return
    harness.check(False, f"{kind.__name__} is raised, naming {parts}")


def told_outputs(model, data):
    """What the model says of the samples, by a metric that keeps it."""
    kept = []
    quantlens.evaluate(model, data, lambda outputs, labels: kept.append(np.array(outputs)) or 1.0, progress=False)
    return np.concatenate(kept)


def same_model(folder, root, data, arrays):
    """Whether calibration over both comes to the same bytes."""
    made = [quantlens.quantize(folder, data=one, output=root / f"same{at}.onnx", progress=False).output
            for at, one in enumerate((data, arrays))]
    return pathlib.Path(made[0]).read_bytes() == pathlib.Path(made[1]).read_bytes()


def images(root):
    shots = [Image.fromarray(RNG.integers(0, 256, (int(h), int(w), 3), dtype=np.uint8)) for h, w in RNG.integers(17, 60, (40, 2))]
    labels = RNG.integers(0, 4, len(shots))
    dataset = Dataset([{"image": shot, "label": int(label)} for shot, label in zip(shots, labels)])
    for name, told in {"vit": VIT, "clip": CLIP, "resnet": RESNET}.items():
        folder = root / name
        image_model(folder / "model.onnx")
        write(folder, "preprocessor_config.json", told)
        run = quantlens.quantize(folder, data=dataset, diagnose=True, metric="top1", progress=False)
        harness.check(pathlib.Path(run.output) == folder / "model_quantized.onnx",
                      f"{name}: the result is model_quantized.onnx in the folder")
        harness.check(run.accuracy.quantized.samples == 40 and run.diagnosis is not None, f"{name}: 40 images with labels")
        arrays = np.stack([by_hand(shot, told) for shot in shots])
        other = quantlens.quantize(folder / "model.onnx", (arrays, labels), output=root / "other.onnx", progress=False)
        harness.check(pathlib.Path(run.output).read_bytes() == pathlib.Path(other.output).read_bytes(),
                      f"{name}: as of arrays made by hand, byte for byte")
    for name, data in {"pairs": list(zip(shots, labels)), "a generator": (one for one in dataset.items),
                       "other columns": [{"img": shot, "labels": 1, "id": 7} for shot in shots]}.items():
        harness.check(np.array_equal(told_outputs(folder, data), told_outputs(folder, (arrays, labels))),
                      f"{name} give the same outputs")
    harness.check(same_model(folder, root, shots, arrays), "images alone are data for calibration")
    prepared = [{"pixel_values": one, "label": int(label), "id": 5} for one, label in zip(arrays, labels)]
    harness.check(quantlens.evaluate(folder, prepared, "top1", progress=False).accuracy.quantized.samples == 40,
                  "prepared arrays pass, with labels")
    told = quantlens.evaluate(run.output, dataset, "top1", against=folder, progress=False)
    harness.check(told.accuracy.quantized.samples == 40, "the quantized model's folder prepares for it, too")
    return dataset


def where_models_are(root, dataset):
    below = root / "below"
    image_model(below / "onnx" / "model.onnx")
    write(below, "preprocessor_config.json", VIT)
    run = quantlens.quantize(str(below), data=dataset, progress=False)
    harness.check(pathlib.Path(run.output) == below / "model_quantized.onnx", "onnx/model.onnx is a model of the folder")
    only = root / "only"
    image_model(only / "net.onnx")
    write(only, "preprocessor_config.json", VIT)
    for _ in range(2):
        run = quantlens.quantize(only, data=dataset, progress=False)
        harness.check(run.output == str(only / "net_quantized.onnx"), "so is the only one, also after it was quantized")
    run = quantlens.quantize(only, data=dataset, output=root / "mine.onnx", progress=False)
    harness.check(run.output == str(root / "mine.onnx"), "output is kept")
    image_model(only / "decoder.onnx")
    refused(quantlens.UsageError, ["several", "decoder.onnx", "net.onnx"],
            lambda: quantlens.quantize(only, data=dataset, progress=False))
    (root / "empty").mkdir()
    refused(quantlens.NotFound, ["empty", "model.onnx"], lambda: quantlens.inspect(root / "empty"))


def refused_images(root, dataset):
    folder = root / "bad"
    image_model(folder / "model.onnx")
    call = lambda data=dataset: quantlens.evaluate(folder, data, "top1", progress=False)  # noqa: E731
    refused(quantlens.NotFound, ["preprocessor_config.json", "no such file"], call)
    cases = [({"image_processor_type": "FancyImageProcessor"}, ["FancyImageProcessor"]), ({**VIT, "do_pad": True}, ["do_pad"]),
             ({**VIT, "crop_pct": 0.9}, ["crop_pct"]), ({**VIT, "size": {"longest_edge": 16}}, ["size", "longest_edge"]),
             ({"size": 16, "do_resize": True}, ["image_processor_type"]), ({**RESNET, "resample": None}, ["resample"]),
             ({**VIT, "rescale_offset": True}, ["rescale_offset"])]
    for told, parts in cases:
        write(folder, "preprocessor_config.json", told)
        write(folder, "config.json", {"model_type": "novel"})
        refused(quantlens.Unsupported, parts, call)
    write(folder, "preprocessor_config.json", {key: value for key, value in VIT.items() if key != "image_processor_type"})
    write(folder, "config.json", {"model_type": "vit"})
    harness.check(call().accuracy.quantized.samples == 40, "where the processor is not named, config.json tells it")
    refused(quantlens.BadInput, ["mode L", "RGB"], lambda: call([(dataset[0]["image"].convert("L"), 0)]))
    refused(quantlens.BadInput, ["mode RGBA", "RGB"], lambda: call([(dataset[0]["image"].convert("RGBA"), 0)]))
    (folder / "preprocessor_config.json").write_text("{", encoding="utf-8")
    refused(quantlens.BadInput, ["preprocessor_config.json", "no JSON"], call)
    write(folder, "preprocessor_config.json", VIT)
    refused(quantlens.UsageError, ["several images", "a, b"],
            lambda: call([{"a": dataset[0]["image"], "b": dataset[0]["image"], "label": 1}]))
    refused(quantlens.Unsupported, ["texts", "input_ids"], lambda: call([{"text": "good", "label": 1}]))

    class Splits(dict):
        column_names = ()

    refused(quantlens.UsageError, ["splits train, test", "['train']"], lambda: call(Splits(train=dataset, test=dataset)))


def tokenizer_of(folder, cut=None, padded=None):
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    made = Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1",
                                                        [("[CLS]", 2), ("[SEP]", 3)])
    if cut:
        made.enable_truncation(cut)
    if padded:
        made.enable_padding(length=padded)
    made.save(str(folder / "tokenizer.json"))


def texts(root):
    try:
        import tokenizers  # noqa: F401
    except ImportError:
        folder = root / "text"
        text_model(folder / "model.onnx")
        write(folder, "tokenizer.json", {})
        refused(quantlens.NotFound, ["tokenizers", "pip install"],
                lambda: quantlens.quantize(folder, data=Dataset([{"text": "good", "label": 1}]), progress=False))
        print("left out texts (this Python has no tokenizers)")
        return
    said = ["good film", "a very bad film", "strange", "very very good a film"] * 5
    asked = [{"text": words, "label": at % 2} for at, words in enumerate(said)]
    ids = {"good film": [2, 4, 6, 3], "a very bad film": [2, 7, 8, 5, 6, 3], "strange": [2, 1, 3],
           "very very good a film": [2, 8, 8, 4, 7, 6, 3]}

    def arrays(rows, length=None, cut=99, kinds=True):
        rows = [row if len(row) <= cut else row[:cut - 1] + [3] for row in rows]
        full = [length or len(row) for row in rows]
        told = [{"input_ids": np.array(row + [0] * (n - len(row))),
                 "attention_mask": np.array([1] * len(row) + [0] * (n - len(row))),
                 "label": 0}
                for n, row in zip(full, rows)]
        return [{**one, "token_type_ids": np.zeros_like(one["input_ids"])} for one in told] if kinds else told

    def agree(folder, wanted, claim, data=None):
        harness.check(np.array_equal(told_outputs(folder, data or Dataset(asked)), told_outputs(folder, wanted)), claim)

    rows = [ids[one["text"]] for one in asked]
    free = root / "free"
    text_model(free / "model.onnx")
    tokenizer_of(free)
    agree(free, arrays(rows), "texts become tokens")
    harness.check(same_model(free, root, [one["text"] for one in asked], arrays(rows)), "texts alone are data for calibration")
    run = quantlens.quantize(free, data=Dataset(asked), metric="top1", diagnose=True, progress=False)
    harness.check(run.accuracy.quantized.samples == 20 and pathlib.Path(run.output).name == "model_quantized.onnx",
                  f"a text model is quantized: {run.verdict}")
    pairs = [{"premise": "good film", "hypothesis": "bad", "label": 0, "idx": 1}]
    second = {"input_ids": np.array([2, 4, 6, 3, 5, 3]), "attention_mask": np.ones(6, int),
              "token_type_ids": np.array([0, 0, 0, 0, 1, 1]),
              "label": 0}
    agree(free, [second], "two texts go in as a pair", pairs)
    write(free, "tokenizer_config.json", {"model_max_length": 5})
    agree(free, arrays(rows, cut=5), "tokenizer_config.json says where they are cut")
    tokenizer_of(free, cut=4, padded=6)
    agree(free, arrays(rows, length=6, cut=4), "tokenizer.json says it first, and to what length they are padded")
    fixed = root / "fixed"
    text_model(fixed / "model.onnx", length=6, kind=TensorProto.INT32, names=("input_ids", "attention_mask"))
    tokenizer_of(fixed)
    refused(quantlens.NotFound, ["pad_token", "6 tokens"],
            lambda: quantlens.evaluate(fixed, Dataset(asked), "top1", progress=False))
    write(fixed, "tokenizer_config.json", {"pad_token": {"content": "[PAD]"}, "model_max_length": 1e30})
    wanted = [{name: np.asarray(value, np.int32) for name, value in one.items()}
              for one in arrays(rows, length=6, cut=6, kinds=False)]
    agree(fixed, wanted, "a model of one length gets texts of that length, in its own type")
    refused(quantlens.UsageError, ["several texts", "a, b, c"],
            lambda: quantlens.evaluate(free, [{"a": "x", "b": "y", "c": "z", "label": 0}], "top1", progress=False))
    (free / "tokenizer.json").write_text("{}", encoding="utf-8")
    refused(quantlens.BadInput, ["tokenizer.json", "no tokenizer"], lambda: quantlens.evaluate(free, Dataset(asked), "top1"))
    shutil.copy(free / "model.onnx", root / "alone.onnx")
    refused(quantlens.NotFound, ["tokenizer.json", "no such file"],
            lambda: quantlens.evaluate(root / "alone.onnx", Dataset(asked), "top1", progress=False))


def main():
    sandbox = harness.Sandbox()
    os.environ["QUANTLENS_WORKSPACE"] = sandbox.environment["QUANTLENS_WORKSPACE"]
    os.chdir(sandbox.path)
    dataset = images(sandbox.path)
    where_models_are(sandbox.path, dataset)
    refused_images(sandbox.path, dataset)
    texts(sandbox.path)


main()
