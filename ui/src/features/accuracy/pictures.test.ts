// SPDX-License-Identifier: Apache-2.0
import { expect, it, vi } from "vitest";

vi.stubGlobal("document", { baseURI: "https://localhost/" });
const { isNamedAsPicture, pictureOf } = await import("./pictures");

it("asks for pictures of image files alone", () => {
  expect(["a/b.JPEG", "c.jpg", "d.png", "row 0", "e.png.npz", ""].map(isNamedAsPicture)).toEqual([true, true, true, false, false, false]);
});

it("knows where a sample's picture is", () => {
  expect(pictureOf("run 1", 7)).toBe("https://localhost/api/v1/workloads/run%201/samples/7/picture");
});
