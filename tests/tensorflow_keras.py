# SPDX-License-Identifier: Apache-2.0
"""Small networks of Keras, frozen as docs/tensorflow.md says and quantized: residual sums, concatenations, depthwise and dilated
convolutions, groups, pads, products. What is told of each op is what a stock session runs, and figures are of its outputs."""
import math

import harness

tf = harness.tensorflow()
import keras  # noqa: E402
import numpy as np  # noqa: E402
from keras import layers  # noqa: E402
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2  # noqa: E402

tf1 = tf.compat.v1
KERNELS = {"_FusedQuantizedConv2D", "_FusedQuantizedDepthwiseConv2D", "_QuantizedMatMul"}
CODES = (tf.qint8.as_datatype_enum, tf.quint8.as_datatype_enum)


def conv(data, filters, size, activation="relu", norm=True, **more):
    data = layers.Conv2D(filters, size, use_bias=not norm, **{"padding": "same", **more})(data)
    if norm:
        data = layers.BatchNormalization(momentum=0.0)(data)
    return layers.Activation(activation)(data) if activation else data


def residual(data):
    data = conv(data, 12, 3, strides=2)
    for filters, stride in ((12, 1), (16, 2)):
        inner = conv(conv(data, filters, 3, strides=stride), filters, 3, activation=None)
        short = data if stride == 1 else conv(data, filters, 1, activation=None, strides=stride)
        data = layers.ReLU()(layers.Add()([inner, short]))
    return layers.Dense(7)(layers.GlobalAveragePooling2D()(data))


def inception(data):
    data = conv(data, 8, 3, norm=False, padding="valid")
    for width in (6, 8):
        pooled = conv(layers.MaxPooling2D(3, strides=1, padding="same")(data), width, 1)
        mean = conv(layers.AveragePooling2D(3, strides=1, padding="same")(data), width, 1)
        data = layers.Concatenate()([conv(data, width, 1), conv(conv(data, width, 1), width, 3), pooled, mean])
    data = layers.Flatten()(layers.MaxPooling2D(4)(data))
    return layers.Dense(7)(layers.Dense(20, activation="relu")(data))


def depthwise(data):
    data = conv(layers.ZeroPadding2D(1)(data), 8, 3, activation="relu6", strides=2, padding="valid")
    for stride, rate in ((1, 1), (2, 1), (1, 2)):
        data = layers.DepthwiseConv2D(3, strides=stride, dilation_rate=rate, padding="same", use_bias=False)(data)
        data = layers.ReLU(6.0)(layers.BatchNormalization(momentum=0.0)(data))
        data = conv(data, 12, 1, activation="relu6")
    data = conv(data, 12, 3, dilation_rate=2, activation="leaky_relu")
    return layers.Softmax()(layers.Dense(7)(layers.Flatten()(data)))


def grouped(data):
    data = conv(conv(data, 8, 5, strides=3, norm=False), 8, 3, groups=2, norm=False)
    return layers.Dense(7)(layers.Flatten()(conv(data, 4, 1, activation="tanh")))


def frozen(build, path, seed):
    """The network with weights drawn at random and batch statistics as they come of them."""
    keras.utils.set_random_seed(seed)
    given = keras.Input((24, 24, 3))
    model = keras.Model(given, build(given))
    generator = np.random.default_rng(seed)
    for layer in model.layers:
        if isinstance(layer, layers.BatchNormalization):  # the layer's gamma and beta, then what it has seen
            gain, shift = generator.normal(1, 0.3, layer.gamma.shape), generator.normal(0, 0.5, layer.beta.shape)
            layer.set_weights([gain, shift, *layer.get_weights()[2:]])
    model(images(200, seed), training=True)  # momentum 0: statistics are those of this batch
    last = next(layer for layer in reversed(model.layers) if isinstance(layer, layers.Dense))
    scores = keras.Model(given, last.output)(images(200, seed), training=False).numpy()
    weight, bias = last.get_weights()  # each class is the answer now and then
    last.set_weights([3 * weight / scores.std(0), 3 * (bias - scores.mean(0)) / scores.std(0)])
    concrete = tf.function(lambda x: model(x, training=False)).get_concrete_function(
        tf.TensorSpec([None, 24, 24, 3], tf.float32, name="image"))
    graph = convert_variables_to_constants_v2(concrete)
    path.write_bytes(graph.graph.as_graph_def().SerializeToString())
    return graph.outputs[0].op.name


