// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";

import { askedOf, isFiltered, joined, neighbour, nextOffset, noFilter, stepped, tagsOf } from "./paging";
import { runOf } from "./testing";

const all = ["a", "b", "c", "d", "e"].map((id) => runOf(id));
const ids = (runs: readonly { id: string }[] | null) => runs?.map((run) => run.id).join("") ?? null;

describe("pages", () => {
  it("join where the next begins with what is known", () => {
    expect(nextOffset(3)).toBe(1);
    expect(ids(joined(all.slice(0, 3), all.slice(1, 5)))).toBe("abcde");
    expect(ids(joined([], all))).toBe("abcde");
    expect(ids(joined(all.slice(0, 1), all.slice(0, 2)))).toBe("ab");
  });
  it("do not join where runs came or went unseen", () => {
    expect(joined(all.slice(0, 3), all.slice(2, 5))).toBeNull();
    expect(joined(all.slice(0, 3), [])).toBeNull();
  });
  it("are asked for without what is not said", () => {
    expect(askedOf({ ...noFilter, q: "  net ", tag: "good" })).toEqual({ q: "net", verb: undefined, state: undefined, tag: "good" });
    expect(isFiltered({ ...noFilter, q: " " })).toBe(false);
    expect(isFiltered({ ...noFilter, state: "wip" })).toBe(true);
  });
});

describe("the selection", () => {
  it("goes to the next run when its own is gone, to the one above at the end", () => {
    expect(neighbour(all, "b")).toBe("c");
    expect(neighbour(all, "e")).toBe("d");
    expect(neighbour(all.slice(0, 1), "a")).toBeNull();
    expect(neighbour(all, "x")).toBe("a");
    expect(neighbour([], "x")).toBeNull();
  });
  it("walks by keys and stays inside", () => {
    expect(stepped("ArrowDown", 0, 5)).toBe(1);
    expect(stepped("ArrowDown", 4, 5)).toBe(4);
    expect(stepped("ArrowUp", 0, 5)).toBe(0);
    expect(stepped("End", 1, 5)).toBe(4);
    expect(stepped("Home", 3, 5)).toBe(0);
    expect(stepped("ArrowDown", -1, 5)).toBe(0);
    expect(stepped("ArrowUp", -1, 5)).toBe(4);
    expect(stepped("x", 1, 5)).toBeNull();
    expect(stepped("ArrowDown", -1, 0)).toBeNull();
  });
});

it("tags are gathered over pages, in the order in which people count", () => {
  expect(tagsOf(["v10"], [runOf("a", { tags: ["v9", "v10"] }), runOf("b")])).toEqual(["v9", "v10"]);
  expect(tagsOf([], [])).toEqual([]);
});
