// SPDX-License-Identifier: Apache-2.0

export type CsvCell = string | number;

/** Absent figures are empty cells; what a spreadsheet would take for a formula stands in quotation marks. */
export function cell(value: CsvCell): string {
  if (typeof value === "number") return Number.isNaN(value) ? "" : String(value);
  return /[",\n\r]/.test(value) || /^[=+@-]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
