/** Whether WebGL is done by a program on the processor. */
export function drawsInSoftware(): boolean {
  return (known ??= asked());
}

let known: boolean | undefined;

function asked(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl?.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/** Sides of something round: fewer where a program draws, which takes microseconds for each triangle. */
export function roundSides(sides: number): number {
  return drawsInSoftware() ? 2 * Math.round(0.3 * sides) : sides;
}
