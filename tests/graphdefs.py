# SPDX-License-Identifier: Apache-2.0
"""Writes small graphs of TensorFlow without TensorFlow. Run with the folder fuzz/corpus it writes the seeds of graphdef_read and
run_metadata."""
import pathlib
import struct
import sys

FLOAT, INT32, STRING = 1, 3, 7


def varint(number):
    number &= 2**64 - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def field(number, value):
    """A number as a varint, text and bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def entries(number, mapping):
    return b"".join(field(number, field(1, key) + field(2, value)) for key, value in mapping.items())


def shape_of(extents):
    return b"".join(field(2, field(1, extent)) for extent in extents)


def shape(extents):
    return field(7, shape_of(extents))


def numbers(values):
    return field(1, field(3, b"".join(map(varint, values))))


def tensor(kind, extents, content):
    return field(8, field(1, kind) + field(2, shape_of(extents)) + content)


def floats(extents, values):
    return tensor(FLOAT, extents, field(4, struct.pack(f"<{len(values)}f", *values)))


def integers(extents, values):
    return tensor(INT32, extents, field(4, struct.pack(f"<{len(values)}i", *values)))


def function(name):
    return field(10, field(1, name))


def node(name, op, inputs=(), **attributes):
    return field(1, name) + field(2, op) + b"".join(field(3, one) for one in inputs) + entries(5, attributes)


def constant(name, kind, value):
    return node(name, "Const", value=value, dtype=field(6, kind))


def function_def(name, takes, gives, nodes, returned):
    signature = field(1, name) + b"".join(field(2, field(1, one) + field(3, FLOAT)) for one in takes)
    signature += b"".join(field(3, field(1, one) + field(3, FLOAT)) for one in gives)
    return field(1, signature) + b"".join(field(3, one) for one in nodes) + entries(4, {k: v.encode() for k, v in returned.items()})


def graph(nodes, functions=(), producer=1286):
    library = field(2, b"".join(field(1, one) for one in functions)) if functions else b""
    return b"".join(field(1, one) for one in nodes) + library + field(4, field(1, producer))


T = {"T": field(6, FLOAT)}


def network(hidden=4):
    """A convolution, a batch normalization on constants, a depthwise convolution, a pool and a product."""
    same = {**T, "strides": numbers([1, 1, 1, 1]), "padding": field(2, "SAME")}
    each = [0.5 + 0.25 * i for i in range(hidden)]
    return [
        node("image", "Placeholder", dtype=field(6, FLOAT), shape=shape([-1, 8, 8, 1])),
        constant("conv/filter", FLOAT, floats([3, 3, 1, hidden], [0.1 * i - 1 for i in range(9 * hidden)])),
        node("conv/filter/read", "Identity", ["conv/filter"], **T),
        node("conv", "Conv2D", ["image", "conv/filter/read"], **same),
        constant("variance", FLOAT, floats([hidden], each)),
        constant("epsilon", FLOAT, floats([], [0.001])),
        node("norm/add", "AddV2", ["variance", "epsilon"], **T),
        node("norm/root", "Rsqrt", ["norm/add"], **T),
        node("norm/scaled", "Mul", ["conv", "norm/root"], **T),
        node("act", "Relu6", ["norm/scaled"], **T),
        constant("each/filter", FLOAT, floats([3, 3, hidden, 1], [0.05 * i - 1 for i in range(9 * hidden)])),
        node("each", "DepthwiseConv2dNative", ["act", "each/filter"], **same),
        constant("pool/axes", INT32, integers([2], [1, 2])),
        node("pool", "Mean", ["each", "pool/axes"], **T),
        constant("fc/matrix", FLOAT, floats([hidden, 3], [0.1 * i for i in range(3 * hidden)])),
        node("fc", "MatMul", ["pool", "fc/matrix"], **T),
        node("check", "NoOp", ["^fc"]),
        node("scores", "Softmax", ["fc"], **T),
    ]


def with_functions():
    negated = function_def("negated", ["x"], ["r"], [node("neg", "Neg", ["x"], **T)], {"r": "neg:y:0"})
    twice = function_def("twice", ["x"], ["r"], [node("a", "negated", ["x"]), node("b", "PartitionedCall", ["a:r:0"],
                                                                                     f=function("negated"))], {"r": "b:output:0"})
    nodes = [node("x", "Placeholder", dtype=field(6, FLOAT), shape=shape([2])), node("call", "twice", ["x"]),
             node("loop", "StatelessWhile", ["call"], cond=function("negated"), body=function("negated"),
                  T=field(1, field(6, FLOAT)))]
    return graph(nodes, [negated, twice])


def with_loop():
    return graph([node("merge", "Merge", ["enter", "next"], **T, N=field(3, 2)), node("next", "NextIteration", ["body"], **T),
                  node("body", "Neg", ["merge", "^enter"], **T), node("enter", "Enter", ["x"], **T),
                  node("x", "Placeholder", dtype=field(6, FLOAT)), node("exit", "Exit", ["body"], **T)])


def with_odd_tensors():
    values = [tensor(FLOAT, [2, 3], field(5, struct.pack("<2f", 1, 2))), tensor(19, [2], field(13, 0x3C00)),
              tensor(STRING, [1], field(8, "text")), tensor(9, [], field(10, -1)), tensor(10, [4], b"")]
    return graph([node(f"c{i}", "Const", value=value) for i, value in enumerate(values)]
                 + [node("own", "MyOp", [f"c{i}" for i in range(len(values))]), node("y", "Identity", ["own:3"], **T)])


def noted_run():
    """A RunMetadata of a run of the network, in which each node took a microsecond."""
    notes = b""
    for i, name in enumerate(("_SOURCE", "image", "conv", "norm/scaled", "act", "each", "pool", "fc", "scores", "fc")):
        result = field(1, 0) + field(3, field(1, FLOAT) + field(2, shape_of([2, 3])))
        times = field(2, i) + field(5, 1) + field(13, 1000 * i) + field(16, 1000)
        notes += field(2, field(1, name) + field(7, result) + field(8, f"{name} = Op(x)") + times)
    return field(1, field(1, field(1, "/device:CPU:0") + notes)) + field(3, graph(network()))


if __name__ == "__main__":
    (pathlib.Path(sys.argv[1]) / "run_metadata").mkdir(parents=True, exist_ok=True)
    (pathlib.Path(sys.argv[1]) / "run_metadata" / "network.pb").write_bytes(noted_run())
    folder = pathlib.Path(sys.argv[1]) / "graphdef_read"
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in {"network": graph(network()), "functions": with_functions(), "loop": with_loop(),
                       "tensors": with_odd_tensors()}.items():
        (folder / f"{name}.pb").write_bytes(data)
