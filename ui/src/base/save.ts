// SPDX-License-Identifier: Apache-2.0
// Tables and pictures as files of one's own.

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

/** At twice its size, on the panel's colour. Colours are those that the page shows now. */
export async function savePicture(name: string, element: SVGSVGElement | HTMLCanvasElement): Promise<void> {
  const canvas = document.createElement("canvas");
  const box = element.getBoundingClientRect();
  const scale = element instanceof HTMLCanvasElement ? element.width / box.width : 2;
  canvas.width = Math.max(1, Math.round(box.width * scale));
  canvas.height = Math.max(1, Math.round(box.height * scale));
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.fillStyle = colour(element, "--panel");
  pen.fillRect(0, 0, canvas.width, canvas.height);
  const source = element instanceof HTMLCanvasElement ? element : await drawn(element, canvas.width, canvas.height);
  pen.drawImage(source, 0, 0, canvas.width, canvas.height);
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
