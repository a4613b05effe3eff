/**
 * The `Link` header (RFC 8288) for programs that know only the address: the API description is `service-desc`, the
 * start page for agents `service-doc` (RFC 8631).
 *
 * @param baseUrl the server's address; a relative one is enough. The links begin with its path
 */
export function leads(baseUrl: string): string {
  const path = new URL(baseUrl, "http://localhost").pathname.replace(/\/$/, "");
  return [
    `<${path}/docs/openapi.json>; rel="service-desc"; type="application/json"`,
    `<${path}/llms.txt>; rel="service-doc"; type="text/plain"`,
  ].join(", ");
}

/** Whether a response has these links: at the start page, and where a program has lost its way. */
export function needsLeads(path: string, status: number): boolean {
  return path === "/" || status === 401 || status === 404;
}
