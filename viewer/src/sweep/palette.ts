/** A row of colors from dark blue over green to yellow that tells numbers apart in gray too: viridis at five places. */
const k_stops = [
  [68, 1, 84],
  [59, 82, 139],
  [33, 145, 140],
  [94, 201, 98],
  [253, 231, 37],
];

/** The color of a part of the range, 0 to 1. */
export function shade(part: number): string {
  const place = (k_stops.length - 1) * Math.max(0, Math.min(1, part));
  const below = Math.min(k_stops.length - 2, Math.floor(place));
  const mix = place - below;
  const channels = k_stops[below].map((channel, i) => Math.round((1 - mix) * channel + mix * k_stops[below + 1][i]));
  return `rgb(${channels.join(" ")})`;
}
