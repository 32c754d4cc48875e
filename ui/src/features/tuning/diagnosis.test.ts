// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { diagnosisOf } from "./diagnosis";

it("a trial's diagnosis names the ops most to blame", () => {
  const row = (name: string, share: unknown) => ({ op: { id: name, name }, type: "Conv", sqnr_db: 12, output_share: share, output_share_interval: [0, 0.1] });
  const found = diagnosisOf({ samples: 32, activations: [row("a", null), row("b", 0.1), row("c", 0.6), row("d", "nan")],
    findings: [{ rule: "outlier_channel", op: { name: "c" }, output_share: 0.6 }] }, 3);
  expect(found.worst.map((one) => one.name)).toEqual(["c", "b", "a"]);
  expect(found.worst[0]?.shareInterval).toEqual([0, 0.1]);
  expect(found).toMatchObject({ samples: 32, findings: [{ rule: "outlier channel", op: "c", share: 0.6 }] });
});

it("one that is missing or damaged says nothing", () => {
  for (const bad of [null, 3, { activations: "x", findings: null, samples: "nan" }, { activations: { rows: 2000 } }]) {
    expect(diagnosisOf(bad)).toEqual({ samples: 0, findings: [], worst: [] });
  }
});
