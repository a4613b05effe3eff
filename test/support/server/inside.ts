import { expect } from "bun:test";
import type { Client } from "./client.ts";

/** Requests about a drive's files and folders, whose answers are the same in a snapshot that was taken then. */
function requestsAbout(drive: string, paths: readonly string[], tags: readonly string[]): string[] {
  const prefixes = ["", "a", "a/", "b/", "a/b", "none/", "ä", ...paths.slice(0, 3)];
  const files = prefixes.flatMap((prefix) => {
    const about = `/v0/files?drive_id=${drive}&prefix=${encodeURIComponent(prefix)}`;
    return [about, `${about}&delimiter=/`, `${about}&limit=2`, `${about}&delimiter=/&limit=1&page=2`];
  });
  const tagged = tags.map((tag) => `/v0/files?drive_id=${drive}&tags=${tag}&limit=3`);
  const folders = ["", "a/", "b/"].map((path) => `/v0/folders?drive_id=${drive}&path=${path}&limit=2`);
  const single = paths.flatMap((path) => {
    const query = `drive_id=${drive}&path=${encodeURIComponent(path)}`;
    return ["", "/download", "/text"].map((rest) => `/v0/files/by-path${rest}?${query}`);
  });
  return [...files, ...tagged, ...folders, ...single, `/v0/archive?drive_id=${drive}`];
}

/** What a drive holds, as its answers tell: all pages of its lists, its files one by one, and its archive. */
export async function seen(
  client: Client,
  drive: string,
  { paths, tags, snapshot }: { paths: readonly string[]; tags: readonly string[]; snapshot?: string },
): Promise<Record<string, unknown>> {
  const inside = snapshot === undefined ? "" : `&snapshot_id=${snapshot}`;
  const found: Record<string, unknown> = {};
  for (const request of requestsAbout(drive, paths, tags)) {
    let cursor: string | null = "";
    const pages: unknown[] = [];
    for (let page = 0; cursor !== null; page += 1) {
      const after: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const response = await client.fetch("GET", request + inside + after);
      const bytes = Buffer.from(await response.arrayBuffer());
      const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
      const json: unknown = isJson && response.status < 500 ? JSON.parse(bytes.toString()) : null;
      const { etag, lastModified } = {
        etag: response.headers.get("etag"),
        lastModified: response.headers.get("last-modified"),
      };
      pages.push([response.status, etag, lastModified, isJson ? withoutRequest(json) : bytes.toBase64()]);
      cursor = request.includes("/v0/fi") || request.includes("/v0/fo") ? cursorOf(json) : null;
      expect(page).toBeLessThan(1000);
    }
    found[request] = pages;
  }
  return found;
}

function cursorOf(json: unknown): string | null {
  const next = typeof json === "object" && json !== null ? Reflect.get(json, "next_cursor") : null;
  return typeof next === "string" ? next : null;
}

/** Errors name their request. */
function withoutRequest(json: unknown): unknown {
  const error: unknown = typeof json === "object" && json !== null ? Reflect.get(json, "error") : undefined;
  return typeof error === "object" && error !== null ? Reflect.get(error, "code") : json;
}
