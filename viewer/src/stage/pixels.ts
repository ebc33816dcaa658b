import type { PixelStatistics } from "./interface";

/** Statistics of what was just drawn. @param background "#rrggbb" */
export function pixelStatistics(
  gl: WebGLRenderingContext | WebGL2RenderingContext,
  background: string,
): PixelStatistics {
  const { drawingBufferWidth: width, drawingBufferHeight: height } = gl;
  const pixels = new Uint8Array(4 * width * height);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  const [red, green, blue] = [1, 3, 5].map((place) => parseInt(background.slice(place, place + 2), 16));
  const colors = new Set<number>();
  let covered = 0;
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < pixels.length; i += 4) {
    const [r, g, b] = [pixels[i], pixels[i + 1], pixels[i + 2]];
    if (Math.abs(r - red) + Math.abs(g - green) + Math.abs(b - blue) > 6) covered++;
    colors.add(((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3));
    const luma = 0.299 * r + 0.587 * g + 0.114 * b;
    sum += luma;
    squares += luma * luma;
  }
  const count = width * height;
  const mean = sum / count;
  const deviation = Math.sqrt(Math.max(0, squares / count - mean * mean));
  return { width, height, covered: covered / count, colors: colors.size, mean, deviation };
}
