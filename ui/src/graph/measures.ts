// SPDX-License-Identifier: Apache-2.0
// Distances in a scene, in its units.

export const padding = 14; // of a group, around what is in it
export const titleHeight = 22; // of an open group, above that
export const sideGap = 18; // between boxes in a row
export const rowGap = 28; // between rows, at least
export const widestGap = 72; // where wires run far to the side
export const bendWidth = 2;
export const laneGap = 7; // between wires that run side by side
export const gutter = 24; // between columns, beside the lanes in it
