import type { ReportPage, Run } from "../contract";
import { iconButton, Menu, setIcon } from "../ui/controls";
import { element } from "../ui/dom";
import type { ThemeSwitch } from "../ui/theme";

const k_status: Record<Run["status"], string> = {
  complete: "complete",
  interrupted: "interrupted",
  failed: "failed",
  rest: "at rest",
};

/** Name, state and facts of what is shown, and the page's own buttons. */
export function reportHeader(page: ReportPage, theme: ThemeSwitch, help: () => void): HTMLElement {
  const details = new Menu(iconButton("info", "About this run", () => {}), (sheet) => page.runs.forEach((run) => sheet.append(aboutRun(run))), "about");
  const [first] = page.runs;
  const facts = page.runs.length === 1 ? first.facts : [];
  return element(
    "header",
    { class: "page-header" },
    element("h1", { title: page.title }, page.title),
    page.runs.length === 1 ? statusChip(first) : null,
    element("dl", { class: "facts" }, ...facts.map(({ name, value }) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))),
    element(
      "div",
      { class: "buttons" },
      details.root,
      themeButton(theme),
      iconButton("help", "Help", help, "?"),
    ),
  );
}

/** Switches between light and dark. */
export function themeButton(theme: ThemeSwitch): HTMLButtonElement {
  const button = iconButton("moon", "", () => theme.toggle());
  const show = (): void => setIcon(button, theme.theme === "dark" ? "sun" : "moon", theme.theme === "dark" ? "Light theme" : "Dark theme", "T");
  theme.onChange(show);
  show();
  return button;
}

function statusChip(run: Run): HTMLElement {
  const warned = run.warnings && run.warnings.length > 0;
  const text = warned ? `${k_status[run.status]}, with warning${run.warnings!.length > 1 ? "s" : ""}` : k_status[run.status];
  return element("span", { class: `status ${warned ? "warned" : ""} ${run.status}`, title: run.message || null }, text);
}

/** "robot.gravity=0" as people read it. */
export function changeText(change: string): string {
  const equals = change.indexOf("=");
  return `${change.slice(0, equals)} = ${change.slice(equals + 1).trim()}`;
}

function aboutRun(run: Run): HTMLElement {
  const lines: [string, string][] = [
    ["file", run.file],
    ["robot", run.robot],
    ["status", run.message ? `${k_status[run.status]}: ${run.message}` : k_status[run.status]],
    ...(run.warnings ?? []).map((text): [string, string] => ["warning", text]),
    ...(run.changes ?? []).map((text): [string, string] => ["changed", changeText(text)]),
    ...run.facts.map(({ name, value }): [string, string] => [name, value]),
  ];
  return element(
    "section",
    {},
    element("h2", {}, run.label),
    element("dl", {}, ...lines.filter(([, value]) => value).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])),
  );
}

/** Says of runs that did not end as planned, or whose numbers are in doubt, what happened; null: of none. */
export function statusBanner(runs: Run[]): HTMLElement | null {
  const line = (run: Run, what: string, why: string): HTMLElement =>
    element("p", {}, element("strong", {}, `${runs.length > 1 ? `${run.label}: ${what.toLowerCase()}` : what}. `), why);
  const lines = runs.flatMap((run) => {
    const broken = run.status === "failed" || run.status === "interrupted";
    const what = run.status === "failed" ? "This run failed" : "This run was interrupted";
    const ended = broken ? [line(run, what, run.message || "What was computed until then is shown.")] : [];
    return [...ended, ...(run.warnings ?? []).map((warning) => line(run, "Warning", warning))];
  });
  if (lines.length === 0) return null;
  const failed = runs.some(({ status }) => status === "failed");
  return element("div", { class: failed ? "banner lines failed" : "banner lines", role: "status" }, ...lines);
}
