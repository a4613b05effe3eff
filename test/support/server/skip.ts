/** The name of a test that cannot run everywhere. It ends with the `reason` to skip it, if there is one. */
export function withReason(name: string, reason: string): string {
  return reason === "" ? name : `${name} (skipped: ${reason})`;
}
