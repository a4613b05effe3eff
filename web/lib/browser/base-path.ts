// Everywhere in the dashboard an address begins at the root of the server: `/drives`, `/v0/files`. Only what hands it to
// the browser knows where that root is on its host: who calls `inBrowser`, and all elements (`element-addresses.ts`).

/** What the path of each address begins with in the browser: `""`, or such as `/coffer`. */
export const basePath = { value: "" };

/** An address of ours as the browser has it; any other as it is, such as of another host, or of a blob. */
export function inBrowser(address: string): string {
  return /^\/(?!\/)/.test(address) ? basePath.value + address : address;
}
