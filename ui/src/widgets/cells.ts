// SPDX-License-Identifier: Apache-2.0
// The cells of a table's row, written by hand: with an effect and an <svg> of Svelte for each of them, a screenful takes longer than a frame.
import { parted } from "../base/name";
import type { Interval } from "../base/numbers";
import type { Column } from "../base/table";

/** How the rows of a table are drawn. */
export interface Look<Row> {
  columns: readonly Column<Row>[];
  wide: Column<Row> | undefined; // takes the room that is left; its names are cut before their ends
  numbers: ReadonlySet<string>; // ids of columns that are figures
  spans: ReadonlyMap<string, Interval>; // axes of whiskers
}

type Writer<Row> = (row: Row) => void;

function made(name: string): HTMLElement {
  const element = document.createElement("span");
  element.className = name;
  return element;
}

function writerOfText(cell: HTMLElement): (text: string) => void {
  const node = document.createTextNode("");
  cell.append(node);
  return (text) => {
    if (node.data !== text) node.data = text;
  };
}

function writerOfName(cell: HTMLElement): (text: string) => void {
  const [name, start, end] = [made("name"), made("start"), made("end")];
  name.append(start, end);
  cell.append(name);
  const [first, last] = [writerOfText(start), writerOfText(end)];
  return (text) => {
    const parts = parted(text, 12);
    first(parts.start);
    last(parts.end);
  };
}

const [width, dot] = [44, 3.5]; // px, as DataTable draws them

/** Where a whisker's value stands, and its interval where that is known, in px. */
export function whiskerOf(value: number, interval: Interval | null, [low, high]: Interval): { at: number; bar: Interval | null; isShort: boolean } | null {
  if (!Number.isFinite(value)) return null;
  const place = (x: number) => (high > low ? ((Math.min(Math.max(x, low), high) - low) / (high - low)) * (width - 4) + 2 : width / 2);
  const bar: Interval | null = interval && [place(interval[0]), place(interval[1])];
  return { at: place(value), bar, isShort: bar !== null && bar[1] - bar[0] <= dot };
}

/** Sets properties that layout alone reads: custom properties and gradients take the browser longer than all text. */
function writerOfWhisker<Row>(cell: HTMLElement, column: Column<Row>, span: Interval): Writer<Row> {
  const [whisker, bar, mark] = [made("whisker"), made("bar"), made("dot")];
  whisker.append(bar, mark);
  cell.append(whisker);
  return (row) => {
    const drawn = whiskerOf(column.of(row) as number, column.whisker!(row), span);
    whisker.hidden = drawn === null;
    if (!drawn) return;
    mark.style.left = `${drawn.at - dot / 2}px`;
    bar.hidden = drawn.bar === null;
    if (!drawn.bar) return;
    const [from, to] = drawn.bar;
    bar.classList.toggle("short", drawn.isShort); // it stands out behind its dot
    bar.style.left = `${drawn.isShort ? from - 0.5 : from}px`;
    bar.style.width = `${drawn.isShort ? to - from + 1 : to - from}px`;
  };
}

function cellOf<Row>(column: Column<Row>, look: Look<Row>): [HTMLElement, Writer<Row>] {
  const isWide = column === look.wide;
  const cell = made(`cell${isWide ? " wide" : ""}${look.numbers.has(column.id) ? " number" : ""}`);
  cell.setAttribute("role", "gridcell");
  cell.style.width = `${column.width}px`;
  const span = look.spans.get(column.id);
  const whisker = column.whisker && span ? writerOfWhisker(cell, column, span) : undefined;
  const text = isWide ? writerOfName(cell) : writerOfText(cell);
  return [cell, (row) => {
    whisker?.(row);
    text(column.show(row));
  }];
}

/** The cells of one row, behind what the element holds already: `write` puts a row's figures into them. */
export function cellsIn<Row>(element: HTMLElement, look: Look<Row>): { write: (row: Row) => void; remove: () => void } {
  const own = look.columns.map((column) => cellOf(column, look));
  element.append(...own.map(([cell]) => cell));
  return {
    write: (row) => {
      for (const [, writer] of own) writer(row);
    },
    remove: () => {
      for (const [cell] of own) cell.remove();
    },
  };
}

/** What does not fit into its cell is told while the pointer is over it. */
export function tellWhole(event: Event): void {
  const cell = event.target instanceof Element ? event.target.closest<HTMLElement>("[role=gridcell]") : null;
  if (!cell) return;
  const isCut = [cell, ...cell.querySelectorAll<HTMLElement>(".start")].some((one) => one.scrollWidth > one.clientWidth);
  if (isCut) cell.title = cell.textContent;
  else cell.removeAttribute("title");
}
