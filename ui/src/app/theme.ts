// SPDX-License-Identifier: Apache-2.0
// Light or dark: as the system says, until someone turns it.
import { keep, kept } from "../base/kept";

export function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function turnTheme(): void {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset["theme"] = theme;
  keep("theme", theme);
}

export function startTheme(): void {
  const theme = kept("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
}
