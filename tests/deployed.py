# SPDX-License-Identifier: Apache-2.0
"""What is told of a file is what a user's session of it computes, also where looking at values would change that: a float
depthwise Conv with a Mul and an Add behind it, between codes, whose weight the runtime quantizes by itself once it has
made one Conv of the three."""

import harness

harness.need("numpy", "onnx", "onnxruntime")
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

CHANNELS, CLASSES, SAMPLES = 16, 10, 64
rng = np.random.default_rng(3)


class Net:
    """x -> Conv, Relu -> depthwise Conv, Mul, Add, Relu -> Conv, Relu -> mean -> Gemm, in float or with codes."""

    def __init__(self, constants, ranges=None, has_inner_value=True):
        self.constants, self.ranges, self.has_inner_value = dict(constants), ranges, has_inner_value
        self.nodes = []

    def op(self, kind, inputs, output, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [output], name=f"{kind}_{output}", **attributes))
        if self.ranges is None or output not in self.ranges:
            return output
        low, high = self.ranges[output]
        scale = np.float32((high - low) / 255)
        self.constants[output + "_s"], self.constants[output + "_z"] = scale, np.uint8(round(-low / scale))
        parameters = [output + "_s", output + "_z"]
        self.nodes.append(helper.make_node("QuantizeLinear", [output, *parameters], [output + "_q"]))
        self.nodes.append(helper.make_node("DequantizeLinear", [output + "_q", *parameters], [output + "_d"]))
        return output + "_d"

    def weight(self, name):
        if self.ranges is None:
            return name
        values = self.constants.pop(name)
        scale = np.maximum(np.abs(values).reshape(len(values), -1).max(1), 1e-3).astype(np.float32) / 127
        shape = (-1, *[1] * (values.ndim - 1))
        self.constants[name + "_q"] = np.round(values / scale.reshape(shape)).astype(np.int8)
        self.constants[name + "_s"], self.constants[name + "_z"] = scale, np.zeros(len(values), np.int8)
        self.nodes.append(helper.make_node("DequantizeLinear", [name + "_q", name + "_s", name + "_z"], [name + "_d"],
                                           axis=0))
        return name + "_d"

    def save(self, path):
        x = self.op("Identity", ["x"], "input")
        a = self.op("Relu", [self.op("Conv", [x, self.weight("w1")], "c1", pads=[1, 1, 1, 1])], "a")
        d = self.op("Conv", [a, "w2"], "c2", pads=[1, 1, 1, 1], group=CHANNELS)
        if self.has_inner_value:  # else pairing takes the four for one op, and looks at its result alone
            d = self.op("Identity", [d], "i")
        m = self.op("Add", [self.op("Mul", [d, "factor"], "m"), "shift"], "s")
        b = self.op("Relu", [m], "b")
        c = self.op("Relu", [self.op("Conv", [b, self.weight("w3")], "c3")], "c")
        g = self.op("Flatten", [self.op("GlobalAveragePool", [c], "p")], "f")
        self.op("Gemm", [g, "w4"], "y", transB=1)
        graph = helper.make_graph(
            self.nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, 16, 16])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", CLASSES])],
            [numpy_helper.from_array(np.asarray(a), n) for n, a in self.constants.items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
        return path


def mild_constants():
    """Channels alike: the runtime's own int8 weight costs little."""
    values = constants()
    values["w2"] = values["w2"] * values["factor"].reshape(-1, 1, 1, 1)
    values["w2"][0] /= 1000
    values["factor"] = np.ones_like(values["factor"])
    return values


def constants():
    """The first channel is dead and has a weight like that of a thousand others, as in real depthwise layers."""
    normal = lambda *shape: rng.standard_normal(shape).astype(np.float32)
    factor = np.exp(rng.normal(0, 2.5, CHANNELS)).astype(np.float32)
    first, second = normal(CHANNELS, 3, 3, 3) * 0.3, normal(CHANNELS, 1, 3, 3)
    first[0], second[0] = 0, second[0] * 1000
    return {"w1": first, "w2": second / factor.reshape(-1, 1, 1, 1),
            "factor": factor.reshape(1, -1, 1, 1), "shift": normal(CHANNELS, 1, 1), "w3": normal(CHANNELS, CHANNELS, 1, 1) * 0.3,
            "w4": normal(CLASSES, CHANNELS)}


def outputs(path, samples):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return np.stack([session.run(None, {"x": sample[None]})[0][0] for sample in samples])


def decibels(x, y):
    return 10 * np.log10(np.square(x, dtype=np.float64).sum() / np.square(x.astype(np.float64) - y).sum())


FUSED = {"Conv_c2", "Identity_i", "Mul_m", "Add_s", "Relu_b"}


def check_observation(told, claim):
    """The finding says what the runtime does: before anything else and with what to do where that would be another loss, else last."""
    found = [one for one in told["findings"] if one["rule"] == "observation"]
    harness.check(len(found) == 1, f"{claim}: {len(found)} findings say what the runtime does")
    one = found[0]
    leads, is_note = told["findings"][0] == one, one["severity"] == "note"
    names = {op["name"] for op in one["ops"]}
    harness.check(names and names <= FUSED, f"{claim}: it names {one['ops']}")
    harness.check("QLinearConv" in one["because"] and "makes of the float one" in one["because"],
                  f"{claim}: it names what the runtime runs for them")
    begins = told["verdict"].lower().startswith(one["because"].lower()[:40])
    harness.check(("fold the constants" in one["because"], begins, leads) == (not is_note,) * 3,
                  f"{claim}: a {one['severity']} {'is last, without advice' if is_note else 'leads and says what to do'}")
    return one["severity"]


class Case:
    """Both files and data, with what Python computes of them."""

    def __init__(self, sandbox, values, name):
        self.reference = Net(values).save(sandbox.path / f"{name}_float.onnx")
        ranges = {"input": (-4, 4), "a": (0, 6), "b": (0, 6), "c": (0, 12)}
        self.quantized = Net(values, ranges).save(sandbox.path / f"{name}_int8.onnx")
        samples = rng.standard_normal((SAMPLES, 3, 16, 16)).astype(np.float32)
        exact, deployed = outputs(self.reference, samples), outputs(self.quantized, samples)
        labels = exact.argmax(1)
        np.savez(sandbox.path / f"{name}.npz", x=samples, label=labels)
        self.right = float((deployed.argmax(1) == labels).mean())
        self.loss = decibels(exact, deployed)
        self.data = sandbox.write(f"{name}.yaml", f"npz: {{file: {name}.npz, inputs: {{x: x}}, label: label}}\n")


def check_told(sandbox, case, claim):
    alone = sandbox.json("evaluate", case.quantized, "--data", case.data, "--metric", "top1")
    harness.check(alone["value"] == case.right, f"{claim}: evaluate tells {alone['value']:.4f}")
    told = sandbox.json("diagnose", case.reference, case.quantized, "--data", case.data, "--metric", "top1")
    seen = told["accuracy"]["quantized"]["value"] if "accuracy" in told else told["quantized"]["value"]
    harness.check(seen == case.right, f"{claim}: diagnose tells {seen:.4f}")
    rows = [row for row in told["activations"] if row["value"] == "y"]
    harness.check(abs(rows[0]["sqnr_db"] - case.loss) < 0.01, f"{claim}: the output's row has {rows[0]['sqnr_db']:.2f} dB")
    return check_observation(told, claim)


def main():
    sandbox = harness.Sandbox()
    case = Case(sandbox, constants(), "far")
    harness.check(case.right < 0.9, f"as it is deployed, the file scores {case.right:.2f} and keeps {case.loss:.1f} dB")
    severity = check_told(sandbox, case, "much is lost")
    harness.check(severity == "problem", "another loss would have been told")
    severity = check_told(sandbox, Case(sandbox, mild_constants(), "near"), "little is lost")
    harness.check(severity == "note", "nearly the same would have been told")


main()
