// SPDX-License-Identifier: Apache-2.0
// Networks to lay out.
import { hostsOf } from "../hosts";
import type { OpGraph } from "../ops";
import type { Sizes } from "../layout";
import type { Tree } from "../tree";

export class Network {
  private readonly ops: { name: string; type: string }[] = [];
  private readonly edges: { from: number; to: number }[] = [];

  get size(): number {
    return this.ops.length;
  }

  /** An op that reads what others make; its number. Kinds are types in small letters. */
  add(name: string, type: string, ...reads: number[]): number {
    const op = this.ops.push({ name, type }) - 1;
    for (const from of reads) this.edges.push({ from, to: op });
    return op;
  }

  graph(): OpGraph {
    const kinds = this.ops.map(({ type }) => type.toLowerCase());
    const source = Int32Array.from(this.edges, ({ from }) => from);
    const target = Int32Array.from(this.edges, ({ to }) => to);
    return {
      ids: this.ops.map((_, op) => `v${op}`),
      names: this.ops.map(({ name }) => name),
      types: this.ops.map(({ type }) => type),
      ...{ kinds, source, target },
      carries: source,
      values: this.ops.map(({ name }) => ({ name, dtype: "float32", shape: "[1]" })),
      host: hostsOf({ kinds, source, target }),
    };
  }
}

function made(build: (network: Network) => void): OpGraph {
  const network = new Network();
  build(network);
  return network.graph();
}

/** As PyTorch names it, with a mask that all layers read. */
export function transformer(layers: number): OpGraph {
  return made((network) => {
    let x = network.add("ids", "Input");
    const mask = network.add("/Mul", "Mul", network.add("mask", "Input"));
    for (let layer = 0; layer < layers; ++layer) {
      const at = (name: string) => `/encoder/layer.${layer}/${name}`;
      const [query, key, value] = ["query", "key", "value"].map((name) => {
        const weight = network.add(at(`attention/${name}/Constant`), "Constant");
        const product = network.add(at(`attention/${name}/MatMul`), "MatMul", x, weight);
        return network.add(at(`attention/${name}/Add`), "Add", product);
      });
      const scores = network.add(at("attention/MatMul"), "MatMul", query!, key!);
      const masked = network.add(at("attention/Add"), "Add", scores, mask);
      const softmax = network.add(at("attention/Softmax"), "Softmax", masked);
      const mixed = network.add(at("attention/MatMul_1"), "MatMul", softmax, value!);
      const added = network.add(at("Add"), "Add", mixed, x);
      const wide = network.add(at("output/Gelu"), "Gelu", network.add(at("output/MatMul"), "MatMul", added));
      x = network.add(at("Add_1"), "Add", network.add(at("output/MatMul_1"), "MatMul", wide), added);
    }
    network.add("out", "Output", x);
  });
}

/** As KWT-1 is: names without scopes. */
export function withoutScopes(graph: OpGraph): OpGraph {
  return { ...graph, names: graph.types.map((type, op) => `${type}_${op}`) };
}

export function chain(length: number, scope = ""): OpGraph {
  return made((network) => {
    let last = network.add("in", "Input");
    for (let op = 0; op < length; ++op) last = network.add(`${scope}/op${op}`, op % 3 === 0 ? "Conv" : "Relu", last);
  });
}

/** Two groups that read each other, and a third one that both read and feed. */
export function circles(): OpGraph {
  return made((network) => {
    const start = network.add("in", "Input");
    const a = network.add("/a/Conv", "Conv", start);
    const b = network.add("/b/Conv", "Conv", a);
    const c = network.add("/a/Relu", "Relu", b, a);
    const d = network.add("/c/Conv", "Conv", c, start);
    const e = network.add("/b/Relu", "Relu", d, b);
    network.add("/a/Add", "Add", e, c);
    network.add("/c/Add", "Add", e, d);
  });
}

/** Each op in scopes of its own within those of the one before. */
export function deep(levels: number): OpGraph {
  return made((network) => {
    let last = network.add("in", "Input");
    let scope = "";
    for (let level = 0; level < levels; ++level) {
      scope += `/s${level}`;
      last = network.add(`${scope}/Conv`, "Conv", last, 0);
    }
    network.add("/Add", "Add", last, 0);
  });
}

/** One long level; what its first ops make is read all along it. */
export function longLived(length: number): OpGraph {
  return made((network) => {
    const early = [0, 1, 2].map((op) => network.add(`/body/Early_${op}`, "Cast", ...(op > 0 ? [op - 1] : [])));
    let last = early[2]!;
    for (let op = 0; op < length; ++op) {
      last = network.add(`/body/op${op}`, "Add", last, ...(op % 13 === 0 ? [early[op % 3]!] : []));
    }
    network.add("/Add", "Add", last, early[0]!);
  });
}

/** Without order in its scopes: edges go far, and groups read each other. */
export function wild(ops: number, seed: number): OpGraph {
  let state = seed;
  const below = (end: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % end;
  };
  return made((network) => {
    const types = ["Conv", "Relu", "Add", "Constant", "Quantize", "Split"];
    for (let op = 0; op < ops; ++op) {
      const readOne = () => (below(5) === 0 ? below(op) : Math.max(0, op - 1 - below(8)));
      const reads = Array.from({ length: op === 0 ? 0 : below(4) }, readOne);
      const scope = below(6) === 0 ? `/s${below(4)}/t${below(3)}` : `/s${Math.floor(op / 40)}/t${Math.floor(op / 9)}`;
      const type = reads.length === 0 ? (below(2) === 0 ? "Constant" : "Input") : types[below(types.length)]!;
      network.add(`${scope}/${type}_${op}`, type === "Constant" && reads.length > 0 ? "Mul" : type, ...reads);
    }
  });
}

/** Ops that read one value twice, and values of one op that one op reads. */
export function doubled(): OpGraph {
  return made((network) => {
    const x = network.add("in", "Input");
    const square = network.add("/m/Mul", "Mul", x, x);
    network.add("/n/Mul", "Mul", square, square, x);
  });
}

/** Parts that have nothing to do with each other, and ops without any edge. */
export function parts(): OpGraph {
  return made((network) => {
    for (let part = 0; part < 3; ++part) network.add(`/p${part}/Relu`, "Relu", network.add(`/p${part}/Conv`, "Conv"));
    for (let op = 0; op < 30; ++op) network.add(`Loose_${op}`, "Loose");
  });
}

export function sizesOf({ ops, parent, labels }: Tree): Sizes {
  const sizes = new Float32Array(2 * parent.length);
  for (let node = 0; node < parent.length; ++node) {
    sizes[2 * node] = node < ops ? 60 + (node % 4) * 20 : 80 + 8 * labels[node - ops]!.length;
    sizes[2 * node + 1] = node < ops ? 40 : 48;
  }
  return sizes;
}

export const groupsOf = ({ ops, labels }: Tree) => labels.map((_, group) => ops + group).slice(1);

