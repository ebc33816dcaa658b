import { type Samples, valueAt } from "./series";

/** A column of a table. */
export interface Column {
  name: string;
  unit: string;
  samples: Samples;
}

/** The shortest text that reads back as the same double; empty where there is no value. */
function numeral(value: number): string {
  return Number.isNaN(value) ? "" : String(value);
}

function cell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Columns as CSV at the times of all of them; a column is interpolated at times that only others have. */
export function csvText(columns: Column[]): string {
  const sets = [...new Set(columns.map(({ samples }) => samples.times))];
  const times = sets.length === 1 ? Array.from(sets[0]) : [...new Set(sets.flatMap((set) => Array.from(set)))].sort((a, b) => a - b);
  const lines = [["time [s]", ...columns.map(({ name, unit }) => (unit ? `${name} [${unit}]` : name))].map(cell).join(",")];
  for (let row = 0; row < times.length; row++) {
    const values = columns.map(({ samples }) => (sets.length === 1 ? samples.values[row] : valueAt(samples, times[row])));
    lines.push([times[row], ...values].map(numeral).join(","));
  }
  return lines.join("\n") + "\n";
}
