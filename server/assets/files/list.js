// SPDX-License-Identifier: Apache-2.0
// A plain list of workloads. Names come from files and are hostile: they go in as text alone.
"use strict";

const columns = ["id", "name", "verb", "state", "created", "message"];

function say(sentence) {
  document.getElementById("state").textContent = sentence;
}

function show(workloads) {
  const table = document.getElementById("list");
  const body = table.tBodies[0];
  for (const workload of workloads) {
    const row = body.insertRow();
    for (const column of columns) row.insertCell().textContent = String(workload[column] ?? "");
  }
  table.hidden = workloads.length === 0;
  say(workloads.length === 0 ? "This workspace holds no workload yet." : `${workloads.length} in this workspace.`);
}

async function load() {
  const answer = await fetch("api/v1/workloads", { headers: { Accept: "application/json" } });
  if (!answer.ok) return say(await answer.text());
  show((await answer.json()).workloads);
}

load().catch((error) => say(`The server does not answer: ${error.message}`));
