import { isObject } from "../schemas/json-schema.ts";
import type { Random } from "../server/random.ts";

/** What a value is the name of. */
export type Kind =
  | "drive"
  | "slug"
  | "file"
  | "key"
  | "snapshot"
  | "trash entry"
  | "version"
  | "session"
  | "user"
  | "username"
  | "claim"
  | "link"
  | "upload link"
  | "share link"
  | "listed link"
  | "webhook"
  | "delivery"
  | "comment"
  | "path"
  | "folder"
  | "etag"
  | "cursor";

/** How many of each kind are remembered. */
const KEPT = 30;
/** How often a caller names what belongs to somebody else. */
const FOREIGN = 0.1;

/** The names of things of one owner that exist, or did a moment ago, from the answers so far. */
export class KnownValues {
  readonly #values = new Map<Kind, string[]>();
  readonly #everybody: KnownValues | null;

  /** @param everybody learns all that this one learns */
  constructor(everybody: KnownValues | null = null) {
    this.#everybody = everybody;
  }

  /** One of a kind, mostly of the latest of this owner's; undefined if there is none yet. */
  pick(kind: Kind, random: Random): string | undefined {
    const values = this.#values.get(kind) ?? [];
    if (this.#everybody !== null && (values.length === 0 || random.chance(FOREIGN)))
      return this.#everybody.pick(kind, random);
    return values.length === 0 ? undefined : random.pick(random.chance(0.5) ? values.slice(-6) : values);
  }

  /** The last of a kind; empty if there is none yet. */
  latest(kind: Kind): string {
    return this.#values.get(kind)?.at(-1) ?? "";
  }

  add(kind: Kind, value: unknown): void {
    if (typeof value !== "string") return;
    this.#everybody?.add(kind, value);
    const values = this.#values.get(kind) ?? [];
    this.#values.set(kind, [...values.filter((each) => each !== value), value].slice(-KEPT));
  }

  /** Remembers what an answer of an operation names. */
  learn(operation: string, answer: unknown): void {
    if (Array.isArray(answer)) answer.slice(0, KEPT).forEach((each) => this.learn(operation, each));
    if (!isObject(answer)) return;
    if ("replaced_at" in answer) this.add("version", String(answer["version"]));
    else if ("content_hash" in answer) this.#learnFile(answer["id"], answer["path"], answer["content_hash"]);
    else if ("slug" in answer) this.add("drive", answer["id"]);
    else if ("automatic" in answer) this.add("snapshot", answer["id"]);
    else if ("key_prefix" in answer) this.add("key", answer["id"]);
    else if ("has_folders" in answer) this.add("folder", answer["path"]);
    else if (operation === "listSessions") this.add("session", answer["id"]);
    else if (operation.startsWith("createPresignedUrl")) this.add("link", answer["token"]);
    else if (operation === "createUploadLink") this.add("upload link", tokenIn(answer["url"]));
    else if (operation === "createLink") this.add("share link", answer["token"]);
    if (/Link|PresignedUrl/.test(operation)) this.add("listed link", answer["id"]);
    if ("disabled_reason" in answer) this.add("webhook", answer["id"]);
    if ("mentions" in answer) this.add("comment", answer["id"]);
    if ("next_at" in answer) this.add("delivery", answer["id"]);
    if ("deleted_at" in answer) this.add("trash entry", answer["id"]);
    this.add("trash entry", answer["trash_id"]);
    this.add("slug", answer["slug"]);
    this.add("cursor", answer["next_cursor"]);
    if ("username" in answer) {
      this.add("user", answer["id"] ?? answer["user_id"]);
      this.add("username", answer["username"]);
    }
    this.add("claim", tokenIn(answer["claim_url"]));
    for (const inner of [answer["data"], answer["file"]])
      if (typeof inner === "object") this.learn(operation, inner);
  }

  #learnFile(id: unknown, path: unknown, hash: unknown): void {
    this.add("file", id);
    this.add("path", path);
    this.add("etag", `"${String(hash).replace("sha256:", "")}"`);
  }
}

/** The end of an address. */
function tokenIn(url: unknown): unknown {
  return typeof url === "string" ? url.split("/").at(-1) : undefined;
}
