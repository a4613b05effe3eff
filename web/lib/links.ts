import { call } from "./api/api.ts";
import type { Entry } from "./files.ts";
import type { MarkedOption } from "./words/options.ts";
import { mark } from "./words/text.ts";

/** A link with its address. */
export interface MadeLink {
  readonly url: string;
  readonly expires_at: string;
}

/** What a link opens: a page for people, or the bytes of a file. */
export type Opens = "page" | "download";

/** How a link is made, but for its password. */
export interface LinkChoice {
  readonly opens: Opens;
  /** How long it works; one of `LIFETIMES`. */
  readonly seconds: string;
  /** Whether it works once; only for a download. */
  readonly isOnce: boolean;
}

/** How long links may work, in seconds, and in texts for `t()`. A download needs no person, so it ends soon. */
export const LIFETIMES: Readonly<Record<Opens, readonly MarkedOption[]>> = {
  page: [
    { value: "3600", text: mark("1 hour") },
    { value: "86400", text: mark("1 day") },
    { value: "604800", text: mark("7 days") },
    { value: "2592000", text: mark("30 days") },
    { value: "7776000", text: mark("90 days") },
    { value: "31536000", text: mark("A year") },
  ],
  download: [
    { value: "900", text: mark("15 minutes") },
    { value: "3600", text: mark("1 hour") },
    { value: "28800", text: mark("8 hours") },
    { value: "86400", text: mark("1 day") },
  ],
};

const USUAL: Readonly<Record<Opens, string>> = { page: "604800", download: "3600" };

/** This lifetime where such a link may have it, else the usual one. */
export function lifetimeOf(opens: Opens, seconds: string | undefined): string {
  return LIFETIMES[opens].find(({ value }) => value === seconds)?.value ?? USUAL[opens];
}

export interface LinkRequest {
  /** The drive's id. */
  readonly drive: string;
  readonly entry: Entry;
  readonly choice: LinkChoice;
  /** Empty for none; only of a page. */
  readonly password: string;
  /** When the lifetime begins: the same for every attempt, so that a retry after a lost answer is the same request. */
  readonly from: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes a link to a file or folder for people and programs without an account. */
export function createLink({
  drive,
  entry,
  choice,
  password,
  from,
  headers,
}: LinkRequest): Promise<MadeLink> {
  const seconds = Number(choice.seconds);
  if (choice.opens === "download" && entry.kind === "file") {
    const body = { expires_in: seconds, one_time: choice.isOnce };
    return call("POST", `/v0/files/${entry.file.id}/presigned-url`, { body, headers });
  }
  const body = {
    drive_id: drive,
    path: entry.path,
    expires_at: new Date(from + seconds * 1000).toISOString(),
    ...(password === "" ? {} : { password }),
  };
  return call("POST", "/v0/links", { body, headers });
}

/** The address of a link that was made before. */
export async function linkAddress(id: string, signal: AbortSignal): Promise<string> {
  return (await call<{ url: string }>("GET", `/v0/links/${id}/url`, { signal })).url;
}