def stock(path, output, data):
    """What a stock session of one thread gives, sample by sample, and the nodes that it runs."""
    graph = tf.Graph()
    with graph.as_default():
        tf1.import_graph_def(tf1.GraphDef.FromString(path.read_bytes()), name="")
    options, told = tf1.RunOptions(output_partition_graphs=True), tf1.RunMetadata()
    config = tf1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    with tf1.Session(graph=graph, config=config) as session:
        session.run(f"{output}:0", {"image:0": data[:1]}, options, told)
        made = np.concatenate([session.run(f"{output}:0", {"image:0": one[None]}) for one in data])
    return made, [node for part in told.partition_graphs for node in part.node]


def images(count, seed):
    """Smooth ones, as photographs are."""
    coarse = np.random.default_rng(seed).normal(size=(count, 6, 6, 3)).astype(np.float32)
    return tf.image.resize(coarse, (24, 24), "bicubic").numpy()


def check_network(sandbox, build, seed):
    name = build.__name__
    model, out = sandbox.path / f"{name}.pb", sandbox.path / f"{name}.int8.pb"
    output = frozen(build, model, seed)
    data = images(48, seed)
    plain, _ = stock(model, output, data)
    labels = plain.argmax(1)
    np.savez(sandbox.path / "classes.npz", image=data, label=labels)
    told = sandbox.json("quantize", model, "--data", "classes.npz", "-o", out, "--metric", "top1", "--diagnose", "--threads", 1)
    made, nodes = stock(out, output, data)
    agreed = float((made.argmax(1) == labels).mean())
    harness.check(told["quantized"]["value"] == agreed and told["reference"]["value"] == 1,
                  f"{name}: {agreed:.1%} of the answers stay, as a stock session has it")
    harness.check(agreed > 0.85, "which are nearly all")
    targets = np.zeros_like(plain)
    np.savez(sandbox.path / "zeros.npz", image=data, label=targets)
    squares = sandbox.json("evaluate", out, "--data", "zeros.npz", "--metric", "mse", "--threads", 1)["value"]
    wanted = math.fsum(float(y) ** 2 for y in made.reshape(-1)) / made.size
    harness.check(math.isclose(squares, wanted, rel_tol=1e-13), f"and outputs are its outputs: {squares} {wanted}")
    error = 10 * np.log10((plain.astype(float)**2).sum() / ((plain.astype(float) - made)**2).sum())
    harness.check(error > 15, f"near those of the float network: {error:.1f} dB")
    ops = [one for one in sandbox.record(told["workload"], "plan.json")["ops"] if one["members"]]
    integer = {one["members"][-1]: one for one in ops if one["precision"] == "int8"}
    run = {node.name: node for node in nodes}
    for value, one in integer.items():
        node = run.get(f"{value}/int8") or run.get(value)
        is_integer = node is not None and (node.op in KERNELS or node.op == "QuantizedMaxPool" or node.attr["T"].type in CODES)
        harness.check(is_integer, f"{name}: {one['type']} {value} runs on codes: {node.op if node else node}")
    computing = [node.name for node in nodes if node.op in KERNELS]
    weighted = [value for value, one in integer.items() if one["kind"] in ("conv", "matmul")]
    harness.check(len(computing) == len(weighted), f"{name}: {len(weighted)} int8 convolutions and products run, and no more")
    activations = sandbox.record(told["workload"], "diagnosis.json")["activations"]
    print(f"    {name}: worst value {min(float(row['sqnr_db']) for row in activations):.1f} dB; float:",
          sorted({one["reason"] for one in ops if one["precision"] != "int8"} - {"its result is constant"}))


def main():
    sandbox = harness.Sandbox()
    for seed, build in enumerate((residual, inception, depthwise, grouped)):
        check_network(sandbox, build, seed + 1)


main()
