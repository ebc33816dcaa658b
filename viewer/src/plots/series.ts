import type { Curve, Run } from "../contract";
import { decodeArray } from "../data/packed";

/** Numbers over ascending times. */
export interface Samples {
  times: ArrayLike<number>;
  values: ArrayLike<number>;
}

/** A curve that can be shown: of one run, or of two that have it both. */
export interface NamedCurve {
  name: string;
  unit: string;
  group: string;
  groupTitle: string;
  shown: boolean;
  /** Its numbers say nothing, in any run. */
  noise?: Curve["noise"];
  /** The curve of each run; null: that run has none of this name. */
  ofRun: (Curve | null)[];
}

/** Why curves are not shown by themselves. */
export function noiseText(noise: NonNullable<Curve["noise"]>): string {
  return noise === "zero" ? "zero" : "only rounding";
}

/** Index of the last time that is not after `time`; 0 before the first. */
export function indexAt(times: ArrayLike<number>, time: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Value at a time: linear between samples, NaN outside of them. */
export function valueAt({ times, values }: Samples, time: number): number {
  const last = times.length - 1;
  // what a page rounds must not fall off its end
  const slack = 1e-9 * Math.max(1, Math.abs(times[last]));
  if (last < 0 || time < times[0] - slack || time > times[last] + slack) return NaN;
  const index = indexAt(times, time);
  if (index === last || times[index] >= time) return values[index];
  const part = (time - times[index]) / (times[index + 1] - times[index]);
  return values[index] + part * (values[index + 1] - values[index]);
}

/** second - first at the times of the first, where the second is known; interpolates if their times differ. */
export function difference(first: Samples, second: Samples): Samples {
  const values = Float64Array.from(first.times, (time, i) => valueAt(second, time) - first.values[i]);
  return { times: first.times, values };
}

/** Curves of one or two runs, unpacked when they are asked for. */
export class Series {
  readonly curves: NamedCurve[];
  private readonly unpacked = new Map<Curve, Promise<ArrayLike<number>>>();

  private constructor(
    private readonly runs: Run[],
    /** Times of the rows of each run. */
    readonly times: ArrayLike<number>[],
  ) {
    this.curves = namedCurves(runs);
  }

  static async decode(runs: Run[]): Promise<Series> {
    return new Series(runs, await Promise.all(runs.map((run) => decodeArray(run.series.times, `${run.label}: times of curves`))));
  }

  /** Samples of a curve in each run; null: that run has none. */
  samples(curve: NamedCurve): Promise<(Samples | null)[]> {
    return Promise.all(
      curve.ofRun.map(async (packed, run) => packed && { times: this.times[run], values: await this.unpack(packed, this.runs[run]) }),
    );
  }

  /** The curve of a name, or an error that says so. */
  find(name: string): NamedCurve {
    const curve = this.curves.find((candidate) => candidate.name === name);
    if (!curve) throw new Error(`curve: found '${name}', expected one of ${this.curves.map((known) => known.name).join(", ")}`);
    return curve;
  }

  private unpack(curve: Curve, run: Run): Promise<ArrayLike<number>> {
    let values = this.unpacked.get(curve);
    if (!values) {
      values = decodeArray(curve.values, `${run.label}: ${curve.name}`);
      this.unpacked.set(curve, values);
    }
    return values;
  }
}

function namedCurves(runs: Run[]): NamedCurve[] {
  const known = new Map<string, NamedCurve>();
  runs.forEach((run, index) => {
    for (const group of run.series.groups) {
      for (const curve of group.curves) {
        const key = `${group.key}/${curve.name}/${curve.unit}`;
        let named = known.get(key);
        if (!named) {
          const ofRun = runs.map(() => null);
          named = { name: curve.name, unit: curve.unit, group: group.key, groupTitle: group.title, shown: false, noise: curve.noise, ofRun };
          known.set(key, named);
        }
        named.ofRun[index] = curve;
        named.noise &&= curve.noise;
        named.shown ||= curve.shown;
      }
    }
  });
  return [...known.values()];
}
