// SPDX-License-Identifier: Apache-2.0
// Groups of ops: name scopes, and pieces of levels that are too large.

export const mostChildren = 200; // of a group; more are cut into pieces

/** Nodes 0 to ops - 1 are the ops of an OpGraph, the others groups, each behind the one around it; `ops` itself is the root. */
export interface Tree {
  ops: number;
  parent: Int32Array; // of each node: its group; -1: the root. An op that hangs has its host's
  depth: Int32Array; // of each node; the root's is 0
  children: readonly Int32Array[]; // of group - ops: ops that are boxes, and groups, in the file's order
  labels: readonly string[]; // of group - ops: "layer.3", "part 2"
  paths: readonly string[]; // of group - ops: by which the address names it; equal for equal input
  alike: Int32Array; // of group - ops: groups of one number are equal blocks; -1: there is none like it
}
