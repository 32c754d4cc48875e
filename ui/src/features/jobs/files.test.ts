// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { above, crumbsOf, filtered, folderPath, freeName, inside, placeOfPath, roots, uploadName, uploadProblem, type Entry } from "./files";

const entry = (name: string, kind: Entry["kind"] = "file"): Entry => ({ name, path: `/data/a/${name}`, kind, bytes: 1, modified: "" });

describe("folders", () => {
  const listing = { root: "/data", path: "a/b", up: "a" };
  it("lead down and up", () => {
    expect(inside(listing, entry("c", "folder"))).toEqual({ root: "/data", path: "a/b/c" });
    expect(inside({ root: "/data", path: "" }, entry("c", "folder"))).toEqual({ root: "/data", path: "c" });
    expect(inside(roots, { ...entry("/data", "folder"), path: "/data" })).toEqual({ root: "/data", path: "" });
    expect(above(listing)).toEqual({ root: "/data", path: "a" });
    expect(above({ root: "/data", path: "", up: null })).toEqual(roots);
    expect(above({ root: "", path: "", up: null })).toBeNull();
  });
  it("have crumbs and a path", () => {
    expect(crumbsOf(listing).map((crumb) => crumb.title)).toEqual(["Folders", "data", "a", "b"]);
    expect(crumbsOf(listing).at(-1)?.place).toEqual({ root: "/data", path: "a/b" });
    expect(crumbsOf(roots).length).toBe(1);
    expect(folderPath(listing)).toBe("/data/a/b");
    expect(folderPath({ root: "/", path: "a" })).toBe("/a");
  });
  it("are found by a path in them", () => {
    expect(placeOfPath("/data/x/y.onnx", ["/data", "/data/x", "/w"])).toEqual({ root: "/data/x", path: "" });
    expect(placeOfPath("/data/p/q/y.onnx", ["/data"])).toEqual({ root: "/data", path: "p/q" });
    expect(placeOfPath("/database/y.onnx", ["/data"])).toEqual(roots);
    expect(placeOfPath("/data", ["/data"])).toEqual({ root: "/data", path: "" });
    expect(placeOfPath("", ["/data"])).toEqual(roots);
  });
  it("are shown with the files that are looked for", () => {
    const all = [entry("nets", "folder"), entry("Net.ONNX"), entry("net.npz")];
    expect(filtered(all, [".onnx"], "").map((one) => one.name)).toEqual(["nets", "Net.ONNX"]);
    expect(filtered(all, [], " NET.").map((one) => one.name)).toEqual(["Net.ONNX", "net.npz"]);
    expect(filtered([], [".onnx"], "x")).toEqual([]);
  });
});

describe("an upload", () => {
  it("has a name that the server takes", () => {
    expect(uploadName("my net (1).ONNX")).toBe("my_net_1_.onnx");
    expect(uploadName("../.hidden.npz")).toBe("hidden.npz");
    expect(uploadName("ä.onnx")).toBe("upload.onnx");
    expect(uploadName("x".repeat(300) + ".onnx").length).toBe(185);
  });
  it("takes no other's place unasked", () => {
    expect(freeName("net.onnx", [])).toBe("net.onnx");
    expect(freeName("net.onnx", ["net.onnx", "net-2.onnx"])).toBe("net-3.onnx");
  });
  it("is refused before it is sent", () => {
    expect(uploadProblem("net.onnx", 10, 100)).toBe("");
    expect(uploadProblem("net.onnx", 0, 100)).toContain("empty");
    expect(uploadProblem("net.onnx", 101, 100)).toContain("--upload-limit");
    expect(uploadProblem("net.onnx.data", 10, 100)).toContain("ends in .onnx");
  });
});
