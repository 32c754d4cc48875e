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

async function answer(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(new URL(path, root), { credentials: "same-origin", ...init });
  } catch {
    throw new ApiError(0, "The server does not answer. Is `quantlens serve` still running?");
  }
  if (!response.ok) throw new ApiError(response.status, (await response.text()).trim() || response.statusText);
  return response;
}

function query(given: Record<string, string | number | undefined>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return text && `?${text}`;
}

export async function get<T>(path: string, given: Record<string, string | number | undefined> = {}, signal?: AbortSignal): Promise<T> {
  const response = await answer(path + query(given), signal ? { signal } : {});
  return (await response.json()) as T;
}

export async function send<T>(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "Content-Type": "application/json" };
  }
  return (await (await answer(path, init)).json()) as T;
}

export function workloadPath(id: string, rest = ""): string {
  return `workloads/${encodeURIComponent(id)}${rest}`;
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
