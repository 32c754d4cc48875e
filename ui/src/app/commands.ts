// SPDX-License-Identifier: Apache-2.0
// What the palette offers at this place.
import type { Schemas } from "../api/client";
import { isReport } from "../api/stored";
import { commandOf } from "../base/basket";
import type { Command } from "../base/command";
import type { View } from "./views";

interface Here {
  shown: Schemas["ShownRun"] | null;
  views: readonly View[];
  op: string | null;
  onview: (id: string) => void;
  onjobs: () => void;
  onnew: () => void;
  ontheme: () => void;
}

function copy(text: string): () => void {
  return () => void navigator.clipboard.writeText(text).catch(() => undefined);
}

export function commandsOf({ shown, views, op, onview, onjobs, onnew, ontheme }: Here): Command[] {
  const commands: Command[] = views.map((view) => ({ group: "View", title: view.title, run: () => onview(view.id) }));
  if (!isReport()) commands.push({ group: "Go", title: "Start a new run", run: onnew }, { group: "Go", title: "Show jobs", run: onjobs });
  commands.push(
    { group: "Page", title: "Turn light or dark", run: ontheme },
    { group: "Copy", title: "Copy the address of what is shown", run: () => copy(location.href)() },
  );
  if (shown) {
    const model = shown.models.find((one) => one.role === "reference") ?? shown.models[0];
    commands.push({ group: "Copy", title: "Copy as command line", run: copy(commandOf(shown.arguments)) });
    commands.push({ group: "Copy", title: "Copy the command that shows this run", run: copy(commandOf(["workloads", "show", shown.id])) });
    if (model) commands.push({ group: "Copy", title: "Copy the model's path", run: copy(model.path) });
    if (op !== null) commands.push({ group: "Copy", title: "Copy the id of the selected op", run: copy(op) });
  }
  return commands;
}
