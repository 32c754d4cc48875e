# SPDX-License-Identifier: Apache-2.0
"""The files that are damaged: who quantized which float model, with which data.

usage: files.py MAKER MODEL PATH: has a maker's tool quantize a model, for Python environments of its own (Neural Compressor
wants other versions than NNCF): FOLDER/MAKER_MODEL.onnx is what injected_faults.py --keep FOLDER takes.
"""

import pathlib
import sys

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "testdata"
CALIBRATION = 32


def images(crop, color, mean=0, std=1):
    return {"crop": crop, "color": color, "mean": mean, "std": std}


def speech(factor=1):
    return {"npz": DATA / "speech/kwt1_400.npz", "factor": factor}


# name: (float model, its data, the same data prepared otherwise)
MODELS = {
    "mobilenet_v1_0.25": ("mobilenet_v1_0.25_224.onnx", images(224, "rgb", 127.5, 127.5), images(224, "rgb", 0, 255)),
    "mobilenet_v1_0.75": ("mobilenet_v1_0.75_224.onnx", images(224, "rgb", 127.5, 127.5), images(224, "rgb", 0, 255)),
    "squeezenet1.1": ("squeezenet1.1.onnx", images(227, "bgr"), images(227, "bgr", 0, 255)),
    "kwt1": ("kwt1.onnx", speech(), speech(1 / 32)),
}

FOREIGN = {
    ("ort", "squeezenet1.1"): "squeezenet1.1_ort_qdq.onnx",
    ("ort", "mobilenet_v1_0.25"): "mobilenet_v1_0.25_ort_qdq_per_tensor.onnx",
    ("inc", "squeezenet1.1"): "squeezenet1.1_inc_qoperator.onnx",
    ("quark", "mobilenet_v1_0.75"): "mobilenet_v1_0.75_quark_qdq.onnx",
}
MADE = {
    ("ort", "mobilenet_v1_0.75"): "onnxruntime",
    ("ort", "kwt1"): "onnxruntime",
    ("nncf", "mobilenet_v1_0.25"): "nncf",
    ("nncf", "mobilenet_v1_0.75"): "nncf",
    ("nncf", "squeezenet1.1"): "nncf",
    ("nncf", "kwt1"): "nncf",
    ("inc", "mobilenet_v1_0.25"): "neural_compressor",
    ("inc", "mobilenet_v1_0.75"): "neural_compressor",
    ("inc", "kwt1"): "neural_compressor",
}
OURS = [("ours", name) for name in MODELS]
# The spectrogram at the begin of KWT-1, which none of these tools can quantize: nothing else would count behind it.
FRONT_OF_KWT1 = 25  # nodes
MAKERS = ("ort", "nncf", "inc", "ours")


def float_model(name):
    return DATA / "models" / MODELS[name][0]


def document(data):
    """What `--data` reads; nothing for an array that must be written first."""
    if "npz" in data:
        return None
    return (f"{{images: {{folder: {DATA}/imagenet/images, labels: {DATA}/imagenet/val.txt, crop: {data['crop']}, "
            f"color: {data['color']}, mean: {data['mean']}, std: {data['std']}, layout: nchw}}}}\n")


def write_data(data, path):
    """The data set as a file that `--data` takes."""
    import numpy as np
    text = document(data)
    if text is not None:
        path = path.with_name(path.name + ".yaml")
        path.write_text(text)
        return path
    if data["factor"] == 1:
        return data["npz"]
    arrays = dict(np.load(data["npz"]))
    arrays["audio"] = arrays["audio"] * np.float32(data["factor"])
    path = path.with_name(path.name + ".npz")
    np.savez(path, **arrays)
    return path


def batches(name, begin=-CALIBRATION, end=None):
    """Samples as the float model takes them, by the libraries that the peers' users have."""
    import numpy as np
    data = MODELS[name][1]
    if "npz" in data:
        return [array[None] for array in np.load(data["npz"])["audio"][begin:end]]
    from PIL import Image
    samples = []
    for path in sorted((DATA / "imagenet/images").iterdir())[begin:end]:
        image = np.asarray(Image.open(path).convert("RGB"), np.float32)
        top, left = (image.shape[0] - data["crop"]) // 2, (image.shape[1] - data["crop"]) // 2
        image = image[top:top + data["crop"], left:left + data["crop"]]
        if data["color"] == "bgr":
            image = image[..., ::-1]
        image = (image - np.float32(data["mean"])) / np.float32(data["std"])
        samples.append(np.ascontiguousarray(image.transpose(2, 0, 1)[None]))
    return samples


def make(maker, name, path):
    """Has the maker's own tool quantize the model. Raises ImportError where it is not installed."""
    import onnx
    model = onnx.load(float_model(name))
    entry = model.graph.input[0].name
    front = [n.name for n in model.graph.node[:FRONT_OF_KWT1]] if name == "kwt1" else []
    {"ort": make_by_onnxruntime, "inc": make_by_neural_compressor, "nncf": make_by_nncf}[maker](
        float_model(name), entry, batches(name), front, path)


def make_by_onnxruntime(source, entry, samples, front, path):
    from onnxruntime.quantization import CalibrationDataReader, quantize_static

    class Reader(CalibrationDataReader):
        def __init__(self):
            self.left = iter(samples)

        def get_next(self):
            sample = next(self.left, None)
            return None if sample is None else {entry: sample}

    types = ["MatMul", "Add", "Mul"] if front else None
    quantize_static(str(source), str(path), Reader(), per_channel=True, op_types_to_quantize=types, nodes_to_exclude=front)


def make_by_neural_compressor(source, _, samples, front, path):
    from neural_compressor import PostTrainingQuantConfig, quantization

    class Loader:
        batch_size = 1

        def __iter__(self):
            return ((sample, 0) for sample in samples)

    in_float = {"activation": {"dtype": ["fp32"]}, "weight": {"dtype": ["fp32"]}}
    types = ["Mul", "Pow", "Div", "Sub", "Sqrt", "ReduceMean"] if front else []  # of some its files do not load
    config = PostTrainingQuantConfig(approach="static", quant_format="QOperator", calibration_sampling_size=[len(samples)],
                                     op_type_dict=dict.fromkeys(types, in_float),
                                     op_name_dict=dict.fromkeys(front, in_float))
    quantization.fit(str(source), config, calib_dataloader=Loader()).save(str(path))


def make_by_nncf(source, entry, samples, front, path):
    import nncf
    import onnx
    kind = {"model_type": nncf.ModelType.TRANSFORMER} if front else {}
    model = nncf.quantize(onnx.load(source), nncf.Dataset(samples, lambda sample: {entry: sample}), subset_size=len(samples),
                          preset=nncf.QuantizationPreset.MIXED if front else None, **kind)
    onnx.save(model, path)


if __name__ == "__main__":
    make(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]))
