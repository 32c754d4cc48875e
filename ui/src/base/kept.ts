// SPDX-License-Identifier: Apache-2.0
// What the browser keeps for these pages. It may forbid that, or have no room: then nothing is kept, and all else works.

export type Keeper = "localStorage" | "sessionStorage"; // from visit to visit; as long as the tab is open

export function kept(name: string, by: Keeper = "localStorage"): string | null {
  try {
    return globalThis[by].getItem(name);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string, by: Keeper = "localStorage"): void {
  try {
    globalThis[by].setItem(name, value);
  } catch {
    // As said above.
  }
}
