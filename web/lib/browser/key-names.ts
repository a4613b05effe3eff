import { mark, type PlainMessage, t } from "../words/text.ts";

/** What is written on keys, where that is not what the browser calls them. */
const NAMES: Readonly<Record<string, PlainMessage>> = {
  ContextMenu: mark("key|Menu"),
  Control: mark("key|Ctrl"),
  Delete: mark("key|Delete"),
  End: mark("key|End"),
  Enter: mark("key|Enter"),
  Escape: mark("key|Esc"),
  Home: mark("key|Home"),
  PageDown: mark("key|Page Down"),
  PageUp: mark("key|Page Up"),
  Shift: mark("key|Shift"),
  Space: mark("key|Space"),
};

const SIGNS: Readonly<Record<string, string>> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
};

/** How keys are called that `aria-keyshortcuts` would name, such as `Control+K`, on the keyboards of this device. */
export function keyNames(keys: string): string {
  return keys.split("+").map(nameOf).join(" ");
}

function nameOf(key: string): string {
  if (key === "Control" && /Mac|iP/.test(navigator.platform)) return "⌘";
  const name = NAMES[key];
  return name === undefined ? (SIGNS[key] ?? key) : t(name);
}
