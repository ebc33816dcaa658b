import type { PathSequence } from "../contract";
import { decodeArray } from "../data/packed";
import { indexAt, valueAt } from "../plots/series";

/** What is known of the points of a path, one number a row of the result. */
export interface Path {
  along: string;
  unit: string;
  times: ArrayLike<number>;
  parameter: ArrayLike<number>;
  branch: ArrayLike<number>;
  point: ArrayLike<number>;
  stability: ArrayLike<number>;
  branches: PathSequence["branches"];
}

export const stabilities = ["stable", "neutral", "unstable", "unknown"] as const;
export type StabilityName = (typeof stabilities)[number];

export async function decodePath(sequence: PathSequence, times: ArrayLike<number>, label: string): Promise<Path> {
  const numbers = (name: "parameter" | "branch" | "point" | "stability"): Promise<ArrayLike<number>> => decodeArray(sequence[name], `${label}: ${name}`);
  const [parameter, branch, point, stability] = await Promise.all([numbers("parameter"), numbers("branch"), numbers("point"), numbers("stability")]);
  for (const [name, values] of Object.entries({ parameter, branch, point, stability })) {
    if (values.length !== times.length) throw new Error(`${label}: ${name}: found ${values.length} numbers, expected ${times.length}`);
  }
  const { along, unit, branches } = sequence;
  return { along, unit, times, parameter, branch, point, stability, branches };
}

/** What the axis of a path says: "load factor". */
export function alongText(path: Pick<Path, "along">): string {
  return path.along === "load" ? "load factor" : path.along;
}

/** Stability between a point and the next: that of the one which is no fold or branch point, where it changes. */
export function stabilityAfter(path: Path, row: number): StabilityName {
  return stabilities[path.stability[path.point[row] === 0 ? row : Math.min(row + 1, path.stability.length - 1)]];
}

/** Rows from `first` to `last` of one branch whose stability is the same between all of them. */
export interface Piece {
  first: number;
  last: number;
  stability: StabilityName;
}

export function piecesOf(path: Path): Piece[] {
  const pieces: Piece[] = [];
  for (let row = 0; row + 1 < path.branch.length; row++) {
    if (path.branch[row] !== path.branch[row + 1]) continue;
    const stability = stabilityAfter(path, row);
    const before = pieces[pieces.length - 1];
    if (before && before.last === row && before.stability === stability) before.last = row + 1;
    else pieces.push({ first: row, last: row + 1, stability });
  }
  return pieces;
}

/** Times at which a branch begins that does not go on from the row before. */
export function jumpsOf(path: Path): number[] {
  return Array.from(path.times).filter((_, row) => row > 0 && path.branch[row] !== path.branch[row - 1]);
}

/** The row at or before a time, and the value of the parameter there. */
export function placeAt(path: Path, time: number): { row: number; parameter: number } {
  const row = indexAt(path.times, time);
  const next = row + 1 < path.times.length && path.branch[row + 1] === path.branch[row];
  const parameter = next ? valueAt({ times: path.times, values: path.parameter }, time) : path.parameter[row];
  return { row, parameter };
}
