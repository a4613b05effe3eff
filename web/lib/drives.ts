import { call } from "./api.ts";
import type { Drive } from "./types.ts";

/** The account's drives, oldest first. */
export async function listDrives(signal: AbortSignal): Promise<readonly Drive[]> {
  return (await call<{ data: Drive[] }>("GET", "/v0/drives", { signal })).data;
}
