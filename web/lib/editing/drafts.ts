import { DRAFTS } from "../browser/drafts-database.ts";
import type { EditedFile } from "./edited-file.ts";
import type { StoredText } from "./stored.ts";

/** A text that was typed and not saved. */
export interface Draft {
  /** What it was made from. */
  readonly base: StoredText;
  readonly text: string;
  /** When it was kept. */
  readonly at: string;
}

/** The drafts that a browser keeps, of all files; the oldest are forgotten. */
const MOST = 20;

/** What the draft of a user is kept by: the file, or the place of one that is to be made. */
export function keyOf(userId: string, { record, drive, path }: EditedFile): string {
  return `${userId} ${record.peek()?.id ?? `${drive}/${path}`}`;
}

/** The draft of a key; null where none is kept, or the browser keeps nothing. */
export async function readDraft(key: string): Promise<Draft | null> {
  try {
    return asDraft(await inStore<unknown>("readonly", (store) => store.get(key)));
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
}

/**
 * Keeps a draft in the browser.
 *
 * @throws DOMException where the browser keeps nothing, or has no room
 */
export async function keepDraft(key: string, draft: Draft): Promise<void> {
  await inStore("readwrite", (store) => store.put(draft, key));
  const keys = await inStore("readonly", (store) => store.index("at").getAllKeys());
  for (const old of keys.slice(0, -MOST)) await inStore("readwrite", (store) => store.delete(old));
}

export async function dropDraft(key: string): Promise<void> {
  await inStore("readwrite", (store) => store.delete(key));
}

/** Does one thing in the database, which is open only for so long: where it is, another tab could not forget it. */
async function inStore<T>(
  mode: IDBTransactionMode,
  ask: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open(DRAFTS, 1);
  opening.addEventListener("upgradeneeded", () => {
    opening.result.createObjectStore("drafts").createIndex("at", "at");
  });
  const database = await answered(opening);
  try {
    return await answered(ask(database.transaction("drafts", mode).objectStore("drafts")));
  } finally {
    database.close();
  }
}

function answered<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("no answer")));
  });
}

/** Null for what this version has not written. */
function asDraft(kept: unknown): Draft | null {
  const { base, text, at } = fieldsOf(kept);
  const { text: baseText, etag, format } = fieldsOf(base);
  const { hasMark, lineBreak } = fieldsOf(format);
  if (typeof text !== "string" || typeof at !== "string" || typeof baseText !== "string") return null;
  if (typeof hasMark !== "boolean" || (lineBreak !== "\n" && lineBreak !== "\r\n")) return null;
  const tag = typeof etag === "string" ? etag : null;
  return { base: { text: baseText, etag: tag, format: { hasMark, lineBreak } }, text, at };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
