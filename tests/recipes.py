# SPDX-License-Identifier: Apache-2.0
"""Recipes from the command line to the file: what the onnx package and ONNX Runtime see of them."""

import collections
import pathlib
import shlex
import shutil

import harness

harness.need("numpy", "onnx", "onnxruntime")

import onnx  # noqa: E402
import onnxruntime  # noqa: E402

DATA = ["--data", harness.DEMO / "digits.npz", "--calibration-data", harness.DEMO / "calibration.npz"]

# In the form of the predecessors' files.
YAML = """
model: {name: digits, framework: onnxrt_qlinearops}
device: gpu
quantization:
  approach: post_training_static_quant
  calibration: {sampling_size: "50, 100"}
  recipes: {first_conv_or_matmul_quantization: false}
  op_wise: {"/block\\\\d/conv/Conv": {weights: {granularity: [per_tensor]}}}
tuning: {accuracy_criterion: {relative: 0.01}, tensorboard: true}
"""


class Demo:
    """Quantizes the demo's network."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.output = sandbox.path / "digits.int8.onnx"

    def quantize(self, recipe, *options):
        done = self.sandbox.run("quantize", harness.DEMO / "digits.onnx", *DATA, "-o", self.output, "--recipe", recipe,
                                "--output", "json", *options)
        self.notes = done.stderr
        result = harness.json.loads(done.stdout)
        self.plan = {op["op"]["name"]: op for op in self.sandbox.record(result["workload"], "plan.json")["ops"]}
        self.recipe = self.sandbox.record(result["workload"], "recipe.json")
        self.ranges = self.sandbox.record(result["workload"], "ranges.json")
        self.file = onnx.load(self.output)
        onnx.checker.check_model(self.file)
        onnxruntime.InferenceSession(str(self.output), providers=["CPUExecutionProvider"])
        return result

    def constant(self, name):
        return next(onnx.numpy_helper.to_array(one) for one in self.file.graph.initializer if one.name == name)

    def weight_codes(self):
        makers = {node.output[0]: node for node in self.file.graph.node}
        convs = [node for node in self.file.graph.node if node.op_type == "Conv"]
        return [self.constant(makers[node.input[1]].input[0]) for node in convs]


def switches(demo):
    result = demo.quantize("{recipes: {first_conv_or_matmul_quantization: false, last_conv_or_matmul_quantization: false}}",
                           "--metric", "top1")
    first = next(node for node in demo.file.graph.node if node.op_type == "Conv")
    harness.check(first.input[0] == demo.file.graph.input[0].name, "the first Conv reads the float input")
    harness.check(not demo.plan["/head/fc/Gemm"]["quantized"] and demo.plan["/block4/conv/Conv"]["quantized"],
                  f"the last Gemm stays float: {demo.plan['/head/fc/Gemm']['reason']}")
    kept = result["quantized"]["value"]
    harness.check(kept >= result["reference"]["value"] - 0.01, f"the network works: {100 * kept:.1f} %")
    demo.quantize("{recipes: {pre_post_process_quantization: false, optypes_to_exclude_output_quant: [Conv]}}")
    harness.check("its integer kernel gives codes only" in demo.notes, "excluding results of Conv is said to do nothing")


def forced(demo):
    demo.quantize("{op_type_dict: {'.*': int8}}")
    floats = {name for name, op in demo.plan.items() if op["precision"] != "int8"}
    harness.check(floats == {"/head/softmax/Softmax"}, f"all is int8 that can be, without {floats}")
    demo.quantize("{activation: {dtype: fp32}, op_type_dict: {Gemm: int8, Softmax: int8}}")
    integers = {name for name, op in demo.plan.items() if op["quantized"]}
    harness.check(integers == {"/head/fc/Gemm"}, f"only what is named is int8: {integers}")
    harness.check("'Softmax' has no effect" in demo.notes, "an op without a kernel is named")


def widths(demo):
    whole = demo.quantize("{activation: {dtype: int8}}", "--metric", "top1")["quantized"]["value"]
    result = demo.quantize("{op_name_dict: {'/block2/.*': {activation: {dtype: int16}}}}", "--metric", "top1")
    kinds = collections.Counter((node.op_type, node.domain) for node in demo.file.graph.node)
    harness.check(kinds["QuantizeLinear", "com.microsoft"] >= 2, "opset 13 has 16-bit codes by ONNX Runtime's operators")
    harness.check(demo.plan["/block2/conv/Conv"]["precision"] == "fp32" and "16 bits, computed in float" in demo.notes,
                  "the plan and a note say that it is computed in float")
    harness.check(demo.plan["/block3/conv/Conv"]["precision"] == "int8", "its neighbour is an integer op")
    harness.check(result["quantized"]["value"] >= whole - 0.01, f"top-1 {100 * result['quantized']['value']:.1f} %")
    narrow = {one["value"]: one["max"] - one["min"] for one in demo.ranges["values"]}
    wide = {one["value"]: one["max"] - one["min"] for one in demo.ranges["wide"]}
    harness.check(len(wide) >= 2 and all(width >= 0.999 * narrow[value] for value, width in wide.items()),
                  f"16-bit codes have ranges of their own: {wide}")
    demo.quantize("{weight: {dtype: int4}}")
    used = {value.data_type for value in demo.file.graph.initializer}
    harness.check(onnx.TensorProto.INT4 in used and "4 bits, computed in float" in demo.notes, "weights of 4 bits")


def targets(demo):
    def largest(*options, recipe="{}"):
        demo.quantize(recipe, *options)
        return max(abs(codes.astype(int)).max() for codes in demo.weight_codes())

    harness.check(largest("--target", "vnni") == 127, "with VNNI weights have 8 bits")
    harness.check(largest("--target", "avx2") == 63 and "target avx2" in demo.notes, "with AVX2 they have 7, and it is said")
    harness.check(largest(recipe="{target: avx512}") == 63, "so they have with AVX-512 in the recipe")
    harness.check(largest("--target", "vnni", recipe="{target: avx512}") == 127, "the command line wins")
    harness.check(largest("--target", "arm") == 127, "on ARM they have 8")
    zero_points = {value.data_type for value in demo.file.graph.initializer if value.name.endswith("_zero_point")}
    harness.check(onnx.TensorProto.UINT8 not in zero_points, "for ARM activations are int8")
    demo.sandbox.run("quantize", harness.DEMO / "digits.onnx", *DATA, "--target", "sparc", code=2)


def predecessors(demo):
    demo.quantize(demo.sandbox.write("lpot.yaml", YAML))
    recipe = demo.recipe
    harness.check(recipe["quant_format"] == "qoperator" and recipe["calibration_sampling_size"] == 50,
                  "a YAML file of the predecessors is read")
    types = collections.Counter(node.op_type for node in demo.file.graph.node)
    harness.check(types["QLinearConv"] == 4 and types["Conv"] == 1, f"it decides on the file: {dict(types)}")
    for option in ("device", "tuning.accuracy_criterion"):
        harness.check(f"recipe option {option} has no effect: " in demo.notes, f"{option} is said to have no effect")
    wrong = demo.sandbox.run("quantize", harness.DEMO / "digits.onnx", *DATA, "--recipe",
                             "{recipes: {first_conv_quantization: false}}", code=2)
    harness.check("first_conv_or_matmul_quantization" in wrong.stderr, "an unknown option: the nearest is named")


def of_workloads(demo):
    """A workload is a recipe: its folder, its recipe.json, its id, and last."""
    asked = "{accuracy_level: best, weight: {granularity: per_tensor}, recipes: {smooth_quant_args: {alpha: [0.5]}}, op_type_dict: {Add: fp32}}"
    first = demo.quantize(asked)
    recipe, bytes_of_first = demo.recipe, demo.output.read_bytes()
    harness.check(recipe["recipes"]["smooth_quant_args"] == {"alpha": [0.5]} and "group_size" not in recipe["weight"],
                  f"it is kept in the words of --recipe: {recipe}")
    folder = demo.sandbox.workload(first["workload"])
    for given in ("last", folder, folder / "recipe.json", first["workload"]):
        demo.quantize(str(given))
        harness.check(demo.recipe == recipe and demo.output.read_bytes() == bytes_of_first, f"--recipe {given}: is the same recipe")
    evaluated = demo.sandbox.json("evaluate", harness.DEMO / "digits.onnx", *DATA[:2], "--metric", "top1")
    arguments = ("quantize", harness.DEMO / "digits.onnx", *DATA, "--recipe")
    none = demo.sandbox.run(*arguments, evaluated["workload"], code=1)
    harness.check("holds no recipe.json" in none.stderr, f"a workload without one: {none.stderr}")
    unknown = demo.sandbox.run(*arguments, "19700101-nothing", code=1)
    harness.check("neither such a file nor such a workload" in unknown.stderr, f"neither file nor workload: {unknown.stderr}")


def minilm(sandbox):
    if not harness.TESTDATA.is_dir():
        return print("the test data are absent: MiniLM is left out")
    names = ["input_ids", "attention_mask", "token_type_ids"]
    inputs = ", ".join(f"{name}: {name}" for name in names)
    file = harness.TESTDATA / "text" / "minilm_stsb_dev_400.npz"
    data = sandbox.write("minilm.yaml", f"npz: {{file: {file}, inputs: {{{inputs}}}}}\n")
    output = sandbox.path / "minilm.onnx"
    result = sandbox.json("quantize", harness.TESTDATA / "models" / "minilm_l6_v2.onnx", "--data", data, "--limit", 20, "-o",
                          output, "--recipe", "{op_type_dict: {'.*': int8}}")
    ops = sandbox.record(result["workload"], "plan.json")["ops"]
    types = collections.Counter(op["type"] for op in ops if op["precision"] == "int8")
    harness.check(types["MatMul"] == 48 and types["Add"] == 88, f"MiniLM: every op with a kernel is int8: {dict(types)}")
    tables = [op for op in ops if op["type"] == "Gather" and op["quantized"]]
    harness.check(len(tables) == 3 and all("computes it in float" in op["reason"] for op in tables),
                  "tables are stored in codes, and the plan says that the runtime looks them up in float")
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath, options.log_severity_level = str(sandbox.path / "ran.onnx"), 3
    onnxruntime.InferenceSession(str(output), options, providers=["CPUExecutionProvider"])
    ran = collections.Counter(node.op_type for node in onnx.load(sandbox.path / "ran.onnx").graph.node)
    matmuls = sum(ran[kind] for kind in ("QLinearMatMul", "MatMulIntegerToFloat", "QGemm"))
    harness.check(matmuls == 48, f"MiniLM: and all 48 MatMuls run so: {matmuls}")
    return None


def laid_over(demo):
    """A remedy over one's own recipe: the command that the text offers, run as it stands."""
    sandbox = demo.sandbox
    model = shutil.copy(harness.DEMO / "digits.onnx", sandbox.path)  # commands without -o write beside it
    mine = sandbox.write("mine.yaml", "{accuracy_level: fast, weight: {granularity: per_tensor}}\n")
    text = sandbox.run("quantize", model, *DATA, "--limit", 60, "-o", demo.output, "--recipe", mine, "--diagnose").stdout
    offered(sandbox, text, again=True)
    text = sandbox.run("quantize", model, *DATA, "--limit", 60, "-o", demo.output, "--recipe", "last", "--diagnose").stdout
    offered(sandbox, text, again=True)
    harness.check("--recipe last" not in text, "what is the last workload now is another one when the command is run")
    text = sandbox.run("diagnose", model, demo.output, *DATA[:2], "--limit", 60).stdout
    harness.check("--limit 60" in text, "diagnose's samples are those of the command that it offers")
    harness.check("Recipes are laid over that of" in text, "diagnose says what a remedy is laid over")
    offered(sandbox, text, again=False)
    file = onnx.load(demo.output)
    del file.metadata_props[:]
    foreign = sandbox.path / "foreign.onnx"
    onnx.save(file, foreign)
    text = sandbox.run("diagnose", model, foreign, *DATA[:2], "--limit", 60).stdout
    harness.check("which another tool made, stays as it is" in " ".join(text.split()),
                  "of a file of another tool it says what a remedy is for")
    remedy = offered(sandbox, text, again=False, base=False)
    sandbox.run("tune", model, *DATA[:2], "--metric", "top1", "--max-trials", 1, "--recipe", mine, "--recipe", remedy,
                code=None)
    sandbox.run("calibrate", model, *DATA[:2], "-o", "s.bin", "--recipe", "{accuracy_level: fast}", "--recipe", mine)
    done = sandbox.run("quantize", model, *DATA, "--recipe", mine, "--recipe", foreign, code=1)
    harness.check("foreign.onnx" in done.stderr and "holds no recipe" in done.stderr, f"it has none itself: {done.stderr}")
    done = sandbox.run("quantize", model, *DATA, "--recipe", mine, "-o", mine, "--recipe", remedy, code=2)
    harness.check("mine.yaml" in done.stderr, f"none of them is overwritten: {done.stderr}")


