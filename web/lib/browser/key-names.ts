const NAMES: Readonly<Record<string, string>> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  PageUp: "Page Up",
  PageDown: "Page Down",
  Escape: "Esc",
  ContextMenu: "Menu",
};

/** How keys are called that `aria-keyshortcuts` would name, such as `Control+K`, on the keyboards of this device. */
export function keyNames(keys: string): string {
  const control = /Mac|iP/.test(navigator.platform) ? "⌘" : "Ctrl";
  return keys
    .split("+")
    .map((key) => (key === "Control" ? control : (NAMES[key] ?? key)))
    .join(" ");
}
