/** How much the Coffer that is compared with the model keeps. */
export const KEPT = { days: 2, versions: 4 };
const KEPT_MS = KEPT.days * 24 * 60 * 60 * 1000;

interface ModelVersion {
  readonly number: number;
  readonly content: Buffer<ArrayBuffer>;
  readonly replacedAt: number;
}

interface ModelFile {
  readonly id: string;
  readonly path: string;
  content: Buffer<ArrayBuffer>;
  number: number;
  versions: ModelVersion[];
}

/** What a drive holds and keeps, as simply as can be. Times are milliseconds since the epoch. */
export class HistoryModel {
  readonly files = new Map<string, ModelFile>();
  readonly trash = new Map<string, { readonly file: ModelFile; readonly deletedAt: number }>();

  /** The file with this id. */
  file(id: string): ModelFile {
    const file = [...this.files.values()].find((each) => each.id === id);
    if (file === undefined) throw new Error("the model has no such file");
    return file;
  }

  put(path: string, id: string, content: Buffer<ArrayBuffer>, now: number): void {
    const file = this.files.get(path);
    if (file === undefined) this.files.set(path, { id, path, content, number: 1, versions: [] });
    else replace(file, content, now);
  }

  restoreVersion(path: string, number: number, now: number): void {
    const file = this.#at(path);
    const version = file.versions.find((each) => each.number === number);
    if (version === undefined) throw new Error("the model has no such version");
    replace(file, version.content, now);
  }

  removeVersion(path: string, number: number): void {
    const file = this.#at(path);
    file.versions = file.versions.filter((each) => each.number !== number);
  }

  remove(path: string, entry: string, now: number): void {
    const file = this.#at(path);
    this.files.delete(path);
    this.trash.set(entry, { file, deletedAt: now });
  }

  restore(entry: string, path: string): void {
    const trashed = this.trash.get(entry);
    if (trashed === undefined) throw new Error("the model has no such entry");
    this.trash.delete(entry);
    this.files.set(path, { ...trashed.file, path });
  }

  /** Drops what is kept for long enough. */
  pass(now: number): void {
    for (const [entry, { deletedAt }] of this.trash) if (deletedAt <= now - KEPT_MS) this.trash.delete(entry);
    for (const file of this.#all()) {
      file.versions = file.versions.filter(({ replacedAt }) => replacedAt > now - KEPT_MS);
    }
  }

  /** The bytes of each content that is kept and that no file has. */
  keptBytes(): number {
    const live = new Set([...this.files.values()].map(({ content }) => content));
    const kept = new Set([
      ...[...this.trash.values()].map(({ file }) => file.content),
      ...this.#all().flatMap(({ versions }) => versions.map(({ content }) => content)),
    ]);
    return [...kept].reduce((sum, content) => (live.has(content) ? sum : sum + content.length), 0);
  }

  #at(path: string): ModelFile {
    const file = this.files.get(path);
    if (file === undefined) throw new Error("the model has no file there");
    return file;
  }

  #all(): ModelFile[] {
    return [...this.files.values(), ...[...this.trash.values()].map(({ file }) => file)];
  }
}

function replace(file: ModelFile, content: Buffer<ArrayBuffer>, now: number): void {
  if (content === file.content) return;
  const version = { number: file.number, content: file.content, replacedAt: now };
  file.versions = [...file.versions, version].slice(-KEPT.versions);
  file.number += 1;
  file.content = content;
}
