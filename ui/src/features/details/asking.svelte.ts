// SPDX-License-Identifier: Apache-2.0
import { untrack } from "svelte";

import type { Json } from "../../base/basket";
import type { Interval } from "../../base/numbers";
import type { Tensor } from "./tensors";
import { Latest } from "./latest";
import { changeOf, expectedOf, nothingAsked, rangeOf, type Asked, type Expected } from "./what-if";

/** Whose codes are asked about. */
export interface Subject {
  value: string;
  quantized: string;
  activation: Tensor | undefined;
}

/** What is asked of one op, and what the server answered last. */
export class Asking {
  asked = $state.raw<Asked>(nothingAsked());
  told = $state.raw<Expected | null>(null);
  problem = $state("");
  isBusy = $state(false);

  private readonly latest: Latest<Json, unknown>;

  constructor(
    private readonly subject: () => Subject | null,
    send: (change: Json, signal: AbortSignal) => Promise<unknown>,
  ) {
    this.latest = new Latest(
      send,
      (answer) => this.answer(expectedOf(answer), ""),
      (wrong) => this.answer(null, wrong.message),
    );
  }

  /** As its codes will be: of symmetric ones both ends are moved. */
  get isSymmetric(): boolean {
    return this.asked.scheme ? this.asked.scheme === "sym" : (this.subject()?.activation?.scheme?.symmetric ?? false);
  }
  get isFloat(): boolean {
    return this.asked.dtype === "fp32";
  }
  /** The range is another one than the codes have. */
  get isOther(): boolean {
    return this.asked.by !== "" && !this.isFloat;
  }
  /** The ends of the range: as asked, as an algorithm chose it, or as it is. */
  get ends(): Interval | null {
    if (this.asked.by === "hand") return this.asked.range;
    return (this.asked.by !== "" && this.told?.range) || this.subject()?.activation?.reach || null;
  }

  ask(wanted: Asked): void {
    const isHandNow = wanted.by === "hand" && this.asked.by !== "hand" && this.ends !== null && wanted.range === this.asked.range;
    this.asked = isHandNow ? { ...wanted, range: this.ends! } : wanted;
    this.problem = "";
    const subject = this.subject();
    const change = subject && changeOf(this.asked, subject.value, subject.quantized);
    if (change) {
      this.isBusy = true;
      this.latest.put(change);
    } else {
      this.stop();
    }
  }

  /** One end was dragged, moved by keys or typed. */
  pull(wanted: Interval, moved: "low" | "high"): void {
    this.ask({ ...this.asked, by: "hand", range: rangeOf(wanted, moved, this.isSymmetric) });
  }

  /** Asks for nothing. */
  reset(): void {
    untrack(() => {
      const activation = this.subject()?.activation;
      this.ask(nothingAsked(activation?.reach ?? activation?.data ?? [0, 0]));
    });
  }

  stop(): void {
    this.latest.clear();
    this.isBusy = false;
    this.told = null;
  }

  private answer(told: Expected | null, problem: string): void {
    this.told = told;
    this.problem = problem;
    this.isBusy = this.latest.isWaiting;
  }
}
