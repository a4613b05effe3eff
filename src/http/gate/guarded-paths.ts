/** Whether a request is for the MCP server. A trailing slash makes no difference, as in the router. */
export function isMcpPath(path: string): boolean {
  return path === "/mcp" || path === "/mcp/";
}

/** Whether a path is a page that says what a key can. It is there for all, but who sends a key passes the gate. */
export function isToldByKey(path: string): boolean {
  return path === "/skill.md" || path === "/skill.md/";
}

/** Whether the gate guards a path: there keys are read and requests are counted. */
export function isGuardedPath(path: string): boolean {
  return path === "/v0" || path.startsWith("/v0/") || isMcpPath(path);
}
