import type { Scene } from "../contract";
import type { Actor } from "./actor";
import { linearTable, palettes, viridis } from "./colors";
import type { Coloring, Legend, Legends, Theme } from "./interface";
import type { Scales } from "./robot";
import { arrowScales, eachFieldValue, fieldRange, growArrows, type Range } from "./survey";

const k_nothing: Range = { min: 0, max: 0 };

/** What colours and lengths of arrows mean: ranges over all that is known of the runs, the same at all times. */
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

  legends(actors: Actor[], coloring: Coloring, theme: Theme): Legends {
    const palette = palettes[theme];
    const legend = (key: string, name: string, unit: string, colors: readonly string[]): Legend | null => {
      const range = this.ranges.get(key);
      if (!range || range.min === range.max) return null;
      const most = Math.max(Math.abs(range.min), Math.abs(range.max));
      const { min, max } = key === "pressure" ? { min: -most, max: most } : range;
      return { name, unit, min, max, colors: [...colors] };
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
    const tension = this.ranges.get("tension") ?? k_nothing;
    const pressure = this.ranges.get("pressure") ?? k_nothing;
    const most = Math.max(-pressure.min, pressure.max);
    return {
      field: scene.fields.findIndex(({ key }) => key === coloring),
      fieldScale: { ...(this.ranges.get(coloring) ?? k_nothing), table: this.tables.field },
      tension: { min: 0, max: tension.max > 0 ? tension.max : 1, table: this.tables.tension },
      pressure: { min: -most, max: most, table: this.tables.pressure },
      arrows: arrowScales(scene, this.largestArrows, arrowLength),
    };
  }
}
