# SPDX-License-Identifier: Apache-2.0
"""Integer operators (--format qoperator) against QuantizeLinear/DequantizeLinear pairs on real models and data: they
load, every op that the plan quantizes is an integer op of the file and of the graph that the runtime runs, and both
forms answer alike."""

import collections

import harness

harness.need("numpy", "onnx", "onnxruntime")

import onnx  # noqa: E402
import onnxruntime  # noqa: E402

INTEGER = {"Conv": ["QLinearConv"], "MatMul/Gemm": ["QLinearMatMul", "MatMulIntegerToFloat", "QGemm"],
           "Add": ["QLinearAdd"], "Mul": ["QLinearMul"], "Concat": ["QLinearConcat"],
           "AveragePool": ["QLinearAveragePool"], "GlobalAveragePool": ["QLinearGlobalAveragePool"],
           "LeakyRelu": ["QLinearLeakyRelu"], "Sigmoid": ["QLinearSigmoid"], "Where": ["QLinearWhere"]}


def npz(sandbox, file, name, key):
    return sandbox.write(f"{name}.yaml", f"npz: {{file: {harness.TESTDATA / file}, inputs: {{{key}: {key}}}, label: label}}\n")


def types(path):
    return collections.Counter(node.op_type for node in onnx.load(path).graph.node)


def optimized(path, dump):
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath, options.log_severity_level = str(dump), 3
    onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return types(dump)


def planned_types(plan):
    """How many ops of each type the plan quantizes, each pattern counted by its first op."""
    return collections.Counter(op["type"] for op in plan["ops"] if op["quantized"] and op["members"][:1] == [op["op"]])


def check_integer(name, path, plan, dump):
    onnx.checker.check_model(onnx.load(path))
    file, ran, planned = types(path), optimized(path, dump), planned_types(plan)
    print(f"     {name}:", ", ".join(f"{count} {kind}" for kind, count in sorted(file.items()) if kind.startswith("Q")
                                     or kind.endswith(("Float", "DequantizeLinear"))))
    for kinds, forms in INTEGER.items():
        count = sum(planned[kind] for kind in kinds.split("/"))
        if count == 0:
            continue
        harness.check(sum(file[form] for form in forms) == count == sum(ran[form] for form in forms),
                      f"{name}: all {count} quantized {kinds} are {' or '.join(forms)}, in the file and as run")


def main():
    sandbox = harness.Sandbox()
    models = harness.need_testdata() / "models"
    images = harness.imagenet(sandbox)
    cases = [("squeezenet1.1", harness.squeezenet_data(sandbox), "top1"),
             ("mobilenet_v1_0.75_224", images, harness.MOBILENET_METRIC),
             ("kwt1", npz(sandbox, "speech/kwt1_400.npz", "kwt", "audio"), "top1"),
             ("magika_v3_3", npz(sandbox, "magika/magika_435.npz", "magika", "bytes"), "top1")]
    for name, data, metric in cases:
        results = {}
        for form in ["qdq", "qoperator"]:
            output = sandbox.path / f"{form}.onnx"
            result = sandbox.json("quantize", models / f"{name}.onnx", "-o", output, "--data", data, "--format", form,
                                  "--metric", metric)
            plan = sandbox.record(result["workload"], "plan.json")
            harness.check(plan["quant_format"] == form, f"{name}: the plan says {form}")
            results[form] = result
        harness.check(not [note for note in result["notes"] if note.startswith("qoperator:")],
                      f"{name}: nothing that the plan quantizes lacks an integer operator")
        check_integer(name, output, plan, sandbox.path / "ran.onnx")
        pairs, integers = (results[form]["quantized"] for form in ["qdq", "qoperator"])
        bound = max(1, pairs["samples"] // 500)
        apart = round(abs(pairs["value"] - integers["value"]) * pairs["samples"])
        harness.check(apart <= bound, f"{name}: top-1 {100 * integers['value']:.2f} % of {integers['samples']} samples, "
                                      f"pairs {100 * pairs['value']:.2f} %, float "
                                      f"{100 * results['qdq']['reference']['value']:.2f} %: {apart} apart")


main()
