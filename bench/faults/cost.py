# SPDX-License-Identifier: Apache-2.0
"""What a fault costs, measured by the ONNX Runtime package over samples that no diagnosis sees."""

import numpy as np
import onnxruntime
from faults import files

SAMPLES = slice(100, 148)  # diagnosis takes the first 16, makers the last 32 for calibration
LEAST = 1.0                # dB


def session_of(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


class Cost:
    """SQNR of each sample's outputs in dB, of files against the float model."""

    def __init__(self):
        self.samples, self.wanted, self.known = {}, {}, {}

    def outputs(self, name, path):
        if name not in self.samples:
            self.samples[name] = files.batches(name, SAMPLES.start, SAMPLES.stop)
        session = session_of(path)
        entry = session.get_inputs()[0].name
        return [np.concatenate([o.ravel() for o in session.run(None, {entry: s})]).astype(np.float64)
                for s in self.samples[name]]

    def decibels(self, name, path):
        if name not in self.wanted:
            self.wanted[name] = self.outputs(name, files.float_model(name))
        found = []
        for wanted, got in zip(self.wanted[name], self.outputs(name, path), strict=True):
            error, energy = np.sum((got - wanted) ** 2), np.sum(wanted ** 2)
            found.append(10 * np.log10(max(energy, 1e-30) / max(error, 1e-12 * energy, 1e-30)))
        return np.array(found)

    def of(self, key, healthy, damaged):
        """(mean fall of a sample's SQNR in dB, twice its standard error)"""
        if key not in self.known:
            self.known[key] = self.decibels(key[1], healthy)
        fall = self.known[key] - self.decibels(key[1], damaged)
        return fall.mean(), 2 * fall.std(ddof=1) / np.sqrt(len(fall))


def is_fault(fall, error):
    """Whether it costs a user at least 1 dB, and that is no chance of the samples: other rounding alone makes some better
    and some worse."""
    return fall - error > 0 and fall >= LEAST
