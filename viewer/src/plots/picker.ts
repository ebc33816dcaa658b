import { checkLine } from "../ui/controls";
import { element } from "../ui/dom";
import { unitText } from "../ui/units";
import { type NamedCurve, noiseText } from "./series";

/** Writes a list of all curves with a search field; choosing changes `chosen` and calls `changed`. */
export function fillPicker(sheet: HTMLElement, curves: NamedCurve[], chosen: Set<NamedCurve>, changed: () => void): void {
  const search = element("input", { type: "search", placeholder: "Search by name", "aria-label": "Search curves by name" });
  const list = element("div", { class: "picker-list" });
  const groups = new Map<string, NamedCurve[]>();
  for (const curve of curves) groups.set(curve.groupTitle, [...(groups.get(curve.groupTitle) ?? []), curve]);

  const fill = (): void => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = ({ name, groupTitle }: NamedCurve): boolean =>
      words.every((word) => `${groupTitle} ${name}`.toLowerCase().includes(word));
    list.replaceChildren();
    for (const [title, all] of groups) {
      const found = all.filter(matches);
      if (found.length > 0) list.append(groupOf(title, found, chosen, () => (changed(), fill())));
    }
    if (list.childElementCount === 0) list.append(element("p", { class: "quiet" }, `No curve is called \u201c${search.value}\u201d.`));
  };
  search.addEventListener("input", fill);
  fill();
  sheet.append(search, list);
  search.focus();
}

function groupOf(title: string, curves: NamedCurve[], chosen: Set<NamedCurve>, changed: () => void): HTMLElement {
  const all = curves.every((curve) => chosen.has(curve));
  const set = (curve: NamedCurve, on: boolean): void => void (on ? chosen.add(curve) : chosen.delete(curve));
  const heading = checkLine(element("strong", {}, title), all, (on) => {
    for (const curve of curves) set(curve, on);
    changed();
  });
  heading.querySelector("input")!.indeterminate = !all && curves.some((curve) => chosen.has(curve));
  const lines = curves.map((curve) =>
    checkLine(
      element("span", {}, curve.name, element("small", {}, curve.unit ? ` ${unitText(curve.unit)}` : "", curve.noise ? ` \u00b7 ${noiseText(curve.noise)}` : "")),
      chosen.has(curve),
      (on) => {
        set(curve, on);
        changed();
      },
    ),
  );
  return element("fieldset", {}, heading, ...lines);
}
