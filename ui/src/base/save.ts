// SPDX-License-Identifier: Apache-2.0
// Tables and pictures as files of one's own.
import { wrapped } from "./caption";

export function save(name: string, contents: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(contents);
  link.download = name.replace(/[^\w.-]+/g, "_");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function saveText(name: string, text: string, type = "text/csv"): void {
  save(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

const caption = { font: 11, line: 15, edge: 8 }; // pixels of the page

/** At twice its size, on the panel's colour, with its caption below. Colours are those that the page shows now. */
export async function savePicture(name: string, element: SVGSVGElement | HTMLCanvasElement, told: readonly string[] = []): Promise<void> {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const box = element.getBoundingClientRect();
  const scale = element instanceof HTMLCanvasElement ? element.width / box.width : 2;
  const font = `${caption.font * scale}px system-ui, sans-serif`;
  const [width, height, edge] = [Math.max(1, Math.round(box.width * scale)), Math.max(1, Math.round(box.height * scale)), caption.edge * scale];
  pen.font = font;
  const lines = told.flatMap((text) => wrapped(text, width - 2 * edge, (part) => pen.measureText(part).width));
  canvas.width = width;
  canvas.height = height + (lines.length > 0 ? lines.length * caption.line * scale + 2 * edge : 0);
  pen.fillStyle = colour(element, "--panel");
  pen.fillRect(0, 0, canvas.width, canvas.height);
  const source = element instanceof HTMLCanvasElement ? element : await drawn(element, width, height);
  pen.drawImage(source, 0, 0, width, height);
  pen.font = font; // a canvas that gets a size forgets it
  pen.fillStyle = colour(element, "--muted");
  pen.textBaseline = "top";
  lines.forEach((line, index) => pen.fillText(line, edge, height + edge + index * caption.line * scale));
  const made = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (made) save(name, made);
}

/** A custom property of the theme as a colour that canvases take. */
export function colour(element: Element, property: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${property})`;
  element.parentElement?.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

const kept = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "font-family", "font-size", "font-weight", "text-anchor",
  "fill-opacity", "stroke-opacity", "dominant-baseline", "visibility"];

/** The page's styles do not reach into a picture, so that each element is given its own. */
async function drawn(element: SVGSVGElement, width: number, height: number): Promise<HTMLImageElement> {
  const copy = element.cloneNode(true) as SVGSVGElement;
  const [from, to] = [element.querySelectorAll("*"), copy.querySelectorAll("*")];
  from.forEach((one, index) => {
    const style = getComputedStyle(one);
    const target = to[index];
    if (target instanceof SVGElement) for (const property of kept) target.style.setProperty(property, style.getPropertyValue(property));
  });
  const box = element.getBoundingClientRect();
  if (!copy.hasAttribute("viewBox")) copy.setAttribute("viewBox", `0 0 ${box.width} ${box.height}`);
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  return image;
}
