# SPDX-License-Identifier: Apache-2.0
"""The predecessor's transforms: pixels against loops over them, on the way to a model, and what they refuse."""
import doctest
import math
import os
import sys

import harness

PACKAGE = harness.python_package()
harness.need("numpy", "onnx")
sys.path.insert(0, PACKAGE)

import numpy as np  # noqa: E402
import quantlens  # noqa: E402
from quantlens.neural_compressor import PostTrainingQuantConfig, data, options, quantization  # noqa: E402
from quantlens.neural_compressor.data import TRANSFORMS, DataLoader  # noqa: E402
from quantlens.neural_compressor.transforms import images, names  # noqa: E402

BEFORE = TRANSFORMS("onnxrt_qlinearops", "preprocess")
RNG = np.random.default_rng(11)
WIDE, TALL = RNG.integers(0, 256, (9, 14, 3), np.uint8), RNG.integers(0, 256, (21, 10, 3), np.uint8)


def raises(claim, kind, words, call):
    """One sentence of this class that has these words."""
    try:
        call()
    except kind as error:
        told = str(error)
        harness.check(type(error) is kind and "\n" not in told and all(word in told for word in words), f"{claim}: {told}")
        return
    harness.check(False, f"{claim}: {kind.__name__} is raised")


def made(name, image, *arguments, **asked):
    found, label = BEFORE[name](*arguments, **asked)((image, 7))
    harness.check(label == 7, f"{name} leaves the label alone")
    return found


def is_near(claim, told, wanted, away=1e-6):
    off = np.abs(np.asarray(told, float) - wanted).max() if told.shape == wanted.shape else math.inf
    harness.check(off <= away, f"{claim}: {told.shape} {told.dtype}, {off} away")


def share_of(method, distance):
    """How much of a pixel so far away goes into another one."""
    away = abs(distance)
    if method == "bilinear":
        return max(0.0, 1 - away)
    if away <= 1:
        return 1.25 * away**3 - 2.25 * away**2 + 1
    return -0.75 * away**3 + 3.75 * away**2 - 6 * away + 3 if away < 2 else 0.0


