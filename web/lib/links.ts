import { call } from "./api/api.ts";

/** A link to a page that shows a file or folder; it is not shown again. */
export interface ShareLink {
  readonly url: string;
  readonly expires_at: string;
}

interface NewShareLink {
  readonly drive_id: string;
  /** A folder's ends with a slash. */
  readonly path: string;
  readonly expires_at: string;
  readonly password?: string;
}

/** Makes a link that shows a file or folder to people without an account. */
export function createShareLink(
  body: NewShareLink,
  headers: Readonly<Record<string, string>>,
): Promise<ShareLink> {
  return call("POST", "/v0/links", { body, headers });
}
