import type { Theme } from "../stage/stage";

const k_key = "cuttle-theme";

/** The page's theme: what the user chose once, or else what the system prefers. Listeners hear of changes. */
export class ThemeSwitch {
  theme: Theme;
  private readonly listeners: ((theme: Theme) => void)[] = [];

  constructor() {
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    this.theme = remembered() ?? (dark.matches ? "dark" : "light");
    this.apply();
    dark.addEventListener("change", () => {
      if (!remembered()) this.set(dark.matches ? "dark" : "light");
    });
  }

  onChange(listener: (theme: Theme) => void): void {
    this.listeners.push(listener);
  }

  toggle(): void {
    this.set(this.theme === "dark" ? "light" : "dark");
    try {
      localStorage.setItem(k_key, this.theme);
    } catch {
      // a page without storage, as of some file:// pages: the theme lasts as long as the page
    }
  }

  private set(theme: Theme): void {
    this.theme = theme;
    this.apply();
    for (const listener of this.listeners) listener(theme);
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.theme;
  }
}

function remembered(): Theme | null {
  try {
    const value = localStorage.getItem(k_key);
    return value === "dark" || value === "light" ? value : null;
  } catch {
    return null;
  }
}
