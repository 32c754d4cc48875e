// SPDX-License-Identifier: Apache-2.0
// A pen that writes SVG in place of pixels, and with it a whole scene as a file.
import { paint } from "./paint";
import { noMarks, type Pen, type Picture } from "./paint-look";
import { Visible } from "./visible";

const near = (value: number) => String(Math.round(value * 10) / 10);
const escaped = (text: string) => text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`).replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, "");

export class SvgPen implements Pen {
  fillStyle = "#000";
  strokeStyle = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "10px sans-serif";
  textAlign: CanvasTextAlign = "left";
  textBaseline: CanvasTextBaseline = "alphabetic";
  readonly parts: string[] = [];
  right = 0; // how far words reach
  private path: string[] = [];
  private dash = "";

  beginPath(): void {
    this.path = [];
  }
  moveTo(x: number, y: number): void {
    this.path.push(`M${near(x)} ${near(y)}`);
  }
  lineTo(x: number, y: number): void {
    this.path.push(`L${near(x)} ${near(y)}`);
  }
  quadraticCurveTo(x: number, y: number, toX: number, toY: number): void {
    this.path.push(`Q${near(x)} ${near(y)} ${near(toX)} ${near(toY)}`);
  }
  closePath(): void {
    this.path.push("Z");
  }
  rect(x: number, y: number, width: number, height: number): void {
    this.path.push(`M${near(x)} ${near(y)}h${near(width)}v${near(height)}h${near(-width)}Z`);
  }
  roundRect(x: number, y: number, width: number, height: number, radius: number): void {
    const r = Math.min(radius, width / 2, height / 2);
    const [across, down] = [near(width - 2 * r), near(height - 2 * r)];
    const corner = (dx: number, dy: number) => `a${near(r)} ${near(r)} 0 0 1 ${near(dx)} ${near(dy)}`;
    const right = `h${across}${corner(r, r)}v${down}${corner(-r, r)}`;
    this.path.push(`M${near(x + r)} ${near(y)}${right}h-${across}${corner(-r, -r)}v-${down}${corner(r, -r)}Z`);
  }
  fillRect(x: number, y: number, width: number, height: number): void {
    this.beginPath();
    this.rect(x, y, width, height);
    this.fill();
  }
  setLineDash(lengths: number[]): void {
    this.dash = lengths.length > 0 ? ` stroke-dasharray="${lengths.join(" ")}"` : "";
  }
  fill(): void {
    this.write(`fill="${this.fillStyle}"`);
  }
  stroke(): void {
    this.write(`fill="none" stroke="${this.strokeStyle}" stroke-width="${near(this.lineWidth)}"${this.dash}`);
  }
  fillText(text: string, x: number, y: number): void {
    this.writeText(text, x, y, `fill="${this.fillStyle}"`);
  }
  strokeText(text: string, x: number, y: number): void {
    this.writeText(text, x, y, `fill="none" stroke="${this.strokeStyle}" stroke-width="${near(this.lineWidth)}" stroke-linejoin="round"`);
  }

  private writeText(text: string, x: number, y: number, how: string): void {
    if (text === "") return;
    if (this.textAlign === "left") this.right = Math.max(this.right, x + text.length * 6.5);
    const anchor = { left: "start", center: "middle", right: "end", start: "start", end: "end" }[this.textAlign];
    this.parts.push(
      `<text x="${near(x)}" y="${near(y)}" style="font:${this.font}" text-anchor="${anchor}" dominant-baseline="central" ` +
        `${how}${this.opacity}>${escaped(text)}</text>`,
    );
  }

  private get opacity(): string {
    return this.globalAlpha === 1 ? "" : ` opacity="${this.globalAlpha}"`;
  }
  private write(how: string): void {
    if (this.path.length > 0) this.parts.push(`<path d="${this.path.join("")}" ${how}${this.opacity}/>`);
  }
}

/** The whole scene as near as it is drawn; `caption`: lines below it. */
export function svgOf(picture: Picture, visible: Visible, caption: readonly string[]): string {
  const { scene, palette } = picture;
  const [margin, line] = [16, 15];
  const pen = new SvgPen();
  const camera = { x: scene.width / 2, y: scene.height / 2, zoom: 1 };
  paint(pen, picture, visible.look(camera, { width: scene.width + 2 * margin, height: scene.height + 2 * margin }), noMarks, 1);
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "left";
  pen.fillStyle = palette.muted;
  caption.forEach((text, index) => pen.fillText(text, 0, scene.height + margin + (index + 0.5) * line));
  const [width, height] = [Math.max(scene.width, pen.right) + 2 * margin, scene.height + 2 * margin + caption.length * line];
  const box = `${-margin} ${-margin} ${near(width)} ${near(height)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" width="${near(width)}" height="${near(height)}">`,
    `<rect x="${-margin}" y="${-margin}" width="${near(width)}" height="${near(height)}" fill="${palette.panel}"/>`,
    ...pen.parts,
    "</svg>",
    "",
  ].join("\n");
}