def by_loops(image, height, width, method):
    """Pixel by pixel, as the definition says it."""
    result = np.zeros((height, width, image.shape[2]))
    for row in range(height):
        for column in range(width):
            if method == "nearest":
                result[row, column] = image[row * image.shape[0] // height, column * image.shape[1] // width]
                continue
            top, left = (row + 0.5) * image.shape[0] / height - 0.5, (column + 0.5) * image.shape[1] / width - 0.5
            for y in range(math.floor(top) - 1, math.floor(top) + 3):
                for x in range(math.floor(left) - 1, math.floor(left) + 3):
                    pixel = image[min(max(y, 0), image.shape[0] - 1), min(max(x, 0), image.shape[1] - 1)]
                    result[row, column] += pixel * (share_of(method, top - y) * share_of(method, left - x))
    return result


def sizes():
    for method in ("nearest", "bilinear", "bicubic"):
        for image in (WIDE, TALL):
            for width, height in ((5, 4), (20, 30), (14, 9)):
                wanted = by_loops(image, height, width, method)
                is_near(f"Resize, {method}", made("Resize", image / 255, [width, height], method), wanted / 255)
                told = made("Resize", image, (width, height), method)
                is_near("and of bytes", told, np.clip(np.rint(wanted), 0, 255), 1 if method == "bilinear" else 0)
                harness.check(told.dtype == np.uint8, "which remain bytes")
    harness.check(made("Resize", WIDE[..., 0], 4).shape == (4, 4, 1), "a grey image gets an axis of channels")
    is_near("CropResize", made("CropResize", WIDE / 255, 2, 3, 6, 5, [7, 8]), by_loops(WIDE[3:8, 2:8] / 255, 8, 7, "bilinear"))
    halves = WIDE[:8] / 255
    is_near("area means blocks", made("ResizeWithAspectRatio", halves, 4, 4, 100),
            halves.reshape(4, 2, 7, 2, 3).mean((1, 3)))
    doubled = made("ResizeWithAspectRatio", halves, 16, 16, 100)
    is_near("and repeats where it enlarges", doubled, halves.repeat(2, 0).repeat(2, 1))
    parts = np.array([[3.0, 1.0, 2.0]]).repeat(3, 0)
    is_near("area shares pixels", made("ResizeWithAspectRatio", parts, 2, 2, 100), np.array([[7 / 3, 5 / 3]] * 2))
    for image, shape in ((WIDE, (8, 12, 3)), (TALL, (16, 8, 3))):
        harness.check(made("ResizeWithAspectRatio", image, 6, 6, 75.0).shape == shape, f"ResizeWithAspectRatio makes {shape}")


def parts_and_numbers():
    is_near("CenterCrop", made("CenterCrop", WIDE, [4, 9]), WIDE[2:6, 2:11], 0)
    is_near("CenterCrop of the whole", made("CenterCrop", WIDE[..., 0], (9, 14)), WIDE[..., 0], 0)
    is_near("CropToBoundingBox", made("CropToBoundingBox", WIDE, 1, 2, 3, 4), WIDE[1:4, 2:6], 0)
    is_near("Rescale", made("Rescale", WIDE), WIDE.astype(np.float32) / np.float32(255), 0)
    told = made("Normalize", WIDE.astype(np.float32), [0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    is_near("Normalize", told, (WIDE - np.array([0.485, 0.456, 0.406])) / np.array([0.229, 0.224, 0.225]), 0)
    is_near("Transpose", made("Transpose", WIDE, [2, 0, 1]), WIDE.transpose(2, 0, 1), 0)
    harness.check(made("Cast", WIDE, "float16").dtype == np.float16, "Cast")
    harness.check(made("ToArray", WIDE) is WIDE, "ToArray lets arrays pass")
    is_near("AlignImageChannel of grey", made("AlignImageChannel", WIDE[..., 0]), WIDE[..., :1].repeat(3, 2), 0)
    is_near("of RGBA", made("AlignImageChannel", np.dstack([WIDE, WIDE[..., 0]])), WIDE, 0)
    is_near("of RGB", made("AlignImageChannel", WIDE, 1), np.rint(WIDE @ np.array([0.299, 0.587, 0.114]))[..., None], 1)
    inside = TALL[1:20].astype(np.float32) / 255
    is_near("BilinearImagenet", made("BilinearImagenet", TALL, 8, 6, 0.9, [0.1, 0.2, 0.3], 2.0),
            ((by_loops(inside, 8, 6, "bilinear") - 0.5) * 2 - np.array([0.1, 0.2, 0.3])) * 2)
    for image, side, shape in ((WIDE, 6, (9, 6)), (TALL, 8, (8, 16))):
        wanted = by_loops(image, *shape, "bilinear")
        top, left = (shape[0] - 5) // 2, (shape[1] - 4) // 2
        wanted = (wanted[top:top + 5, left:left + 4] / 255 - 0.45) / np.array([0.229, 0.224, 0.225])
        told = made("ResizeCropImagenet", image, 5, 4, resize_side=side, mean_value=[0.45] * 3)
        is_near("ResizeCropImagenet", told, wanted.transpose(2, 0, 1), 0.51 / 255 / 0.224)
    harness.check(made("ResizeCropImagenet", WIDE[..., 0], 5, 5, resize_side=6).shape == (3, 5, 5), "and of grey")
    shift = TRANSFORMS("onnxrt_qdq", "postprocess")["LabelShift"](1)
    for labels, wanted in (([1, 2], [0, 1]), ([(1, 2)], [(0, 1)]), (5, 4)):
        harness.check(shift((None, labels))[1] == wanted, f"LabelShift of {labels}")
    harness.check(shift((None, np.array([1, 2])))[1].tolist() == [0, 1], "and of arrays")


def what_is_refused():
    for name in ("RandomCrop", "RandomResizedCrop", "RandomHorizontalFlip", "RandomVerticalFlip"):
        raises(name, quantlens.Unsupported, [name, "CenterCrop"], lambda name=name: BEFORE[name])
    raises("ResizeWithRatio", quantlens.Unsupported, ["ResizeWithRatio", "COCO"], lambda: BEFORE["ResizeWithRatio"])
    raises("no transform", quantlens.UsageError, ["'Blur'", "Resize", "Compose"], lambda: BEFORE["Blur"])
    raises("one of another process", quantlens.UsageError, ["'LabelShift'", "preprocess"], lambda: BEFORE["LabelShift"])
    raises("no process", quantlens.UsageError, ["'before'", "postprocess"], lambda: TRANSFORMS("onnxruntime", "before"))
    raises("no framework", quantlens.UsageError, ["caffe"], lambda: TRANSFORMS("caffe", "general"))
    raises("another framework", quantlens.Unsupported, ["mxnet"], lambda: TRANSFORMS("mxnet", "general"))
    wrong = [("Resize", [0]), ("Resize", [[1, 2, 3]]), ("Resize", [1.5]), ("Resize", [10**9]), ("Resize", [True]),
             ("Resize", [4, "lanczos"]),
             ("CenterCrop", ["big"]), ("CenterCrop", [[]]), ("CropToBoundingBox", [-1, 0, 1, 1]), ("CropResize", [0, 0, 0, 1, 2]),
             ("Normalize", [["a"]]), ("Normalize", [[0.0], [0.0]]), ("Normalize", [[math.nan]]), ("Normalize", [[]]),
             ("Transpose", [[0, 0, 1]]), ("Transpose", [3]), ("Cast", ["string"]), ("Cast", [3]), ("AlignImageChannel", [5]),
             ("BilinearImagenet", [8, 0]), ("BilinearImagenet", [8, 8, 1.5]), ("ResizeWithAspectRatio", [8, 8, 0]),
             ("ResizeWithAspectRatio", [8, 8, 87.5, 4]), ("Compose", [[3]]), ("Compose", [None]),
             ("ResizeCropImagenet", [8, 8, False, 0])]
    for name, arguments in wrong:
        raises(f"{name} with {arguments}", quantlens.UsageError, [f"{name}: "],
               lambda name=name, arguments=arguments: BEFORE[name](*arguments))
    raises("what had no effect", quantlens.UsageError, ["subpixels"], lambda: BEFORE["ResizeCropImagenet"](8, 8, subpixels="BGR"))
    raises("at random", quantlens.Unsupported, ["random_crop"], lambda: BEFORE["ResizeCropImagenet"](8, 8, random_crop=True))
    for sample in (WIDE, (WIDE,), None, (None, 0), ("cat", 0), (np.zeros(3), 0), (np.zeros((0, 3, 3)), 0), ([[1], [1, 2]], 0)):
        raises("no sample", quantlens.UsageError, ["Resize: ", "give"], lambda sample=sample: BEFORE["Resize"](4)(sample))
    for name, arguments, words in (("CenterCrop", [10], "inside"), ("CropToBoundingBox", [8, 0, 2, 2], "inside"),
                                   ("Transpose", [[1, 0]], "axes"),
                                   ("Normalize", [[0.0] * 2, [1.0]], "2 numbers"), ("AlignImageChannel", [2], "channels"),
                                   ("CropResize", [10, 0, 5, 5, 2], "inside"), ("ResizeCropImagenet", [9, 9, False, 8], "inside"),
                                   ("ResizeCropImagenet", [9, 9, False, 32768], "pixels")):
        raises(f"{name} of an image that does not fit", quantlens.UsageError, [f"{name}: ", words],
               lambda name=name, arguments=arguments: BEFORE[name](*arguments)((WIDE, 0)))
    raises("labels", quantlens.UsageError, ["LabelShift: "], lambda: TRANSFORMS("onnxruntime",
                                                                                "postprocess")["LabelShift"](1)((0, ["a"])))


def registered():
    class Double(data.BaseTransform):
        def __call__(self, sample):
            return sample[0] * 2, sample[1]

    data.transform_registry("Double", "preprocess", "pytorch, onnxrt_qlinearops, onnxrt_integerops")(Double)
    harness.check(TRANSFORMS("onnxrt_qdq", "preprocess")["Double"]()((2, 3)) == (4, 3), "a registered transform is found")
    for name in ("Double", "Resize", "Compose", "RandomCrop"):
        raises("a name that is there", quantlens.UsageError, [name], lambda name=name: BEFORE.register(name, Double))
    raises("no framework of ours", quantlens.Unsupported, ["pytorch"], lambda: data.transform_registry("x", "general", "pytorch"))
    raises("no process", quantlens.UsageError, ["'x'"], lambda: data.transform_registry("x", "x", "onnxruntime"))


def on_the_way_to_a_model(sandbox):
    """Shades of the demo's digits go through Normalize, in double, into its network."""
    arrays = np.load(harness.DEMO / "digits.npz")
    shades = np.clip(arrays["image"][:60] * 127 + 128, 0, 255).astype(np.uint8).transpose(0, 2, 3, 1)
    channels = shades.shape[3]
    general = TRANSFORMS("onnxrt_qdq", "general")
    steps = general["Compose"]([general["Cast"]("float32"), BEFORE["Normalize"]([128.0] * channels, [127.0] * channels),
                                BEFORE["Transpose"]([2, 0, 1])])
    samples = [steps((image, int(label))) for image, label in zip(shades, arrays["label"])]
    options.workspace = str(sandbox.path / "nc")
    fitted = quantization.fit(str(harness.DEMO / "digits.onnx"), PostTrainingQuantConfig(diagnosis=True),
                              calib_dataloader=DataLoader("onnxrt_qdq", samples, 10), eval_dataloader=DataLoader("onnxrt_qdq",
                                                                                                                 samples, 10),
                              eval_metric={"topk": 1})
    harness.check(fitted.run.accuracy.quantized.value > 0.9, f"it reads them: {fitted.run.accuracy.quantized.value}")


def examples_of_docstrings():
    runner, finder = doctest.DocTestRunner(verbose=False), doctest.DocTestFinder(recurse=False)
    known = [names.TRANSFORMS, names.transform_registry, images.ComposeTransform, images.Normalize, images.CenterCrop,
             images.Resize,
             images.ResizeCropImagenet, images.LabelShift]
    for one in known:
        globs = {"np": np, "TRANSFORMS": TRANSFORMS, "BaseTransform": data.BaseTransform,
                 "transform_registry": data.transform_registry}
        examples = [found for found in finder.find(one, one.__name__, globs=globs) if found.examples]
        harness.check(examples, f"{one.__name__} has an example")
        for example in examples:
            runner.run(example)
    told = runner.summarize(verbose=False)
    harness.check(told.failed == 0, f"{told.attempted} lines of examples in docstrings do what they say")


def main():
    sandbox = harness.Sandbox()
    os.environ["QUANTLENS_WORKSPACE"] = sandbox.environment["QUANTLENS_WORKSPACE"]
    sizes()
    parts_and_numbers()
    what_is_refused()
    registered()
    on_the_way_to_a_model(sandbox)
    examples_of_docstrings()


main()
