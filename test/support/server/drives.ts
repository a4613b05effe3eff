import type { Agent } from "./executable.ts";
import { eventually } from "./scenario.ts";

/** What to create in a drive: files with their sizes in bytes, or folders, whose paths end with a slash. */
export type Entries = readonly string[] | Readonly<Record<string, number>>;

export interface MadeDrive {
  readonly id: string;
  readonly slug: string;
  /** The id of one of the initial files. */
  readonly fileId: (path: string) => string;
}

/** Creates a drive with these files, in this order, or these folders. */
export async function makeDrive(owner: Agent, name: string, entries: Entries = []): Promise<MadeDrive> {
  const drive = await owner.client.makeDrive(name);
  const ids = new Map<string, string>();
  if (isFolders(entries)) {
    const makeFolder = (path: string) => owner.client.post("/v0/folders", { drive_id: drive.id, path });
    await Promise.all(entries.map(makeFolder));
  } else {
    // One after another, so that their times have the same order.
    for (const [path, size] of Object.entries(entries)) {
      ids.set(path, await putFile(owner, drive.id, path, "x".repeat(size)));
    }
  }
  const fileId = (path: string) => {
    const id = ids.get(path);
    if (id === undefined) throw new Error(`"${name}" was made without ${path}`);
    return id;
  };
  return { ...drive, fileId };
}

/** Uploads a new file. Returns its id. */
export async function putFile(
  { client }: Pick<Agent, "client">,
  drive: string,
  path: string,
  body: string | Uint8Array<ArrayBuffer> = "x",
): Promise<string> {
  return (await client.put(drive, path, body)).id;
}

/** A file in a list. */
export interface ListedFile {
  readonly id: string;
  readonly path: string;
  readonly mime_type: string;
}

/** The first 1,000 files of a drive whose paths start with `prefix`. */
export async function listFiles({ client }: Pick<Agent, "client">, drive: string, prefix = "") {
  const query = new URLSearchParams({ drive_id: drive, prefix, limit: "1000" });
  const path = `/v0/files?${query.toString()}`;
  const { data } = await client.get<{ data: ListedFile[] }>(path);
  return data;
}

/** Waits until a search finds that many files: files are indexed a moment after they are stored. */
export function isFound({ client }: Agent, words: string, count: number): Promise<void> {
  const query = new URLSearchParams({ q: words, limit: "1" });
  return eventually(async () => {
    const answer = await client.get<{ total: number }>(`/v0/search?${query.toString()}`);
    return answer.total === count;
  });
}

function isFolders(entries: Entries): entries is readonly string[] {
  return Array.isArray(entries);
}
