import { takesKeys } from "../ui/dom";

/** What keys do: by `event.key`, letters in lower case. */
export type Keys = Record<string, (shift: boolean) => void>;

/** Listens for keys, but not where someone types, and leaves buttons their own. */
export function listenForKeys(keys: Keys): void {
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || takesKeys(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    const onButton = event.target instanceof HTMLButtonElement || event.target instanceof HTMLInputElement;
    if (event.key === " " && onButton && (event.target as HTMLInputElement).type !== "range") return;
    const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    // a key that is held steps on and on, but switches only once
    if (event.repeat && !event.key.startsWith("Arrow")) return;
    action(event.shiftKey);
  });
}