def offered(sandbox, text, again, base=True):
    """Runs the command that tries a remedy; gives the remedy's file."""
    command = next(line for line in text.splitlines() if line.startswith("  quantlens quantize "))
    done = sandbox.run(*shlex.split(command)[1:])
    harness.check(done.returncode == 0, f"the command that is offered runs: {command.strip()}")
    workloads = sorted((sandbox.path / "workspace" / "workloads").glob("*-quantize-*"), key=lambda one: one.stat().st_mtime)
    recipe = harness.json.loads((workloads[-1] / "recipe.json").read_text())
    harness.check(recipe["weight"]["granularity"] == ("per_tensor" if base else "per_channel"), "  over the recipe there was")
    remedy = pathlib.Path(command.split()[-1])
    asked = harness.json.loads(remedy.read_text())
    harness.check(covers(recipe, asked), f"  and has the remedy on top: {asked}")
    harness.check(again == ("--diagnose" in command), "  of the right kind")
    return remedy


def covers(recipe, asked):
    """Whether the recipe says all that a document asks."""
    if isinstance(asked, dict):
        return all(key in recipe and covers(recipe[key], value) for key, value in asked.items())
    if asked == "fp32":
        return recipe["activation"]["dtype"] == recipe["weight"]["dtype"] == "fp32"
    return recipe == asked


def main():
    sandbox = harness.Sandbox()
    demo = Demo(sandbox)
    for part in (switches, forced, widths, targets, predecessors, of_workloads, laid_over):
        part(demo)
    minilm(sandbox)


main()
