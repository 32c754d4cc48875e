// SPDX-License-Identifier: Apache-2.0
// Folders and files on the server, and names for what is sent to it.
import type { Schemas } from "../../api/client";

export type Entry = Schemas["Entry"];
export type Listing = Schemas["Listing"];

/** A folder: one of the roots, and the way below it. Root empty: the list of roots. */
export interface Place {
  root: string;
  path: string;
}

export const roots: Place = { root: "", path: "" };

function below(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** The folder in which a path lies, below the longest root that has it. */
export function placeOfPath(path: string, known: readonly string[]): Place {
  const root = known.filter((one) => below(path, one)).sort((a, b) => b.length - a.length)[0];
  if (root === undefined || path === root) return root === undefined ? roots : { root, path: "" };
  const inside = path.slice(root.length).replace(/^\/+|\/+$/g, "");
  return { root, path: inside.split("/").slice(0, -1).join("/") };
}

/** Where a folder of a listing leads. */
export function inside(listing: Pick<Listing, "root" | "path">, entry: Entry): Place {
  if (listing.root === "") return { root: entry.path, path: "" };
  return { root: listing.root, path: listing.path ? `${listing.path}/${entry.name}` : entry.name };
}

/** The folder around a listing; null: there is none. */
export function above(listing: Pick<Listing, "root" | "path" | "up">): Place | null {
  if (listing.root === "") return null;
  return listing.up === null ? roots : { root: listing.root, path: listing.up };
}

export interface Crumb {
  title: string;
  place: Place;
}

export function crumbsOf(listing: Pick<Listing, "root" | "path">): Crumb[] {
  const crumbs: Crumb[] = [{ title: "Folders", place: roots }];
  if (listing.root === "") return crumbs;
  crumbs.push({ title: rootTitle(listing.root), place: { root: listing.root, path: "" } });
  const parts = listing.path.split("/").filter(Boolean);
  parts.forEach((title, index) => crumbs.push({ title, place: { root: listing.root, path: parts.slice(0, index + 1).join("/") } }));
  return crumbs;
}

function rootTitle(root: string): string {
  return root.slice(root.lastIndexOf("/") + 1) || root;
}

/** The path of the folder that a listing is of. */
export function folderPath(listing: Pick<Listing, "root" | "path">): string {
  return listing.path ? `${listing.root.replace(/\/$/, "")}/${listing.path}` : listing.root;
}

export function hasEnding(name: string, endings: readonly string[]): boolean {
  return endings.length === 0 || endings.some((ending) => name.toLowerCase().endsWith(ending));
}

/** Folders, and files of these endings with this text in their name. */
export function filtered(entries: readonly Entry[], endings: readonly string[], text: string): Entry[] {
  const wanted = text.trim().toLowerCase();
  return entries.filter((entry) => (entry.kind === "folder" || hasEnding(entry.name, endings)) && entry.name.toLowerCase().includes(wanted));
}

export const uploadEndings = [".onnx", ".npz", ".npy", ".yaml", ".yml", ".json"] as const;

/** A name as the server takes it. */
export function uploadName(name: string): string {
  const dot = name.lastIndexOf(".");
  const [stem, ending] = dot < 0 ? [name, ""] : [name.slice(0, dot), name.slice(dot).toLowerCase()];
  const made = stem.replace(/[^A-Za-z0-9._-]+/g, "_").replace(/^[^A-Za-z0-9]+/, "").slice(0, 180);
  return (made || "upload") + ending;
}

/** "net-2.onnx" where "net.onnx" is there already. */
export function freeName(name: string, taken: readonly string[]): string {
  const dot = name.lastIndexOf(".");
  for (let number = 1; ; ++number) {
    const tried = number === 1 ? name : `${name.slice(0, dot)}-${number}${name.slice(dot)}`;
    if (!taken.includes(tried)) return tried;
  }
}

/** What the server would refuse, before a byte is sent; empty: nothing. */
export function uploadProblem(name: string, bytes: number, most: number): string {
  if (!uploadEndings.some((ending) => name.endsWith(ending)) ) return `${name}: a file to upload ends in ${uploadEndings.join(", ")}.`;
  if (bytes === 0) return `${name} is empty.`;
  if (bytes <= most) return "";
  return `${name} is larger than an upload may be; start the server with a larger --upload-limit, or give the path of a file there.`;
}
