/** The addresses of a server that has just started. */
export interface Reached {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Addresses for other machines, without trailing slashes. */
  readonly addresses: readonly string[];
  /** Null if there is an administrator; begins with the base URL. */
  readonly setupLink: string | null;
}

/** What to do with a server that has just started; one sentence each. */
export function nextSteps({ baseUrl, addresses }: Reached): string[] {
  return [
    `Agents: curl ${baseUrl}/v0/drives/provision -d '{"name": "my drive"}'`,
    `People: ${baseUrl} is the dashboard, ${baseUrl}/docs the description of the API`,
    ...addresses.map((address) => `From other machines: ${address}`),
  ];
}

/** How to create the administrator account: the setup link at each address. Null if there is an administrator. */
export function firstSteps({ baseUrl, addresses, setupLink }: Reached): string | null {
  if (setupLink === null) return null;
  const target = setupLink.slice(baseUrl.length);
  const links = [baseUrl, ...addresses].map((address) => `  ${address}${target}`);
  return `There is no administrator yet. Create the administrator account at\n\n${links.join("\n")}\n\nThe link works once; each start prints a new one until there is an administrator.`;
}
