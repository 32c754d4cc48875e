// SPDX-License-Identifier: Apache-2.0
/** Asks one question at a time. Of those that come meanwhile the last one is asked next; the others are left out. */
export class Latest<Question, Answer> {
  private waiting: { question: Question } | null = null;
  private stop: AbortController | null = null;

  constructor(
    private readonly ask: (question: Question, signal: AbortSignal) => Promise<Answer>,
    private readonly answered: (answer: Answer, question: Question) => void,
    private readonly failed: (problem: Error, question: Question) => void,
  ) {}

  get isBusy(): boolean {
    return this.stop !== null;
  }

  /** Whether another answer follows the one that is told. */
  get isWaiting(): boolean {
    return this.waiting !== null;
  }

  put(question: Question): void {
    this.waiting = { question };
    if (!this.isBusy) void this.next();
  }

  /** What is under way is told no more. */
  clear(): void {
    this.waiting = null;
    this.stop?.abort();
    this.stop = null;
  }

  private async next(): Promise<void> {
    const asked = this.waiting;
    if (!asked) return;
    this.waiting = null;
    const stop = new AbortController();
    this.stop = stop;
    try {
      const answer = await this.ask(asked.question, stop.signal);
      if (!stop.signal.aborted) this.answered(answer, asked.question);
    } catch (problem) {
      if (!stop.signal.aborted) this.failed(problem as Error, asked.question);
    }
    if (this.stop !== stop) return;
    this.stop = null;
    void this.next();
  }
}
