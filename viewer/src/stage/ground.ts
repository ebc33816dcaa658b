import { BufferAttribute, BufferGeometry, Color, LineBasicMaterial, LineSegments } from "three";
import type { Palette } from "./colors";

/** The largest of 1, 2, 5 times a power of ten that is at most a length. */
export function roundLength(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const digit = length / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}

const k_pieces = 24;

/** A grid of squares of round size on the ground, that fades out with distance from its middle. */
export class Ground {
  /** Of the grid [m]. */
  radius = 1;
  height = 0;
  private middle = { x: 0, y: 0 };
  readonly lines = new LineSegments(
    new BufferGeometry(),
    new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }),
  );

  constructor() {
    this.lines.frustumCulled = false;
    this.lines.renderOrder = -1;
  }

  /** Lays the grid below balls x, y, z, radius. The world's z = 0 is the ground, unless something hangs through it or all fly far above. */
  layBelow(balls: ArrayLike<number>, reach: number, palette: Palette): void {
    let lowest = Infinity;
    let [x, y, z] = [0, 0, 0];
    for (let i = 0; i < balls.length; i += 4) {
      lowest = Math.min(lowest, balls[i + 2] - balls[i + 3]);
      x += (4 * balls[i]) / balls.length;
      y += (4 * balls[i + 1]) / balls.length;
      z += (4 * balls[i + 2]) / balls.length;
    }
    let spread = reach;
    for (let i = 0; i < balls.length; i += 4)
      spread = Math.max(spread, Math.hypot(balls[i] - x, balls[i + 1] - y, balls[i + 2] - z));
    this.height = lowest > -0.02 * reach && lowest < 0.6 * reach ? Math.min(0, lowest) : lowest - 0.06 * reach;
    this.middle = { x, y };
    this.radius = 1.5 * spread;
    this.draw(palette);
  }

  /** Whether all balls are above the grid, or what it fades into. */
  reaches(balls: ArrayLike<number>): boolean {
    for (let i = 0; i < balls.length; i += 4) {
      const far = Math.hypot(balls[i] - this.middle.x, balls[i + 1] - this.middle.y);
      if (far > this.radius || balls[i + 2] - balls[i + 3] < this.height) return false;
    }
    return true;
  }

  draw(palette: Palette): void {
    const { height, radius } = this;
    const { x, y } = this.middle;
    const cell = roundLength(radius / 5);
    const cells = Math.ceil(radius / cell);
    const middleX = Math.round(x / cell);
    const middleY = Math.round(y / cell);
    const positions: number[] = [];
    const colors: number[] = [];
    const weak = new Color(palette.grid);
    const strong = new Color(palette.gridStrong);
    const corner = (px: number, py: number, color: Color): void => {
      positions.push(px, py, height);
      const far = Math.hypot(px - x, py - y) / radius;
      colors.push(color.r, color.g, color.b, Math.max(0, 1 - far * far));
    };
    for (let line = -cells; line <= cells; line++) {
      for (let piece = 0; piece < k_pieces; piece++) {
        const from = (2 * piece * cells) / k_pieces - cells;
        const to = (2 * (piece + 1) * cells) / k_pieces - cells;
        const colorX = (middleX + line) % 5 === 0 ? strong : weak;
        const colorY = (middleY + line) % 5 === 0 ? strong : weak;
        corner((middleX + line) * cell, (middleY + from) * cell, colorX);
        corner((middleX + line) * cell, (middleY + to) * cell, colorX);
        corner((middleX + from) * cell, (middleY + line) * cell, colorY);
        corner((middleX + to) * cell, (middleY + line) * cell, colorY);
      }
    }
    this.lines.geometry.dispose();
    this.lines.geometry = new BufferGeometry();
    this.lines.geometry.setAttribute("position", new BufferAttribute(Float32Array.from(positions), 3));
    this.lines.geometry.setAttribute("color", new BufferAttribute(Float32Array.from(colors), 4));
  }

  dispose(): void {
    this.lines.geometry.dispose();
    this.lines.material.dispose();
  }
}
