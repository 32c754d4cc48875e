// SPDX-License-Identifier: Apache-2.0
// The jobs as the drawer has them: those under way and waiting whole, the ended ones in pages, all kept up by events.
import { get, type Schemas } from "../../api/client";
import { changed, grouped, merged, type Groups, type Job, type JobChange } from "./model";

const pageSize = 50;
const mostUnderWay = 1000;
const together = 250;

export class Jobs {
  all = $state.raw<Job[]>([]);
  total = $state(0);
  cores = $state(0);
  error = $state("");
  isLoaded = $state(false);

  #reached = $state(pageSize); // of the list of all jobs, from the last submitted
  #asked = new Map<string, number>();
  #timer = 0;
  #isOver = false;

  get groups(): Groups {
    return grouped(this.all);
  }

  get hasMore(): boolean {
    return this.#reached < this.total;
  }

  async load(): Promise<void> {
    try {
      const [page, running, queued] = await Promise.all([
        this.#page({ limit: Math.min(this.#reached, mostUnderWay) }),
        this.#page({ state: "running", limit: mostUnderWay }),
        this.#page({ state: "queued", limit: mostUnderWay }),
      ]);
      this.#reached = Math.max(pageSize, page.jobs.length);
      this.all = merged(page.jobs, [...running.jobs, ...queued.jobs]);
      [this.total, this.cores, this.error] = [page.total, page.cores, ""];
    } catch (problem) {
      this.error = (problem as Error).message;
    }
    this.isLoaded = true;
  }

  async more(): Promise<void> {
    try {
      const page = await this.#page({ offset: this.#reached, limit: pageSize });
      this.#reached += page.jobs.length || pageSize;
      this.all = merged(this.all, page.jobs);
      this.total = page.total;
    } catch (problem) {
      this.error = (problem as Error).message;
    }
  }

  take(data: unknown): void {
    const change = data as JobChange;
    const list = changed(this.all, change);
    if (!list) return void this.#ask(change.id);
    // A removal that was asked for here is told once more by the event.
    if (list.length < this.all.length) [this.total, this.#reached] = [Math.max(0, this.total - 1), Math.max(0, this.#reached - 1)];
    this.all = list;
  }

  put(job: Job): void {
    const isNew = !this.all.some((one) => one.id === job.id);
    if (isNew) [this.total, this.#reached] = [this.total + 1, this.#reached + 1];
    this.all = merged(this.all, [job]);
  }

  soon(): void {
    if (this.#timer || this.#isOver) return;
    this.#timer = window.setTimeout(() => {
      this.#timer = 0;
      void this.load();
    }, together);
  }

  stop(): void {
    this.#isOver = true;
    window.clearTimeout(this.#timer);
  }

  /** The last answer counts: two changes of a job may come close together. */
  async #ask(id: string): Promise<void> {
    const turn = (this.#asked.get(id) ?? 0) + 1;
    this.#asked.set(id, turn);
    try {
      const job = await get<Job>(`jobs/${encodeURIComponent(id)}`);
      if (this.#asked.get(id) === turn) this.put(job);
    } catch {
      this.soon(); // it may be gone already
    }
  }

  #page(given: { state?: Job["state"]; offset?: number; limit: number }): Promise<Schemas["JobList"]> {
    return get("jobs", { ...given });
  }
}
