// SPDX-License-Identifier: Apache-2.0
// Values whose codes were compared, as the op table and charts of a whole network take them, with the same fields of queries.
import type { Schemas } from "../api/client";
import { interval, real, type Interval, type Real } from "./numbers";
import type { Field, Language } from "./query";

export interface Compared {
  id: string; // of the op
  name: string;
  type: string;
  pattern: string;
  value: string;
  side: string;
  sqnr: number;
  sqnrInterval: Interval | null;
  drop: number;
  local: number;
  share: number;
  mse: number;
  cosine: number;
  clip: number;
  min: number;
  max: number;
  range: number;
}

/** The stored columns that make a row. */
export const comparedColumns = [
  "op.id", "op.name", "type", "pattern", "value", "side", "sqnr_db", "sqnr_db_interval", "sqnr_drop_db", "local_sqnr_db", "output_share",
  "mse", "cosine", "clip_rate", "min", "max", "data_range",
] as const;

export function comparedOf(table: Schemas["TablePage"]): Compared[] {
  const cells = (name: (typeof comparedColumns)[number]) => table.columns[name] ?? [];
  const ids = cells("op.id");
  const texts = (name: (typeof comparedColumns)[number]) => {
    const all = cells(name);
    return (row: number) => (all[row] === undefined || all[row] === null ? "" : String(all[row]));
  };
  const numbers = (name: (typeof comparedColumns)[number]) => {
    const all = cells(name);
    return (row: number) => real(all[row] as Real);
  };
  const [name, type, value, side] = [texts("op.name"), texts("type"), texts("value"), texts("side")];
  const [patterns, spans] = [cells("pattern"), cells("sqnr_db_interval")];
  const [sqnr, drop, local, share] = [numbers("sqnr_db"), numbers("sqnr_drop_db"), numbers("local_sqnr_db"), numbers("output_share")];
  const [mse, cosine, clip] = [numbers("mse"), numbers("cosine"), numbers("clip_rate")];
  const [min, max, range] = [numbers("min"), numbers("max"), numbers("data_range")];
  return ids.map((id, row) => ({
    id: String(id),
    name: name(row) || String(id),
    type: type(row),
    pattern: Array.isArray(patterns[row]) ? (patterns[row] as string[]).join(" ") : "",
    value: value(row),
    side: side(row),
    sqnr: sqnr(row),
    sqnrInterval: interval(spans[row] as Real[] | null | undefined),
    drop: drop(row),
    local: local(row),
    share: share(row),
    mse: mse(row),
    cosine: cosine(row),
    clip: clip(row),
    min: min(row),
    max: max(row),
    range: range(row),
  }));
}

function figures<Row extends Compared>(): Field<Row>[] {
  const field = (names: readonly string[], meaning: string, number: (row: Row) => number): Field<Row> => ({ names, meaning, number });
  return [
    field(["sqnr"], "signal over error here, in dB", (row) => row.sqnr),
    field(["drop"], "how far SQNR falls here, in dB", (row) => row.drop),
    field(["local"], "signal over the error that is born here, in dB", (row) => row.local),
    field(["share"], "part of the outputs' error that begins here", (row) => row.share),
    field(["mse"], "mean squared error", (row) => row.mse),
    field(["cosine"], "cosine similarity", (row) => row.cosine),
    field(["clip"], "part of the values outside of the range", (row) => row.clip),
    field(["min"], "least value of the reference", (row) => row.min),
    field(["max"], "greatest value of the reference", (row) => row.max),
    field(["range"], "max - min", (row) => row.range),
  ];
}

/** What a query finds by its text. */
export function comparedTexts<Row extends Compared>(): Field<Row>[] {
  return [
    { names: ["type", "kind"], meaning: "the operator", text: (row) => row.type },
    { names: ["pattern"], meaning: "the ops that are one with it", text: (row) => row.pattern },
    { names: ["side"], meaning: "where its codes come from", text: (row) => row.side },
  ];
}

/** Queries over them, and over `more` figures of a chart of its own. */
export function comparedLanguage<Row extends Compared>(more: readonly Field<Row>[] = []): Language<Row> {
  return {
    name: (row) => row.name,
    fields: [
      ...comparedTexts<Row>(),
      ...figures<Row>(),
      ...more,
    ],
  };
}
