import { element } from "./dom";
import { icon, type IconName } from "./icons";

/** A button that shows an icon and says `label` to who asks; `key` is its key on the keyboard. */
export function iconButton(name: IconName, label: string, action: () => void, key?: string): HTMLButtonElement {
  const title = key ? `${label} (${key})` : label;
  return element("button", { type: "button", class: "icon-button", "aria-label": label, title, onclick: action }, icon(name));
}

/** Changes what an icon button shows and says. */
export function setIcon(button: HTMLButtonElement, name: IconName, label: string, key?: string): void {
  button.replaceChildren(icon(name));
  button.setAttribute("aria-label", label);
  button.title = key ? `${label} (${key})` : label;
}

/** Presses or releases a button that stays down. */
export function setPressed(button: HTMLElement, on: boolean): void {
  button.setAttribute("aria-pressed", String(on));
}

let openMenu: Menu | null = null;

document.addEventListener("pointerdown", (event) => {
  if (openMenu && !openMenu.root.contains(event.target as Node)) openMenu.close();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !openMenu) return;
  const { button } = openMenu;
  openMenu.close();
  button.focus();
});

/** A button with a sheet that opens below or above it; one at a time is open. */
export class Menu {
  readonly root: HTMLElement;
  readonly sheet: HTMLElement;

  /** `fill` writes the sheet's contents each time that it opens. */
  constructor(
    readonly button: HTMLButtonElement,
    private readonly fill: (sheet: HTMLElement) => void,
    kind = "",
  ) {
    this.sheet = element("div", { class: `sheet ${kind}`, hidden: true });
    this.root = element("div", { class: "menu" }, button, this.sheet);
    button.setAttribute("aria-haspopup", "true");
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", () => (this.sheet.hidden ? this.open() : this.close()));
  }

  open(): void {
    openMenu?.close();
    this.sheet.replaceChildren();
    this.fill(this.sheet);
    this.sheet.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    openMenu = this;
    this.keepInside();
  }

  close(): void {
    this.sheet.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    if (openMenu === this) openMenu = null;
  }

  /** Moves the sheet sideways until it is inside of the window. */
  private keepInside(): void {
    this.sheet.style.transform = "";
    const { left, right } = this.sheet.getBoundingClientRect();
    const margin = 8;
    const shift = Math.max(margin - left, Math.min(0, window.innerWidth - margin - right));
    if (shift !== 0) this.sheet.style.transform = `translateX(${shift}px)`;
  }
}

/** A line of a sheet: one of several choices. */
export function choice(label: string, chosen: boolean, action: () => void, hint = ""): HTMLButtonElement {
  return element(
    "button",
    { type: "button", class: "choice", role: "menuitemradio", "aria-checked": String(chosen), onclick: action },
    element("span", {}, label),
    hint ? element("kbd", {}, hint) : null,
  );
}

/** A line of a sheet that is on or off. */
export function checkLine(label: string | Node, on: boolean, action: (on: boolean) => void): HTMLLabelElement {
  const box = element("input", { type: "checkbox", checked: on });
  box.addEventListener("change", () => action(box.checked));
  // the space bar is the page's
  box.addEventListener("keydown", (event) => event.key === "Enter" && box.click());
  return element("label", { class: "check-line" }, box, label);
}
