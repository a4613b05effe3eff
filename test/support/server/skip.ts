/** Why tests that need what a command does are skipped; empty if it succeeds, and the tools are there. */
export function whyCannot(command: string[], reason: string, tools = command.slice(0, 1)): string {
  const missing = tools.filter((tool) => Bun.which(tool) === null);
  if (missing.length > 0) return `${missing.join(" and ")} not installed`;
  return Bun.spawnSync(command, { stdout: "ignore", stderr: "ignore" }).success ? "" : reason;
}

/** The name of a test that cannot run everywhere. It ends with the `reason` to skip it, if there is one. */
export function withReason(name: string, reason: string): string {
  return reason === "" ? name : `${name} (skipped: ${reason})`;
}
