import type { PageData } from "./contract";

/** What the C++ side wrote into the page; null in a page that nobody filled. */
function pageData(): PageData | null {
  return JSON.parse(document.getElementById("cuttle-page")!.textContent!) as PageData | null;
}

document.title = pageData()?.title ?? "Cuttle";
