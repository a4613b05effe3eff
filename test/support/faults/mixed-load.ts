import { expect } from "bun:test";
import type { Answer, Client, Json } from "../server/client.ts";
import { contentOf, formOf } from "./faults.ts";
import { hashOf } from "../samples/hash.ts";

/** What a writer asks for. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: Json | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
}

/** What stands at a path. */
interface Entry {
  readonly hash: string;
  readonly tags: readonly string[];
}
type Tree = ReadonlyMap<string, Entry>;

/** A write, and the files after it. */
interface Step {
  readonly asked: Asked;
  readonly after: Tree;
  /** The status of a success. */
  readonly status: number;
  readonly idempotencyKey: string | null;
}

interface FileRecord {
  readonly id: string;
  readonly path: string;
  readonly content_hash: string;
  readonly tags: readonly string[];
}

/** What is uploaded. */
export interface LoadContent {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly hash: string;
}

/** Few, so that many files of all writers have the same content: in the database up to 16 KiB, else in files. */
const CONTENTS = contentsOf([200, 3000, 16_384, 16_385, 40_000, 300_000]);

/** Three contents of each size in bytes. */
export function contentsOf(sizes: readonly number[]): LoadContent[] {
  return sizes.flatMap((size) =>
    ["a", "b", "c"].map((seed) => {
      const bytes = Uint8Array.from(contentOf(`${seed} ${size}`, size));
      return { bytes, hash: hashOf(bytes) };
    }),
  );
}
const FILES = 12;
/** With so many files, a writer copies no more folders. */
const MOST_FILES = 150;
/** A folder in a writer's own. */
const OTHER = "p/";
/** How many answered requests are sent again after a restart. */
const REMEMBERED = 3;

/** One of several, by chance. */
export function pick<T>(all: readonly T[]): T {
  const one = all[Math.floor(Math.random() * all.length)];
  if (one === undefined) throw new Error("there is nothing to pick from");
  return one;
}

/**
 * Somebody who writes in a folder of their own, one request after the other, and knows what must be there: what was
 * answered, and of the request that was cut off all or nothing.
 */
export class FileWriter {
  readonly #drive: string;
  readonly #root: string;
  readonly #newContent: () => LoadContent;
  #tree: Tree = new Map();
  /** By path; of files whose id is known. */
  #ids = new Map<string, string>();
  #underWay: Step | null = null;
  /** The last answered requests with an Idempotency-Key. */
  #answered: { readonly asked: Asked; readonly answer: Answer }[] = [];

  /**
   * @param root a folder, with a slash at its end
   * @param newContent gives what the next upload has
   */
  constructor(drive: string, root: string, newContent = () => pick(CONTENTS)) {
    this.#drive = drive;
    this.#root = root;
    this.#newContent = newContent;
  }

  /** Does one write of some kind. Rejects if the server goes away. */
  async write(client: Client): Promise<void> {
    const step = await this.#newStep();
    this.#underWay = step;
    const answer = await client.send(step.asked.method, step.asked.path, step.asked);
    this.#take(step, answer);
  }

  #take(step: Step, answer: Answer): void {
    expect([step.asked.method, step.asked.path, answer.status, answer.text]).toEqual([
      step.asked.method,
      step.asked.path,
      step.status,
      answer.text,
    ]);
    this.#underWay = null;
    this.#tree = step.after;
    if (step.idempotencyKey !== null)
      this.#answered = [...this.#answered, { asked: step.asked, answer }].slice(-REMEMBERED);
    const record: Partial<FileRecord> = JSON.parse(answer.text);
    for (const path of this.#ids.keys()) if (!step.after.has(path)) this.#ids.delete(path);
    if (record.path !== undefined && record.id !== undefined && step.after.has(record.path)) {
      this.#ids.set(record.path, record.id);
    }
  }

