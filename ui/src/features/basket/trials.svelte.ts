// SPDX-License-Identifier: Apache-2.0
// The trials of this page. They are followed whichever run is shown, and are still there when the page is loaded anew.
import { ApiError, get, listen, send, type Schemas } from "../../api/client";
import { isReport } from "../../api/stored";
import { keep, kept } from "../../base/kept";
import type { Request } from "./request";
import { changedBy, following, isUnderWay, keeping, refused, restored, trialOf, type Trial } from "./trial";

type Job = Schemas["ShownJob"];
const place = "trials";

class Trials {
  private all = $state.raw<readonly Trial[]>(isReport() ? [] : restored(kept(place, "sessionStorage")));
  private stop: (() => void) | null = null;

  constructor() {
    for (const trial of this.all) if (isUnderWay(trial)) void this.ask(trial);
    this.follow();
  }

  of(run: string): Trial | null {
    return trialOf(this.all, run);
  }

  async begin(trial: Trial, request: Request): Promise<void> {
    this.put(trial);
    try {
      this.put(following(trial, await send<Job>("POST", "jobs", request)));
    } catch (problem) {
      this.put(refused(trial, (problem as Error).message));
    }
  }

  async cancel(trial: Trial): Promise<void> {
    if (trial.job === null) return;
    try {
      this.put(following(trial, await send<Job>("POST", `jobs/${encodeURIComponent(trial.job)}/cancel`, {})));
    } catch {
      void this.ask(trial); // it may have ended by then
    }
  }

  forget(trial: Trial): void {
    this.set(this.all.filter((one) => one.base !== trial.base));
  }

  private put(trial: Trial): void {
    this.set(keeping(this.all, trial));
  }

  private set(all: readonly Trial[]): void {
    this.all = all;
    keep(place, JSON.stringify(all), "sessionStorage");
    this.follow();
  }

  /** Listens as long as there is something to be heard. */
  private follow(): void {
    const isNeeded = this.all.some(isUnderWay);
    if (isNeeded) this.stop ??= listen("jobs", (data) => this.hear(data), () => this.askAll());
    else if (this.stop) {
      this.stop();
      this.stop = null;
    }
  }

  private hear(data: unknown): void {
    for (const trial of this.all) {
      if (!isUnderWay(trial)) continue;
      const changed = changedBy(trial, data);
      if (changed === null) void this.ask(trial);
      else if (changed !== trial) this.put(changed);
    }
  }

  private askAll(): void {
    for (const trial of this.all) if (isUnderWay(trial)) void this.ask(trial);
  }

  private async ask(trial: Trial): Promise<void> {
    if (trial.job === null) return;
    try {
      const job = await get<Job>(`jobs/${encodeURIComponent(trial.job)}`);
      if (this.of(trial.base)?.job === trial.job) this.put(following(trial, job));
    } catch (problem) {
      const isAway = problem instanceof ApiError && problem.status === 0;
      if (!isAway) this.put(refused(trial, (problem as Error).message));
    }
  }
}

export const trials = new Trials();
