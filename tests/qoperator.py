# SPDX-License-Identifier: Apache-2.0
"""Integer operators (--format qoperator) against QuantizeLinear/DequantizeLinear pairs on real models and data: they
load, every op that the plan quantizes is an integer op of the file and of the graph that the runtime runs, both forms
answer alike, and a file that has lost what it says of names is paired as well."""

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
    return collections.Counter(op["type"] for op in plan["ops"] if op["quantized"] and op["members"][:1] == [op["op"]["id"]])


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


def pairing_of(sandbox, model, quantized, data):
    result = sandbox.json("diagnose", model, quantized, "--data", data, "--limit", 2)
    pairing = sandbox.record(result["workload"], "pairing.json")
    return ({(pair["reference"], pair["quantized"], pair["side"]) for pair in pairing["pairs"]},
            {(pair["reference"], pair["quantized"]) for pair in pairing["weights"]}, result["suspects"])


def check_pairing(name, sandbox, model, quantized, data):
    bare = onnx.load(quantized)
    del bare.metadata_props[:]
    path = sandbox.path / "bare.onnx"
    onnx.save(bare, path)
    values, weights, _ = pairing_of(sandbox, model, quantized, data)
    found, found_weights, suspects = pairing_of(sandbox, model, path, data)
    harness.check(found == values and weights == found_weights and not suspects,
                  f"{name}: without metadata the same {len(values)} values and {len(weights)} weights are paired "
                  f"{sorted(found ^ values)[:3]} {sorted(weights ^ found_weights)[:3]} {suspects[:1]}")


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
        check_pairing(name, sandbox, models / f"{name}.onnx", output, data)
        pairs, integers = (results[form]["quantized"] for form in ["qdq", "qoperator"])
        bound = max(1, pairs["samples"] // 500)
        apart = round(abs(pairs["value"] - integers["value"]) * pairs["samples"])
        harness.check(apart <= bound, f"{name}: top-1 {100 * integers['value']:.2f} % of {integers['samples']} samples, "
                                      f"pairs {100 * pairs['value']:.2f} %, float "
                                      f"{100 * results['qdq']['reference']['value']:.2f} %: {apart} apart")


main()