  /** After a restart: compares everything with what must be there, and sends again what may be sent again. */
  async check(client: Client): Promise<void> {
    const found = await this.#found(client);
    const step = this.#underWay;
    const allowed = [this.#tree, ...(step === null ? [] : [step.after])];
    const what = step === null ? "nothing" : `${step.asked.method} ${step.asked.path}`;
    expect([what, allowed.map(lines)]).toEqual([what, expect.arrayContaining([lines(found)])]);
    const isChange = step !== null && !Bun.deepEquals(lines(this.#tree), lines(step.after));
    const isDone = step !== null && Bun.deepEquals(lines(found), lines(step.after));
    this.#tree = found;
    this.#underWay = null;
    if (step !== null && step.idempotencyKey !== null) {
      const again = await client.send(step.asked.method, step.asked.path, step.asked);
      if (isChange) {
        expect([what, again.headers.get("idempotency-replayed")]).toEqual([what, isDone ? "true" : null]);
      }
      this.#take(step, again);
      expect([what, lines(await this.#found(client))]).toEqual([what, lines(step.after)]);
    }
    for (const { asked, answer } of this.#answered) {
      const again = await client.send(asked.method, asked.path, asked);
      const replayed = [again.headers.get("idempotency-replayed"), again.status, again.text];
      expect([asked.path, replayed]).toEqual([asked.path, ["true", answer.status, answer.text]]);
    }
  }

  /** Reads every file. */
  async readAll(client: Client): Promise<void> {
    for (const [path, id] of this.#ids) {
      const answer = await client.fetch("GET", `/v0/files/${id}/download`);
      expect([path, hashOf(await answer.bytes())]).toEqual([path, this.#tree.get(path)?.hash ?? "gone"]);
    }
  }

  async #found(client: Client): Promise<Tree> {
    const tree = new Map<string, Entry>();
    this.#ids = new Map();
    type Page = { data: FileRecord[]; next_cursor: string | null };
    const list = `/v0/files?drive_id=${this.#drive}&prefix=${this.#root}&limit=1000`;
    const pages = await client.pages<Page>(list);
    for (const { id, path, content_hash, tags } of pages.flatMap(({ data }) => data)) {
      tree.set(path, { hash: content_hash.slice("sha256:".length), tags });
      this.#ids.set(path, id);
    }
    return tree;
  }

  async #newStep(): Promise<Step> {
    const [known] = this.#ids.size === 0 ? [] : [pick([...this.#ids])];
    const kind = known === undefined || this.#ids.size < FILES ? 0 : Math.floor(Math.random() * 9);
    if (known === undefined || kind < 3) return this.#upload();
    const [path, id] = known;
    const entry = this.#tree.get(path);
    if (entry === undefined) throw new Error(`${path} is not in the model`);
    switch (kind) {
      case 3: {
        const tags = [pick(["red", "green"]), pick(["one", "two"])];
        return this.#step("PATCH", `/v0/files/${id}`, { tags }, this.#with(path, { ...entry, tags }));
      }
      case 4: {
        const to = this.#newPath();
        const after = this.#with(to, entry, this.#without(path));
        return this.#step("POST", `/v0/files/${id}/move`, { destination_path: to }, after);
      }
      case 5: {
        const to = this.#newPath();
        const after = this.#with(to, entry);
        return this.#step("POST", `/v0/files/${id}/copy`, { destination_path: to }, after, 201);
      }
      case 6:
        return this.#changeFolder(this.#tree.size < MOST_FILES ? pick(["copy", "copy", "move"]) : "move");
      case 7:
        return this.#removeFolder(folderOf(path));
      default:
        return this.#step("DELETE", `/v0/files/${id}`, undefined, this.#without(path));
    }
  }

  #removeFolder(path: string): Step {
    const body = { drive_id: this.#drive, path, confirm: true };
    return this.#step("DELETE", "/v0/folders", body, this.#without(path));
  }

  /** Copies or moves a folder, often into another one: so some have many files, which takes several pieces. */
  #changeFolder(kind: "copy" | "move"): Step {
    const chosen = pick([...this.#tree.keys()]);
    const top = chosen.slice(0, chosen.indexOf("/", this.#root.length) + 1);
    const folder = pick([folderOf(chosen), top]);
    const other = `${this.#root}${OTHER}`;
    const to = `${folder.startsWith(other) ? this.#root : other}${crypto.randomUUID()}/`;
    const moved = [...this.#tree].filter(([path]) => path.startsWith(folder));
    const rest = kind === "copy" ? this.#tree : this.#without(folder);
    const after = new Map([
      ...rest,
      ...moved.map(([path, entry]): [string, Entry] => [to + path.slice(folder.length), entry]),
    ]);
    const body = { drive_id: this.#drive, path: folder, destination_path: to };
    return this.#step("POST", `/v0/folders/${kind}`, body, after, kind === "copy" ? 201 : 200);
  }

  async #upload(): Promise<Step> {
    const isNew = this.#ids.size < FILES || Math.random() < 0.5;
    const path = isNew ? this.#newPath() : pick([...this.#ids.keys()]);
    const { bytes, hash } = this.#newContent();
    const status = this.#tree.has(path) ? 200 : 201;
    const tags = [pick(["red", "green"])];
    const after = this.#with(path, { hash, tags });
    switch (pick(["json", "raw", "form"])) {
      case "json": {
        const content = bytes.toBase64();
        const body = { drive_id: this.#drive, path, content, tags };
        return this.#step("POST", "/v0/files", body, after, status);
      }
      case "raw": {
        const query = `drive_id=${this.#drive}&path=${path}&tags=${tags.join()}`;
        return this.#step("PUT", `/v0/files?${query}`, bytes, after, status);
      }
      default: {
        const fields = { drive_id: this.#drive, path, tags: JSON.stringify(tags) };
        const { body, headers } = await formOf(fields, bytes);
        return this.#step("POST", "/v0/files", body, after, status, headers);
      }
    }
  }

  #step(
    method: string,
    path: string,
    body: Json | Uint8Array<ArrayBuffer> | undefined,
    after: Tree,
    status = 200,
    headers: Record<string, string> = {},
  ): Step {
    const idempotencyKey = Math.random() < 0.5 ? crypto.randomUUID() : null;
    const asked = {
      method,
      path,
      ...(body === undefined ? {} : { body }),
      headers: { ...headers, ...(idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey }) },
    };
    return { asked, after, status, idempotencyKey };
  }

  #with(path: string, entry: Entry, tree = this.#tree): Tree {
    return new Map([...tree, [path, entry]]);
  }

  /** Without a file, or everything in a folder. */
  #without(gone: string): Tree {
    return new Map(
      [...this.#tree].filter(([path]) => path !== gone && !(gone.endsWith("/") && path.startsWith(gone))),
    );
  }

  #newPath(): string {
    return `${this.#root}${pick(["p", "q", "p/r"])}/${crypto.randomUUID()}.bin`;
  }
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

function lines(tree: Tree): string[] {
  return [...tree].map(([path, { hash, tags }]) => `${path} ${hash} ${tags.toSorted().join()}`).toSorted();
}
