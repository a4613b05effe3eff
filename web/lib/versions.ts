import { ApiError, call } from "./api/api.ts";
import type { Part } from "./api/pages.ts";
import { etagOf } from "./files.ts";
import type { FileRecord, TextDiff, VersionsPage } from "./api/types.ts";
import { t } from "./words/text.ts";

/** What a file held before, the newest first. */
export function listVersions(id: string, part: Part, signal?: AbortSignal): Promise<VersionsPage> {
  const path = `/v0/files/${id}/versions?${new URLSearchParams(part)}`;
  return call("GET", path, signal === undefined ? {} : { signal });
}

/** Two contents of a file, by their numbers; `to` is left out for what it holds now. */
export interface Compared {
  readonly from: number;
  readonly to?: number;
}

/**
 * What differs between two contents of a file.
 *
 * @throws ApiError with status 415 where they are no texts, with 413 where they are too large
 */
export function compareVersions(id: string, { from, to }: Compared, signal: AbortSignal): Promise<TextDiff> {
  const query = to === undefined ? `from=${from}` : `from=${from}&to=${to}`;
  return call("GET", `/v0/files/${id}/diff?${query}`, { signal });
}

/** Gives a file the content of a version again, which keeps what it holds now as another version. */
export function restoreVersion(id: string, version: number): Promise<FileRecord> {
  return call("POST", `/v0/files/${id}/versions/${version}/restore`, { body: {}, untilAnswered: true });
}

/**
 * Gives a file the content again that it had before the one of `file`.
 *
 * @throws ApiError also where it has changed since, or no version is kept
 */
export async function restoreBefore(file: FileRecord): Promise<FileRecord> {
  const { data } = await listVersions(file.id, { limit: "1" });
  const [before] = data;
  if (before === undefined) throw new ApiError(404, "NOT_FOUND", t("No earlier version of it is kept."));
  const headers = { "if-match": `"${etagOf(file.content_hash)}"` };
  return call("POST", `/v0/files/${file.id}/versions/${before.version}/restore`, {
    body: {},
    headers,
    untilAnswered: true,
  });
}

/**
 * Gives a file the content again that it had in `file`, where it has another since.
 *
 * @throws ApiError also where that is not kept
 */
export async function restoreContent({ id, content_hash: content }: FileRecord): Promise<FileRecord> {
  const { data } = await listVersions(id, { limit: "100" });
  const shown = data.find(({ content_hash: kept }) => kept === content);
  if (shown === undefined) throw new ApiError(404, "NOT_FOUND", t("What it held before is not kept."));
  return restoreVersion(id, shown.version);
}

/** Names a content of a file; an empty name takes its label away. */
export async function labelVersion(id: string, version: number, label: string): Promise<void> {
  const path = `/v0/files/${id}/versions/${version}/label`;
  if (label === "") await call("DELETE", path);
  else await call("PUT", path, { body: { label } });
}

/** Where the content of a version is downloaded from. */
export function versionAddress(id: string, version: number): string {
  return `/v0/files/${id}/versions/${version}/download`;
}
