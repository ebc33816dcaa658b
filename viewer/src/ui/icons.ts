/** Icons of one hand: 20 by 20, drawn with a line. */
const paths = {
  play: '<path d="M6 4.2v11.6L15.6 10z" fill="currentColor" stroke-linejoin="round"/>',
  pause: '<path d="M6.8 4.5v11M13.2 4.5v11" stroke-width="2.6"/>',
  stepBack: '<path d="M14.5 4.8v10.4L7.6 10z" fill="currentColor" stroke-linejoin="round"/><path d="M5 4.8v10.4"/>',
  stepForward: '<path d="M5.5 4.8v10.4L12.4 10z" fill="currentColor" stroke-linejoin="round"/><path d="M15 4.8v10.4"/>',
  loop: '<path d="M4 9.5V8.3a2.8 2.8 0 0 1 2.8-2.8H15M16 10.5v1.2a2.8 2.8 0 0 1-2.8 2.8H5"/><path d="m12.8 3.2 2.4 2.3-2.4 2.3M7.2 12.2l-2.4 2.3 2.4 2.3"/>',
  camera: '<path d="m10 2.8 6.4 3.6v7.2L10 17.2l-6.4-3.6V6.4z"/><path d="M3.6 6.4 10 10l6.4-3.6M10 10v7.2"/>',
  fit: '<path d="M3.5 7V4.7c0-.7.5-1.2 1.2-1.2H7M13 3.5h2.3c.7 0 1.2.5 1.2 1.2V7M16.5 13v2.3c0 .7-.5 1.2-1.2 1.2H13M7 16.5H4.7c-.7 0-1.2-.5-1.2-1.2V13"/><circle cx="10" cy="10" r="2.6"/>',
  palette: '<path d="M10 2.6c3 3.6 5 6 5 8.9a5 5 0 0 1-10 0c0-2.9 2-5.3 5-8.9z"/><path d="M10 6.6v9.9" /><path d="M10 16.5a5 5 0 0 0 5-5c0-1.6-.6-3-1.6-4.5z" fill="currentColor" stroke="none" opacity=".35"/>',
  layers: '<path d="m10 3 7 3.7-7 3.7-7-3.7z"/><path d="m3 10.2 7 3.7 7-3.7M3 13.5l7 3.7 7-3.7"/>',
  stroboscope: '<path d="M3.5 16.5c0-6 1-9.5 2.5-12.5"/><path d="M7.5 16.5c.4-5.5 2-9 4.5-11.5" opacity=".55"/><path d="M11.5 16.5c.8-4 2.5-6.5 5-8.5"/>',
  picture: '<rect x="3" y="4" width="14" height="12" rx="1.8"/><path d="m3.5 14 4-4 3 2.8 2.5-2.3 3.5 3.3"/><circle cx="12.8" cy="7.8" r="1.2"/>',
  table: '<rect x="3" y="4" width="14" height="12" rx="1.8"/><path d="M3 8.2h14M3 12h14M8.5 8.2V16"/>',
  curves: '<path d="M3 3.5v13h14"/><path d="M5.5 12.5c2-6 4-6 5.5-2.5s3 3 5.5-4"/>',
  sun: '<circle cx="10" cy="10" r="3.3"/><path d="M10 2.5v1.7M10 15.8v1.7M2.5 10h1.7M15.8 10h1.7M4.7 4.7l1.2 1.2M14.1 14.1l1.2 1.2M4.7 15.3l1.2-1.2M14.1 5.9l1.2-1.2"/>',
  moon: '<path d="M16 11.8A6.5 6.5 0 0 1 8.2 4a6.5 6.5 0 1 0 7.8 7.8z"/>',
  help: '<circle cx="10" cy="10" r="7"/><path d="M7.9 8a2.1 2.1 0 1 1 3.2 1.8c-.8.5-1.1.9-1.1 1.7"/><path d="M10 13.9v.1" stroke-width="2"/>',
  info: '<circle cx="10" cy="10" r="7"/><path d="M10 9.3v4.2"/><path d="M10 6.4v.1" stroke-width="2"/>',
  close: '<path d="m5 5 10 10M15 5 5 15"/>',
  reset: '<path d="M4.3 8.2A6.2 6.2 0 1 1 4 11.5"/><path d="M3.8 4.3v4h4"/>',
  gravity: '<path d="M10 3v10.5M5.8 9.5 10 13.7l4.2-4.2M4 17h12"/>',
  save: '<path d="M10 3v9.5M6 8.8l4 4 4-4M3.5 13.5v2.3c0 .7.5 1.2 1.2 1.2h10.6c.7 0 1.2-.5 1.2-1.2v-2.3"/>',
  record: '<circle cx="10" cy="10" r="7"/><circle cx="10" cy="10" r="3.4" fill="currentColor" stroke="none"/>',
  difference: '<path d="M10 3.5 17 16H3z" stroke-linejoin="round"/>',
} as const;

export type IconName = keyof typeof paths;

/** An icon as an element; what it means must be said beside it or by a label. */
export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  svg.innerHTML = paths[name];
  return svg;
}
