// SPDX-License-Identifier: Apache-2.0
import { createSubscriber } from "svelte/reactivity";

let turns = 0;
const subscribe = createSubscriber((update) => {
  const turned = () => {
    ++turns;
    update();
  };
  const observer = new MutationObserver(turned);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", turned);
  return () => {
    observer.disconnect();
    scheme.removeEventListener("change", turned);
  };
});

/** Another number after each turn of the theme: what reads it in an effect runs again. */
export function themeTurns(): number {
  subscribe();
  return turns;
}
