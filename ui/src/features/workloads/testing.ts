// SPDX-License-Identifier: Apache-2.0
// Runs for the tests of this folder.
import type { ShownRun } from "./details";
import type { Run } from "./model";

export function runOf(id: string, more: Partial<Run> = {}): Run {
  return {
    id,
    name: "",
    verb: "quantize",
    state: "wip",
    message: "",
    created: "2026-11-27T10:00:00.000Z",
    finished: "",
    models: [
      { role: "quantized", path: "/m/net.int8.onnx", sha256: "q", bytes: 1000 },
      { role: "reference", path: "/m/net.onnx", sha256: "r", bytes: 4000 },
    ],
    metric: "top1",
    accuracy: { metric: "top1", reference: 0.63, quantized: 0.64, difference: 0.01, difference_interval: null, is_rate: true, higher_is_better: true },
    progress: { event: "progress", id: null, folder: null, step: "calibrate", done: 5, seconds: 2, total: 20, text: null },
    tags: [],
    note: "",
    ...more,
  };
}

export function shownOf(run: Run, more: Partial<ShownRun> = {}): ShownRun {
  const { accuracy: _, ...rest } = run;
  return {
    ...rest,
    format: 8,
    arguments: ["quantize", "/m/my net.onnx", "--data=/d/val.yaml"],
    inputs: [],
    outputs: [],
    data: [{ role: "samples", data: "val.yaml", path: "/d/val.yaml", fingerprint: "f", samples: 100, batch_size: 1, part: null }],
    notes: [],
    environment: { cpu: "Xeon", onnxruntime: "1.20.1", quantlens: "0.17.0", threads: "2" },
    times: {},
    folder: "/w/workloads/a",
    files: [{ name: "diagnosis.json", kind: "record", record: "diagnosis", version: 8, bytes: 1500 }],
    result: null,
    lists: [],
    ...more,
  };
}
