import "uplot/dist/uPlot.min.css";
import "./styles/base.css";
import "./styles/report.css";
import "./styles/plots.css";
import "./styles/live.css";
import "./styles/sweep.css";
import type { PageData } from "./contract";
import { promiseHooks } from "./hooks";
import { showLive } from "./live/page";
import { showReport } from "./report/page";
import { showSweep } from "./sweep/page";
import { element } from "./ui/dom";

/** What the C++ side wrote into the page; null in a page that nobody filled. */
function pageData(): PageData | null {
  return JSON.parse(document.getElementById("cuttle-page")!.textContent!) as PageData | null;
}

async function show(root: HTMLElement): Promise<void> {
  const page = pageData();
  if (!page) throw new Error("This page is empty: `cuttle view` and `cuttle live` fill it.");
  document.title = `${page.title} \u00b7 Cuttle`;
  if (page.kind === "report") await showReport(page, root);
  else if (page.kind === "sweep") await showSweep(page, root);
  else await showLive(page, root);
}

promiseHooks();
const root = document.getElementById("app")!;
show(root).catch((error: unknown) => {
  console.error(error);
  const text = error instanceof Error ? error.message : String(error);
  root.replaceChildren(element("div", { class: "broken", role: "alert" }, element("h1", {}, "This page cannot be shown"), element("p", {}, text)));
});
