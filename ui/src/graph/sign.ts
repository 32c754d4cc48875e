// SPDX-License-Identifier: Apache-2.0
// The plus of a group that opens and the minus of one that closes.

export const edge = 8; // units, to the left of it
export const signSize = 8;
export const signRoom = signSize + 8;
export const titleMiddle = 14; // below the upper edge of a box

/** Whether a point, in units from the corner of a group's box or frame, is at its plus or minus. */
export function isAtSign(x: number, y: number): boolean {
  return x < edge + signRoom && y < titleMiddle * 2;
}
