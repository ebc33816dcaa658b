const prefixes: [number, string][] = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "\u00b5"],
  [1e-9, "n"],
  [1e-12, "p"],
];

/** Units whose first symbol may carry a prefix; "1/m" and "m^2" may not: there it would mean something else. */
const k_prefixable = /^(rad|m|J|N|Pa|W|s|Hz)(?![\w^\u00b2\u00b3])/;

/** How numbers of a unit are shown: times `factor`, in `unit`. */
export interface Scaling {
  factor: number;
  unit: string;
}

/** The SI prefix that suits numbers up to `largest`. 0.2 m stay meters, 0.02 m are 20 mm. */
export function scalingFor(unit: string, largest: number): Scaling {
  if (!k_prefixable.test(unit) || !(largest > 0) || !Number.isFinite(largest)) return { factor: 1, unit };
  const inRange = prefixes.find(([value]) => largest >= 0.1 * value);
  const [value, prefix] = inRange ?? prefixes[prefixes.length - 1];
  return { factor: 1 / value, unit: prefix + unit };
}

/** A unit as people write it: superscripts and a middle dot. */
export function unitText(unit: string): string {
  return unit.replace(/\^2/g, "\u00b2").replace(/\^3/g, "\u00b3").replace(/\^4/g, "\u2074").replace(/ /g, "\u2009");
}

/** A number of `digits` significant digits with a true minus sign; powers of ten where it is very large or small. */
export function numberText(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "\u2013";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e5 || size < 1e-4 ? value.toExponential(digits - 1) : value.toPrecision(digits);
  return text.replace(/-/g, "\u2212").replace("e+", "e");
}

/** A number for an axis, whose neighbors are `step` away. */
export function tickText(value: number, step: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (Math.max(size, step) >= 1e5 || step < 1e-4)) {
    return value.toExponential(Math.max(0, Math.min(3, Math.ceil(Math.log10(size / step))))).replace("e+", "e").replace(/-/g, "\u2212");
  }
  // as many as the step itself has: 0.25 has two
  let decimals = 0;
  while (decimals < 6 && Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6 * step * 10 ** decimals) decimals++;
  return value.toFixed(decimals).replace(/^-(?=0(\.0*)?$)/, "").replace(/-/g, "\u2212");
}

/** A time to the millisecond, so that its width stays the same while it runs. */
export function timeText(seconds: number): string {
  return seconds.toFixed(3);
}
