// SPDX-License-Identifier: Apache-2.0
// How far a step is, of what a run or a job has told of it last: as StepProgress shows it.
import { real, type Real } from "./numbers";

export interface Step {
  step?: string | null | undefined;
  done?: Real;
  total?: Real;
  seconds?: Real; // since the step began
  rate?: Real; // a second
  remaining_seconds?: Real;
}

export interface StepFigures {
  step: string;
  done: number;
  total: number;
  rate: number;
  remaining: number;
}

/** What it has not told is reckoned from the time that it has taken so far. */
export function stepFigures(told: Step | null): StepFigures {
  const [done, total, seconds] = [real(told?.done), real(told?.total), real(told?.seconds)];
  const toldRate = real(told?.rate);
  const rate = Number.isNaN(toldRate) && done > 0 && seconds > 0 ? done / seconds : toldRate;
  const left = real(told?.remaining_seconds);
  const remaining = Number.isNaN(left) && rate > 0 && total >= done ? (total - done) / rate : left;
  return { step: told?.step || "starting", done, total, rate, remaining };
}
