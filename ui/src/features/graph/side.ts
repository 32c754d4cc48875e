// SPDX-License-Identifier: Apache-2.0
// One of the two models whose graphs lie beside each other.
import type { Figures } from "./figures";
import type { Read } from "./load";

export interface Side extends Read {
  id: "graph" | "graph.int8"; // what the address holds of it begins so
  title: string;
  all: Figures[];
  toReference: (op: number) => number; // -1: there is none
  here: (op: number) => number; // of the reference's
}
