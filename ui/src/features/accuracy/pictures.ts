// SPDX-License-Identifier: Apache-2.0
// The picture of a sample, where the data are images.
import { addressOf, get, workloadPath } from "../../api/client";
import { isReport } from "../../api/stored";

function path(run: string, sample: number): string {
  return workloadPath(run, `/samples/${sample}/picture`);
}

export function pictureOf(run: string, sample: number): string {
  return addressOf(path(run, sample));
}

/** Whether a sample is a file of its own that may be one. */
export function isNamedAsPicture(name: string): boolean {
  return /\.(jpe?g|png)$/i.test(name);
}

/** Empty where there is one, else a sentence: why there is none. */
export async function whyNone(run: string, sample: number, signal: AbortSignal): Promise<string> {
  if (isReport()) return "Pictures of samples are not in a report.";
  const image = new Image();
  image.src = pictureOf(run, sample);
  try {
    await image.decode();
    return "";
  } catch {
    try {
      await get(path(run, sample), {}, signal);
      return "The picture cannot be shown.";
    } catch (problem) {
      return (problem as Error).message;
    }
  }
}
