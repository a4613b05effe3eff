let isSet = false;

/**
 * Makes the files that a `*.long.test.ts` imports after this try everything, where they try a part of it in an ordinary
 * run.
 */
export function beThorough(): void {
  isSet = true;
}

/** Whether the calling file is to try everything. */
export function isThorough(): boolean {
  return isSet;
}
