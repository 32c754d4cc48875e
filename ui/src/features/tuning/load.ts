// SPDX-License-Identifier: Apache-2.0
// What is stored of a search, also while it runs.
import { get, ifThere, workloadPath, type Schemas } from "../../api/client";
import { studyOf, trialsElsewhere, type Study } from "./study";

const columns = ["number", "why", "recipe", "judged", "same_as", "failure", "accuracy", "difference", "difference_interval", "loss", "reached",
  "output_error", "multiply_adds_quantized", "compute_quantized", "ops_quantized", "ops_float", "bytes", "predicted_us", "closing"];

/** A record that may not be there. */
function record(run: string, name: string, signal: AbortSignal): Promise<unknown> {
  return ifThere(get<unknown>(workloadPath(run, `/records/${name}`), {}, signal));
}

async function longTrials(run: string, signal: AbortSignal): Promise<unknown[]> {
  const given = { columns: columns.join(","), limit: 50_000 };
  const page = await get<Schemas["TablePage"]>(workloadPath(run, "/tables/study.trials"), given, signal);
  return Array.from({ length: page.count }, (_, row) => Object.fromEntries(columns.map((name) => [name, page.columns[name]?.[row]])));
}

/** Null: nothing is stored yet. `hasTimes`: whether there is a times.json. */
export async function loadStudy(run: string, hasTimes: boolean, signal: AbortSignal): Promise<Study | null> {
  const study = await record(run, "study", signal);
  if (study === null) return null;
  const trials = trialsElsewhere(study) > 0 ? await longTrials(run, signal) : undefined;
  return studyOf(study, hasTimes ? await record(run, "times", signal) : null, trials);
}

/** Calls at once, and then no more often than each `pause` milliseconds; the last call is never lost. */
export function throttled(call: () => void, pause: number): { ask: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWaiting = false;
  const ask = (): void => {
    if (timer !== undefined) {
      isWaiting = true;
      return;
    }
    call();
    timer = setTimeout(() => {
      timer = undefined;
      if (isWaiting) {
        isWaiting = false;
        ask();
      }
    }, pause);
  };
  return { ask, stop: () => clearTimeout(timer) };
}
