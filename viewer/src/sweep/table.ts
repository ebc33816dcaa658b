import type { SweepPage } from "../contract";
import { decodeArray, type Numbers } from "../data/packed";
import { scalingFor, type Scaling } from "../ui/units";

/** A column with its numbers. */
export interface Column {
  name: string;
  unit: string;
  kind: "varied" | "kept" | "other";
  values: Numbers;
}

/** The rows of a sweep. */
export interface Rows {
  columns: Column[];
  /** 0 complete, 1 failed, 2 killed. */
  status: Numbers;
  /** Numbers of the runs. */
  numbers: Numbers;
}

export async function decodeRows(page: SweepPage): Promise<Rows> {
  const columns = await Promise.all(page.columns.map(async ({ name, unit, kind, values }) => ({ name, unit, kind, values: await decodeArray(values, name) })));
  const numbers = columns.find(({ name, kind }) => name === "row" && kind === "other");
  if (!numbers) throw new Error("columns: found none with the name 'row', expected the numbers of the runs");
  return { columns, status: await decodeArray(page.status, "status"), numbers: numbers.values };
}

/** Smallest and largest finite number; null: there is none. */
export function span(values: ArrayLike<number>): [number, number] | null {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) continue;
    low = Math.min(low, values[i]);
    high = Math.max(high, values[i]);
  }
  return low <= high ? [low, high] : null;
}

/** How a column's numbers are shown. */
export function scalingOf({ unit, values }: Pick<Column, "unit" | "values">): Scaling {
  const range = span(values);
  return scalingFor(unit, range ? Math.max(Math.abs(range[0]), Math.abs(range[1])) : 0);
}

/** Numbers 1, 2 or 5 times a power of ten from low to high, about `count` of them. */
export function niceTicks(low: number, high: number, count: number): { step: number; values: number[] } {
  const raw = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999) ?? 10);
  const values = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) values.push(i * step);
  return { step, values };
}
