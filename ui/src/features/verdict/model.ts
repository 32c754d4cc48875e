// SPDX-License-Identifier: Apache-2.0
// What stands at the top of a run: whether the model is good, where the error begins, what to change.
import type { Schemas } from "../../api/client";
import { isReport } from "../../api/stored";
import { commandOf } from "../../base/basket";
import { baseName } from "../../base/numbers";
import { toldOpCounts, type OpCounts } from "../../base/op-counts";
import { has } from "../../base/view";
import { optionOf, ownWords } from "../../base/words";
import { amountText, foundIn, type Found } from "./findings";
import { listOf, objectOf, textOf } from "../../base/loose";
import { usualNames, type Names, type Told } from "./tiles";
import { told } from "./tops";

export type Run = Schemas["ShownRun"];
export type State = "running" | "done" | "failed" | "interrupted";

export interface Verdict extends Told {
  state: State;
  found: Found[];
  advice: { text: string; command: string } | null; // what makes it tell more
}

export function stateOf(run: Pick<Run, "state" | "message">): State {
  if (run.state === "success") return "done";
  if (run.state !== "failure") return "running";
  return run.message === "interrupted" ? "interrupted" : "failed";
}

/** Of two models that were evaluated, their files; else what a quantizer made and of what. */
function namesOf(run: Run): Names {
  const path = (role: string) => run.models?.find((model) => model.role === role)?.path ?? "";
  const names = [baseName(path("reference")), baseName(path("quantized"))] as const;
  return names[0] !== "" && names[1] !== "" && names[0] !== names[1] ? names : usualNames;
}

/** `ops` is null while they are being counted. */
export function verdictOf(run: Run, ops: OpCounts | null = toldOpCounts(run.result), found: Found[] = foundOf(run.result)): Verdict {
  const state = stateOf(run);
  const asked = { words: run.arguments ?? [], hasEnded: state === "done", names: namesOf(run), ops };
  return { ...told(run.result, asked), state, found, advice: adviceOf(run, state) };
}

export function foundOf(result: unknown): Found[] {
  const { diagnosis } = objectOf(result);
  return foundIn(diagnosis ?? result);
}

function adviceOf(run: Run, state: State): Verdict["advice"] {
  const words = ownWords(run.arguments ?? []);
  if (state === "failed" || state === "interrupted") {
    const goesOn = run.verb === "tune" && has(run, "study") && optionOf(words, "--resume") === null;
    return goesOn
      ? { text: "The search can go on with what it has:", command: commandOf(words, ["--resume", run.id]) }
      : { text: isReport() ? "To run it again:" : "To run it again: “New run” opens with its settings. By command line:", command: commandOf(words) };
  }
  const isBlind = run.verb === "quantize" && state === "done" && !has(run, "diagnosis") && (run.data?.length ?? 0) > 0;
  if (isBlind) return { text: "To see where the error begins, and what to change:", command: commandOf(words, ["--diagnose"]) };
  return null;
}

/** Whether a diagnosis' sentence says nothing that its figures and its findings do not. */
export function isRepeated(result: unknown, found: readonly Found[]): boolean {
  const { diagnosis } = objectOf(result);
  const conclusions = listOf(objectOf(diagnosis ?? result)["conclusions"]);
  const rules = found.map(({ rule }) => rule.replaceAll(" ", "_"));
  const isRule = (says: string) => rules.some((rule) => says === rule || says.startsWith(`${rule}.`));
  return conclusions.length > 0 && conclusions.map((one) => textOf(objectOf(one)["says"])).every((says) => repeated.includes(says) || isRule(says));
}

const repeated = [
  "loss", "share.begins", "share.in_float", "as_much.begins", "as_much.in_float", "in_doubt", "in_doubt.none_alone", "share_includes",
  "share_includes.left_in_float", "begin", "next", "end",
];

export function modelName(run: Run): string {
  const path = run.models?.find((model) => model.role === "reference")?.path ?? run.models?.[0]?.path ?? "";
  return baseName(path);
}

/** "Conv_4: 48 % less error in float", for the folded line. */
export function culprit(verdict: Verdict): string {
  const first = verdict.found[0];
  if (!first) return "";
  const place = first.op ? first.op.name : first.rule;
  const amount = amountText(first);
  return amount ? `${place}: ${amount}` : place;
}

/** The verdict as text, for a message or a ticket. */
export function verdictText(run: Run, verdict: Verdict): string {
  const lines = [`${run.name || run.id}: ${run.verb} of ${modelName(run)}${run.metric ? `, ${run.metric}` : ""} (${run.id})`];
  if (verdict.state !== "done") lines.push(run.state === "failure" ? `failed: ${run.message}` : "still running");
  if (verdict.headline) lines.push(verdict.headline.text);
  for (const { label, value, detail } of verdict.tiles) lines.push(`${label}: ${value}${detail ? ` (${detail})` : ""}`);
  if (verdict.sentence) lines.push("", verdict.sentence);
  verdict.found.forEach((found, index) => {
    const place = found.op ? ` at ${found.op.name}${found.others.length > 0 ? ` and ${found.others.length} more` : ""}` : "";
    const amount = [amountText(found), found.doubt].filter(Boolean).join(", ");
    lines.push("", `${index + 1}. ${found.severity} ${found.rule}${place}${amount ? ` (${amount})` : ""}: ${found.because}`);
    if (found.remedy !== null) lines.push(`   recipe: ${JSON.stringify(found.remedy)}`);
    if (found.tried) lines.push(`   ${found.tried}`);
  });
  return `${lines.join("\n")}\n`;
}

/** What was done to what: the line beside the name. */
export function metaOf(run: Run): string {
  const data = run.data?.find((one) => one.role === "samples") ?? run.data?.[0];
  const samples = data ? `${data.part?.count ?? data.samples} samples of ${baseName(data.data)}` : "";
  const model = modelName(run);
  const isNamedAlike = model.replace(/\.onnx$/, "") === run.name; // which stands beside it
  return [run.verb, isNamedAlike ? "" : model, run.metric, samples].filter(Boolean).join(" · ");
}
