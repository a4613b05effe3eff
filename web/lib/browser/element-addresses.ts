import { inBrowser } from "./base-path.ts";

/** The attributes of elements that hold addresses. */
const ADDRESSES = ["href", "src"] as const;

/** Has the addresses among an element's attributes lead to where they are in the browser. */
export function leadAddresses(attributes: Record<string, unknown>): void {
  for (const name of ADDRESSES) {
    const address = attributes[name];
    if (typeof address === "string") attributes[name] = inBrowser(address);
  }
}
