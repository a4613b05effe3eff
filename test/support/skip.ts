/** The name of a test that cannot run everywhere: where there is a `reason` to skip it, the name ends with it. */
export function withReason(name: string, reason: string): string {
  return reason === "" ? name : `${name} (skipped: ${reason})`;
}
