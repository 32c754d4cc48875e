// SPDX-License-Identifier: Apache-2.0
// A small OpenAPI document for the tests of this folder.

const text = (description: string) => ({ type: "string", description });
const form = (verb: string, properties: object, required: string[]) => ({
  type: "object",
  properties: { verb: { type: "string", enum: [verb] }, ...properties },
  required: ["verb", ...required],
  additionalProperties: false,
});

const quantize = form("quantize", {
  model: text("path of the model"),
  data: text("path of the samples or of a data document, or random"),
  calibration_data: text("the same, of samples for calibration alone"),
  ranges: text("path of statistics or ranges"),
  isolate: { type: "boolean", description: "run the models in a process of their own" },
  isolate_timeout: { type: "integer", minimum: 1, maximum: 2592000, description: "seconds" },
  recipe: { description: "an object, a path, the id of a workload, or a list of these" },
  limit: { type: "integer", minimum: 1, maximum: 9223372036854775807, description: "how many samples at most" },
  approach: { type: "string", enum: ["static", "dynamic"], description: "how ranges of activations are chosen" },
  diagnose: { type: "boolean", description: "show where the models differ" },
  verify: { type: "integer", minimum: 0, maximum: 100, description: "how many findings' remedies are tried" },
  name: text("of the run in the workspace"),
  threads: { type: "integer", minimum: 1, maximum: 1024, description: "cores" },
  output: text("path of the model that is made"),
}, ["model"]);
const benchmark = form("benchmark", {
  model: text("path of the model"),
  other: text("path of another model beside it"),
  batch_size: { anyOf: [{ type: "integer" }, { type: "array", items: { type: "integer" } }], description: "samples at once" },
}, ["model"]);
const news = form("news", { ratio: { type: "number", description: "of it" }, table: text("path of a table") }, ["ratio"]);

export const document = {
  paths: {
    "/api/v1/jobs": {
      post: { requestBody: { content: { "application/json": { schema: { anyOf: [quantize, benchmark, news, {}, null] } } } } },
    },
  },
};
