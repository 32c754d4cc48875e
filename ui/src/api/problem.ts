// SPDX-License-Identifier: Apache-2.0

/** A sentence that people may read, with the status that it came with; 0: the server was not reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    sentence: string,
  ) {
    super(sentence);
  }
}
