// SPDX-License-Identifier: Apache-2.0
// The list of runs as the page has it: read in pages, kept up by events.
import { get, type Schemas } from "../../api/client";
import type { Labels } from "./labels";
import { changed, hasEnded, type Run, type RunChange } from "./model";
import { askedOf, isFiltered, joined, mostRows, nextOffset, noFilter, overlap, pageSize, tagsOf, type Filter } from "./paging";

/** Changes that come close together are one reading of the list. */
const together = 250;

export interface Told {
  onloaded: (total: number) => void; // of all runs, whatever the filter
  onremoved: (id: string) => void;
  onended: (id: string) => void;
}

export class Runs {
  list = $state.raw<Run[]>([]);
  total = $state(0); // that the filter lets through
  filter = $state.raw<Filter>(noFilter);
  tags = $state.raw<string[]>([]);
  error = $state("");
  isLoaded = $state(false);
  isLoading = $state(false);

  #told: Told;
  #come = new Set<string>(); // runs that are not in the list yet
  #reading: AbortController | null = null;
  #timer = 0;

  constructor(told: Told) {
    this.#told = told;
  }

  /** As many as were there before, and those that have come, so that nothing is lost from sight. */
  load(count = Math.max(pageSize, this.list.length + this.#come.size)): Promise<void> {
    return this.#read(async (signal) => {
      this.#come.clear();
      const { runs, total } = await pagesOf(this.filter, 0, count, signal);
      const all = isFiltered(this.filter) ? (await pageOf(noFilter, 0, 1, signal)).total : total;
      this.#show(runs, total);
      this.#told.onloaded(all);
    });
  }

  more(): Promise<void> {
    if (this.isLoading || this.list.length >= this.total) return Promise.resolve();
    return this.#read(async (signal) => {
      const { runs, total } = await pagesOf(this.filter, nextOffset(this.list.length), pageSize + overlap, signal);
      const list = joined(this.list, runs);
      if (list) this.#show(list, total);
      else this.soon();
    });
  }

  set(filter: Filter): Promise<void> {
    this.filter = filter;
    return this.load(pageSize);
  }

  take(data: unknown): void {
    const change = data as RunChange;
    const list = changed(this.list, change);
    if (!list) {
      if (!this.list.some((run) => run.id === change.id)) this.#come.add(change.id);
      this.soon();
    } else {
      this.total -= this.list.length - list.length;
      this.list = list;
    }
    if (change.state === null) {
      this.soon(); // how many there are in all
      this.#told.onremoved(change.id);
    } else if (hasEnded(change.state)) {
      this.#told.onended(change.id);
    }
  }

  label(id: string, labels: Labels): void {
    this.list = this.list.map((run) => (run.id === id ? { ...run, ...labels } : run));
    this.tags = tagsOf(this.tags, this.list);
  }

  soon(): void {
    if (!this.#timer) this.#timer = window.setTimeout(() => void this.load(), together);
  }

  stop(): void {
    window.clearTimeout(this.#timer);
    this.#reading?.abort();
  }

  #show(runs: Run[], total: number): void {
    this.list = runs;
    this.total = total;
    this.tags = tagsOf(this.tags, runs);
    this.isLoaded = true;
  }

  /** One reading at a time: a later one takes the place of the one before. */
  async #read(how: (signal: AbortSignal) => Promise<void>): Promise<void> {
    window.clearTimeout(this.#timer);
    this.#timer = 0;
    this.#reading?.abort();
    const { signal } = (this.#reading = new AbortController());
    this.isLoading = true;
    try {
      await how(signal);
      if (!signal.aborted) this.error = "";
    } catch (problem) {
      if (signal.aborted) return;
      this.error = (problem as Error).message;
      this.isLoaded = true;
    }
    if (!signal.aborted) this.isLoading = false;
  }
}

function pageOf(filter: Filter, offset: number, limit: number, signal: AbortSignal): Promise<Schemas["RunList"]> {
  return get("workloads", { ...askedOf(filter), offset, limit }, signal);
}

async function pagesOf(filter: Filter, from: number, count: number, signal: AbortSignal): Promise<{ runs: Run[]; total: number }> {
  const runs: Run[] = [];
  for (;;) {
    const page = await pageOf(filter, from + runs.length, Math.min(mostRows, count - runs.length), signal);
    runs.push(...page.workloads);
    const isLast = page.workloads.length === 0 || from + runs.length >= page.total || runs.length >= count;
    if (isLast) return { runs: unique(runs), total: page.total };
  }
}

/** A run that comes between two pages moves one into both. */
function unique(runs: readonly Run[]): Run[] {
  return [...new Map(runs.map((run) => [run.id, run])).values()];
}
