import type { Scene } from "../contract";
import type { Actor } from "./actor";
import { linearTable, palettes, viridis } from "./colors";
import { roundLength } from "./ground";
import type { Coloring, Legend, Legends, Theme } from "./interface";
import type { Scales } from "./robot";
import { arrowScales, eachFieldValue, fieldRange, growArrows, type Range } from "./survey";

const k_nothing: Range = { min: 0, max: 0 };
/** A side of zero that is smaller than this share of the other is rounding, not worth a part of the legend. */
const k_noise = 0.01;

/** The range with zero in it, out to whole steps of 1, 2 or 5 times a power of ten: a legend's numbers are short. */
export function roundedRange({ min, max }: Range): Range {
  let low = Math.min(0, min);
  let high = Math.max(0, max);
  if (-low < k_noise * high) low = 0;
  if (high < k_noise * -low) high = 0;
  if (low === high) return k_nothing;
  const step = roundLength((high - low) / 5);
  const whole = (value: number): number => Number((Math.ceil(value / step - 1e-6) * step).toPrecision(3));
  // not minus zero
  return { min: low < 0 ? -whole(-low) : 0, max: whole(high) };
}

/** What colors and lengths of arrows mean: ranges over all that is known of the runs, the same at all times. */
export class Ranges {
  private readonly ranges = new Map<string, Range>();
  private readonly largestArrows = new Map<string, number>();
  private tables: { theme: Theme; field: Float32Array; tension: Float32Array; pressure: Float32Array } | null = null;

  /** Begins anew, with all that the runs' samples hold. */
  survey(actors: Actor[]): void {
    this.ranges.clear();
    this.largestArrows.clear();
    const known = actors.map((actor) => ({ scene: actor.run.scene, vectors: actor.samples }));
    for (const key of ["energy", "curvature"]) {
      const range = fieldRange(known, key);
      if (range) this.ranges.set(key, range);
    }
    for (const { scene, vectors } of known) for (const vector of vectors) this.growItems(scene, vector);
  }

  private widen(key: string, min: number, max: number): boolean {
    const range = this.ranges.get(key);
    const { min: low, max: high } = range ?? k_nothing;
    if (range && min >= low && max <= high) return false;
    this.ranges.set(key, { min: Math.min(low, min), max: Math.max(high, max) });
    return true;
  }

  /** Widens ranges of tension, pressure and arrows by a frame vector; true if one grew. */
  private growItems(scene: Scene, vector: Float32Array): boolean {
    let grew = growArrows(scene, vector, this.largestArrows);
    for (const { tension } of scene.tendons) grew = this.widen("tension", vector[tension], vector[tension]) || grew;
    for (const { pressure } of scene.chambers)
      grew = this.widen("pressure", vector[pressure], vector[pressure]) || grew;
    return grew;
  }

  /** Live: widens all ranges by a frame vector; true if one that is shown grew. */
  grow(scene: Scene, vector: Float32Array, coloring: Coloring): boolean {
    let grew = this.growItems(scene, vector);
    scene.fields.forEach(({ key }, field) => {
      let min = 0;
      let max = 0;
      eachFieldValue(scene, field, vector, (value) => {
        min = Math.min(min, value);
        max = Math.max(max, value);
      });
      if (this.widen(key, min, max) && coloring === key) grew = true;
    });
    return grew;
  }

  /** What a color map spans: of pressure as much below zero as above. */
  private shown(key: string): Range {
    const range = this.ranges.get(key) ?? k_nothing;
    const most = Math.max(-range.min, range.max);
    return roundedRange(key === "pressure" ? { min: -most, max: most } : range);
  }

  legends(actors: Actor[], coloring: Coloring, theme: Theme): Legends {
    const palette = palettes[theme];
    const legend = (key: string, name: string, unit: string, colors: readonly string[]): Legend | null => {
      const { min, max } = this.shown(key);
      return min === max ? null : { name, unit, min, max, colors: [...colors] };
    };
    const field = actors.flatMap(({ run }) => run.scene.fields).find(({ key }) => key === coloring);
    return {
      coloring: field ? legend(field.key, field.name, field.unit, viridis) : null,
      tension: legend("tension", "tension", "N", palette.tension),
      pressure: legend("pressure", "pressure", "Pa", palette.pressure),
    };
  }

  /** @param arrowLength of the largest load [m] */
  scales(scene: Scene, coloring: Coloring, theme: Theme, arrowLength: number): Scales {
    if (this.tables?.theme !== theme) {
      const [field, tension, pressure] = [viridis, palettes[theme].tension, palettes[theme].pressure].map((map) =>
        linearTable(map),
      );
      this.tables = { theme, field, tension, pressure };
    }
    const tension = this.shown("tension");
    return {
      field: scene.fields.findIndex(({ key }) => key === coloring),
      fieldScale: { ...this.shown(coloring), table: this.tables.field },
      // all without tension: slack, not half taut
      tension: { ...(tension.min < tension.max ? tension : { min: 0, max: 1 }), table: this.tables.tension },
      pressure: { ...this.shown("pressure"), table: this.tables.pressure },
      arrows: arrowScales(scene, this.largestArrows, arrowLength),
    };
  }
}
