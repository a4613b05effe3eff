/** How a key is written that is pressed together with Ctrl or, on Apple's devices, Cmd: `Ctrl K`. */
export function commandKey(key: string): string {
  return /Mac|iP/.test(navigator.platform) ? `⌘ ${key}` : `Ctrl ${key}`;
}
