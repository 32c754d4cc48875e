// SPDX-License-Identifier: Apache-2.0
// Pictures are drawn as bitmaps, which the page shows: a canvas that is handed over to a worker shows them at times of its own, and
// leaves out one in six while one moves.
import { Answerer } from "./answers";
import type { Change, Request, Sheet } from "./messages";
import { font } from "./paint-look";

const sheets: Record<Sheet, OffscreenCanvas> = { picture: new OffscreenCanvas(1, 1), map: new OffscreenCanvas(1, 1) };
const words = new OffscreenCanvas(1, 1).getContext("2d")!;
words.font = font.title;
words.measureText("Conv"); // the first one reads the font: while the graph is still being read
const answerer = new Answerer((title) => words.measureText(title).width);

function draw(): void {
  for (const sheet of ["picture", "map"] as const) {
    const isDrawn = sheet === "map" ? answerer.drawing?.drawMap(sheets.map) : answerer.drawing?.draw(sheets.picture);
    if (!isDrawn) continue;
    const bitmap = sheets[sheet].transferToImageBitmap();
    self.postMessage({ sheet, bitmap }, { transfer: [bitmap] });
  }
}

// Behind all changes that have arrived meanwhile: where drawing takes longer than a frame, none of them has to wait for its own picture.
const { port1: later, port2: due } = new MessageChannel();
let isDue = false;
due.onmessage = () => {
  isDue = false;
  draw();
};

self.onmessage = ({ data }: MessageEvent<Request | Change>) => {
  if (!("change" in data)) {
    void answerer.answer(data).then((answer) => self.postMessage(answer));
    return;
  }
  answerer.change(data);
  if (!isDue) later.postMessage(null);
  isDue = true;
};
