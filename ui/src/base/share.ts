// SPDX-License-Identifier: Apache-2.0
// What "Output share" means, wherever it stands.

/** Where there is room for a line. */
export const shareBriefly = "estimated: the outputs' error apportioned by each op's own part";

/** Findings have a measured figure beside it. */
export const shareMeaning = `${shareBriefly}; what an op in float really takes away is measured in the findings and may differ`;
