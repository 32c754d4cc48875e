// SPDX-License-Identifier: Apache-2.0
// What the server answers, by the types of its OpenAPI document (types.ts).
import { ApiError } from "./problem";
import { isReport, refusal, storedAnswer } from "./stored";
import type { components } from "./types";

export type Schemas = components["schemas"];
export { ApiError };

/** There is no such thing, as in a run that did not make this record. */
export function isMissing(problem: unknown): boolean {
  return problem instanceof ApiError && problem.status === 404;
}

/** Null where there is no such thing. */
export async function ifThere<T>(wanted: Promise<T>): Promise<T | null> {
  try {
    return await wanted;
  } catch (problem) {
    if (isMissing(problem)) return null;
    throw problem;
  }
}

const root = new URL("api/v1/", document.baseURI);

function query(given: Record<string, string | number | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return text && `?${text}`;
}

/** As text of an address: to be shown in an image or a link. */
export function addressOf(path: string, given: Record<string, string | number | undefined> = {}): string {
  return new URL(path + query(given), root).href;
}

async function ask(path: string, options: RequestInit): Promise<Response> {
  if (isReport()) throw refusal();
  let response: Response;
  try {
    response = await fetch(new URL(path, root), { credentials: "same-origin", ...options });
  } catch (problem) {
    if (options.signal?.aborted) throw problem;
    throw new ApiError(0, "The server does not answer. Is `quantlens serve` still running?");
  }
  if (!response.ok) throw new ApiError(response.status, (await response.text()).trim() || response.statusText);
  return response;
}

/** `after`: what goes before it is to be ready before this is parsed, which takes the page's time; it arrives meanwhile. */
export async function get<T>(
  path: string,
  given: Record<string, string | number | undefined> = {},
  signal?: AbortSignal,
  after?: Promise<unknown>,
): Promise<T> {
  if (isReport()) {
    const answer = await Promise.resolve(storedAnswer(path + query(given)));
    signal?.throwIfAborted(); // as it may be by then
    return answer as T;
  }
  const response = await ask(path + query(given), signal ? { signal } : {});
  if (!after) return (await response.json()) as T;
  const text = await response.text();
  await after.catch(() => undefined);
  return JSON.parse(text) as T;
}

export async function send<T>(method: "POST" | "PUT", path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  return (await (await ask(path, { method, headers, body: JSON.stringify(body), ...(signal && { signal }) })).json()) as T;
}

/** `confirm`: the id once more, where the server asks for it. */
export async function remove(path: string, confirm?: string): Promise<void> {
  await ask(path + query({ confirm }), { method: "DELETE" });
}

export function workloadPath(id: string, rest = ""): string {
  return `workloads/${encodeURIComponent(id)}${rest}`;
}

const most = { rows: 100_000, cells: 1_000_000 }; // of a page of a table, as the server has it

/** All rows of a list, in as many pages as that takes. */
async function table(
  run: string,
  list: string,
  columns: readonly string[],
  signal?: AbortSignal,
  after?: Promise<unknown>,
): Promise<Schemas["TablePage"]> {
  const limit = Math.min(most.rows, Math.floor(most.cells / columns.length));
  const page = (offset: number) =>
    get<Schemas["TablePage"]>(workloadPath(run, `/tables/${list}`), { columns: columns.join(","), offset, limit, digits: 6 }, signal, after);
  const first = await page(0);
  const others = Array.from({ length: Math.ceil(first.rows / limit) - 1 }, (_, index) => page((index + 1) * limit));
  return joined([first, ...(await Promise.all(others))]);
}

function joined(pages: readonly Schemas["TablePage"][]): Schemas["TablePage"] {
  const [first, ...others] = pages as [Schemas["TablePage"], ...Schemas["TablePage"][]];
  if (others.length === 0) return first;
  const columns = Object.fromEntries(
    Object.keys(first.columns).map((name) => [name, pages.flatMap((page) => page.columns[name] ?? [])]),
  ) as Schemas["TablePage"]["columns"];
  return { ...first, count: pages.reduce((sum, { count }) => sum + count, 0), columns };
}

const ahead = new Map<string, Promise<Schemas["TablePage"]>>();
const nameOf = (run: string, list: string, columns: readonly string[]) => [run, list, ...columns].join(" ");

/** Asks for a table before the view that shows it is there: it arrives while the page is drawn. */
export function askAhead(run: string, list: string, columns: readonly string[]): void {
  const answer = table(run, list, columns);
  answer.catch(() => undefined); // who takes it is told
  ahead.clear();
  ahead.set(nameOf(run, list, columns), answer);
}

/** All rows of a record's list, with these of its columns. */
export function tableOf(
  run: string,
  list: string,
  columns: readonly string[],
  signal: AbortSignal,
  after?: Promise<unknown>,
): Promise<Schemas["TablePage"]> {
  const name = nameOf(run, list, columns);
  const asked = ahead.get(name);
  ahead.delete(name);
  return asked ?? table(run, list, columns, signal, after);
}

type EventName = "workloads" | "jobs";
interface Listener {
  name: EventName;
  changed: (data: unknown) => void;
  lost: () => void;
}
const listeners = new Set<Listener>();
let source: EventSource | null = null;
const [soonest, latest] = [5000, 60_000]; // ms
let again: number = soonest;

/** One stream for all who listen: a browser opens few connections to a server. */
function connect(): EventSource {
  const made = new EventSource(addressOf("events"));
  let opened = false;
  made.addEventListener("open", () => {
    if (opened) for (const one of listeners) one.lost();
    opened = true;
    again = soonest;
  });
  // A browser tries again by itself where nobody answers, but not where it was refused: 503 is over when other readers have left.
  made.addEventListener("error", () => {
    if (made.readyState !== EventSource.CLOSED) return;
    setTimeout(() => {
      if (source !== made) return;
      source = connect();
      for (const one of listeners) one.lost();
    }, again);
    again = Math.min(latest, 2 * again); // with a wrong token each try counts against this machine
  });
  for (const name of ["workloads", "jobs"] as const) {
    made.addEventListener(name, (event) => {
      const data: unknown = JSON.parse((event as MessageEvent<string>).data);
      for (const one of listeners) if (one.name === name) one.changed(data);
    });
  }
  return made;
}

/** Calls on each event of this name, and on `lost` where events may have been missed; returns how to stop. */
export function listen(name: EventName, changed: (data: unknown) => void, lost: () => void): () => void {
  if (isReport()) return () => undefined; // nothing changes
  const listener = { name, changed, lost };
  listeners.add(listener);
  source ??= connect();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    source?.close();
    source = null;
  };
}
