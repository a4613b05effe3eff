import { call } from "./api/api.ts";
import type { Drive } from "./api/types.ts";

/** A drive, by slug or id. */
export async function getDrive(name: string, signal: AbortSignal): Promise<Drive> {
  return (await call<{ data: Drive }>("GET", `/v0/drives/${encodeURIComponent(name)}`, { signal })).data;
}

/** The account's drives, without those that others share with it. */
export async function listOwnDrives(signal: AbortSignal): Promise<readonly Drive[]> {
  return (await listDrives(signal)).filter(({ role }) => role === "owner");
}

/** The account's drives, then those that others share with it. */
export async function listDrives(signal: AbortSignal): Promise<readonly Drive[]> {
  return (await call<{ data: Drive[] }>("GET", "/v0/drives", { signal })).data;
}
