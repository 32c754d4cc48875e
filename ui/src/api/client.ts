// SPDX-License-Identifier: Apache-2.0
// What the server answers, by the types of its OpenAPI document (types.ts).
import type { components } from "./types";

export type Schemas = components["schemas"];
/** A sentence that people may read, with the status that it came with; 0: the server was not reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    sentence: string,
  ) {
    super(sentence);
  }
}

const root = new URL("api/v1/", document.baseURI);

function query(given: Record<string, string | number | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return text && `?${text}`;
}

export async function get<T>(path: string, given: Record<string, string | number | undefined> = {}, signal?: AbortSignal): Promise<T> {
  let response: Response;
  try {
    response = await fetch(new URL(path + query(given), root), { credentials: "same-origin", ...(signal && { signal }) });
  } catch {
    throw new ApiError(0, "The server does not answer. Is `quantlens serve` still running?");
  }
  if (!response.ok) throw new ApiError(response.status, (await response.text()).trim() || response.statusText);
  return (await response.json()) as T;
}

export function workloadPath(id: string, rest = ""): string {
  return `workloads/${encodeURIComponent(id)}${rest}`;
}

/** All rows of a record's list, with these of its columns. */
export function tableOf(run: string, list: string, columns: readonly string[], signal: AbortSignal): Promise<Schemas["TablePage"]> {
  return get(workloadPath(run, `/tables/${list}`), { columns: columns.join(","), limit: 100_000, digits: 6 }, signal);
}

/** Calls on each event of this name, and on `lost` where events may have been missed; returns how to stop. */
export function listen(name: "workloads" | "jobs", changed: (data: unknown) => void, lost: () => void): () => void {
  const source = new EventSource(new URL("events", root));
  let opened = false;
  source.addEventListener("open", () => {
    if (opened) lost();
    opened = true;
  });
  source.addEventListener(name, (event) => changed(JSON.parse((event as MessageEvent<string>).data)));
  return () => source.close();
}
