// SPDX-License-Identifier: Apache-2.0
// What a trial's diagnosis says: where its error begins.
import { interval, real, type Interval, type Real } from "../../base/numbers";

export interface Blamed {
  name: string;
  type: string;
  sqnr: number; // [dB]
  share: number; // of the outputs' error
  shareInterval: Interval | null;
}

export interface TrialDiagnosis {
  samples: number;
  findings: { rule: string; op: string; share: number }[];
  worst: Blamed[];
}

type Fields = Record<string, unknown>;
const fields = (value: unknown): Fields => (value !== null && typeof value === "object" ? (value as Fields) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const number = (value: unknown): number => real(value as Real);

/** Ops with the greatest shares of the outputs' error, at most so many. */
export function diagnosisOf(record: unknown, most = 8): TrialDiagnosis {
  const diagnosis = fields(record);
  const rows = list(diagnosis["activations"]).map((value): Blamed => {
    const row = fields(value);
    return {
      name: text(fields(row["op"])["name"]),
      type: text(row["type"]),
      sqnr: number(row["sqnr_db"]),
      share: number(row["output_share"]),
      shareInterval: interval(Array.isArray(row["output_share_interval"]) ? (row["output_share_interval"] as Real[]) : null),
    };
  });
  const weight = (row: Blamed) => (Number.isNaN(row.share) ? -Infinity : row.share);
  return {
    samples: number(diagnosis["samples"]) || 0,
    findings: list(diagnosis["findings"]).map((value) => {
      const finding = fields(value);
      return { rule: text(finding["rule"]).replaceAll("_", " "), op: text(fields(finding["op"])["name"]), share: number(finding["output_share"]) };
    }),
    worst: rows.sort((a, b) => weight(b) - weight(a)).slice(0, most),
  };
}
