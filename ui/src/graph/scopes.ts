// SPDX-License-Identifier: Apache-2.0
// Scopes in the names of ops, as exporters write them:
//   PyTorch to ONNX   /encoder/layer.3/attention/MatMul_1, /layer1/layer1.0/conv1/Conv
//   TensorFlow        model/block_1/depthwise/Conv2D
//   TorchScript       encoder.layer.3.attention.query, __module.encoder/__module.encoder.layer.3/MatMul
import { remembered } from "./known";

const deepest = 64; // scopes; what a longer name says beyond them is left to the op

const none: readonly string[] = [];

/** "encoder.layer.3" is encoder, layer.3: a number alone would say nothing. */
function dotted(part: string): string[] {
  if (!part.includes(".")) return [part];
  const words: string[] = [];
  for (const word of part.split(".")) {
    if (word === "") continue;
    if (/^\d+$/.test(word) && words.length > 0) words[words.length - 1] += `.${word}`;
    else words.push(word);
  }
  return words;
}

function beginsWith(words: readonly string[], start: readonly string[]): boolean {
  return words.length > start.length && start.every((word, index) => words[index] === word);
}

/** A part may say the part above it once more. */
function scopesOf(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "");
  const scopes: string[] = [];
  let above: string[] = [];
  for (const part of parts) {
    const words = dotted(part);
    scopes.push(...(beginsWith(words, above) ? words.slice(above.length) : words));
    above = words;
  }
  return scopes.slice(0, deepest);
}

/** Reads names of one network, outer scopes first. Where ops were fused, a name holds several: the first one counts. */
export function scopeReader(): (name: string) => readonly string[] {
  const known = new Map<string, readonly string[]>(); // by what stands before the last slash
  return (name) => {
    const end = name.indexOf(";");
    const first = end < 0 ? name : name.slice(0, end);
    const slash = first.lastIndexOf("/");
    if (slash < 0) return first.includes(".") ? dotted(first).slice(0, -1).slice(0, deepest) : none;
    const path = first.slice(0, slash);
    return remembered(known, path, () => scopesOf(path));
  };
}
