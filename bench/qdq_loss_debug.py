#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ONNX Runtime's own way to compare the activations of a float and a quantized model costs.

usage: qdq_loss_debug.py FLOAT QUANTIZED FOLDER THREADS

FOLDER holds one .npy an input, by its position in the float model (0.npy, ...), with all samples stacked. Prints the
milliseconds of the whole and of the two loops over samples, CPU milliseconds, the peak of memory in MB without the
samples, and how many activations were compared. Exit code 77: this Python lacks the modules. bench_budget --peer runs
it; the peer keeps every activation of every sample, so give few samples where memory is scarce.
"""

import pathlib
import resource
import sys
import tempfile
import time

try:
    import numpy
    import onnx
    import onnxruntime
    from onnxruntime.quantization import CalibrationDataReader, qdq_loss_debug
except ImportError as error:
    print("skipped:", error, file=sys.stderr)
    sys.exit(77)


class Samples(CalibrationDataReader):
    """The stacked samples, one at a time."""

    def __init__(self, inputs):
        count = min(len(array) for array in inputs.values())
        self._batches = iter([{name: array[i:i + 1] for name, array in inputs.items()} for i in range(count)])

    def get_next(self):
        return next(self._batches, None)


def activations(model, samples, threads, folder):
    """Of one model, and the seconds that its loop took."""
    augmented = folder / "augmented.onnx"
    qdq_loss_debug.modify_model_output_intermediate_tensors(model, augmented)
    options = onnxruntime.SessionOptions()  # as theirs where none are given, but for the threads
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    begin = time.perf_counter()
    found = qdq_loss_debug.collect_activations(str(augmented), samples, options)
    return found, time.perf_counter() - begin


def input_names(model):
    graph = onnx.load(model, load_external_data=False).graph
    weights = {weight.name for weight in graph.initializer}
    return [value.name for value in graph.input if value.name not in weights]


def main():
    reference, quantized, data = (pathlib.Path(argument) for argument in sys.argv[1:4])
    threads = int(sys.argv[4])
    arrays = [numpy.load(data / f"{i}.npy") for i in range(len(input_names(reference)))]
    with tempfile.TemporaryDirectory() as folder:
        begin, begin_cpu = time.perf_counter(), time.process_time()
        loops = []
        found = []
        for model in (quantized, reference):
            samples = Samples(dict(zip(input_names(model), arrays)))
            each, seconds = activations(model, samples, threads, pathlib.Path(folder))
            found.append(each)
            loops.append(seconds)
        pairs = qdq_loss_debug.create_activation_matching(*found)
        pairs = {name: pair for name, pair in pairs.items() if "float" in pair}  # the next step wants them all
        errors = qdq_loss_debug.compute_activation_error(pairs)
        whole, cpu = time.perf_counter() - begin, time.process_time() - begin_cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    peak -= sum(array.nbytes for array in arrays) / (1 << 20)
    print(f"{whole * 1e3:.1f} {sum(loops) * 1e3:.1f} {cpu * 1e3:.1f} {peak:.1f} {len(errors)}")


if __name__ == "__main__":
    main()
