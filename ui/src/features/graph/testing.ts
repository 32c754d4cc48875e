// SPDX-License-Identifier: Apache-2.0
// Tables, graphs and trees for tests.
import type { Schemas } from "../../api/client";

export { graphOf, sceneOf, sceneOfWires, treeOf } from "../../graph/testing/small";

export function tableOf(columns: Record<string, unknown[]>): Schemas["TablePage"] {
  const rows = Math.max(0, ...Object.values(columns).map((cells) => cells.length));
  return { rows, offset: 0, count: rows, columns };
}
