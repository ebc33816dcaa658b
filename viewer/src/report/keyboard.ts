import { takesText } from "../ui/dom";

/** What keys do: by `event.key`, letters in lower case. */
export type Keys = Record<string, (shift: boolean) => void>;

/**
 * Listens for keys wherever the focus is, but where someone types: what was clicked last must not take them. Enter
 * presses what has the focus.
 */
export function listenForKeys(keys: Keys): void {
  const actionOf = (event: KeyboardEvent): Keys[string] | undefined => {
    if (event.ctrlKey || event.altKey || event.metaKey || takesText(event.target)) return undefined;
    if (document.querySelector("dialog[open]")) return undefined;
    return keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  };
  // first of all: what has the focus must not see a key of the page
  const options = { capture: true };
  window.addEventListener(
    "keydown",
    (event) => {
      const action = actionOf(event);
      if (!action) return;
      event.preventDefault();
      // a key that is held steps on and on, but switches only once
      if (event.repeat && !event.key.startsWith("Arrow")) return;
      action(event.shiftKey);
    },
    options,
  );
  // some browsers press a button only when the key goes up
  window.addEventListener("keyup", (event) => actionOf(event) && event.preventDefault(), options);
}
