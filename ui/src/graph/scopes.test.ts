// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { scopeReader } from "./scopes";

const read = scopeReader();
const scopesOf = (name: string) => read(name).join(" > ");

it("scopes are read as exporters write them", () => {
  expect(scopesOf("/encoder/layer.3/attention/MatMul_1")).toBe("encoder > layer.3 > attention");
  expect(scopesOf("model/block_1/depthwise/Conv2D")).toBe("model > block_1 > depthwise");
  expect(scopesOf("encoder.layer.3.attention.query")).toBe("encoder > layer.3 > attention");
  expect(scopesOf("jax2tf_get_logits_/pjit_get_logits_/Sum")).toBe("jax2tf_get_logits_ > pjit_get_logits_");
});

it("a scope that says the one above it once more is one scope", () => {
  expect(scopesOf("__module.encoder/__module.encoder.layer.3/MatMul")).toBe("__module > encoder > layer.3");
  expect(scopesOf("/layer1/layer1.0/conv1/Conv")).toBe("layer1 > layer1.0 > conv1");
  expect(scopesOf("/encoder/encoder/Add")).toBe("encoder > encoder");
});

it("a number belongs to the word before it", () => {
  expect(scopesOf("features.0.0.weight")).toBe("features.0.0");
  expect(scopesOf("0.1.conv")).toBe("0.1");
});

it("names without scopes have none", () => {
  const names = ["MatMul_795", "c59_DequantizeLinear", "Add.12", "/Shape", "", "/", "."];
  expect(names.map(scopesOf).join("")).toBe("");
});

it("of names of fused ops the first counts", () => expect(scopesOf("a/b/Relu;a/c/BiasAdd")).toBe("a > b"));

it("dots of the op itself are no scopes where slashes are", () => {
  expect(scopesOf("/model/aten.add.Tensor")).toBe("model");
});

it("names may be as long as they like", () => expect(read(`${"a/".repeat(100_000)}Conv`)).toHaveLength(64));
