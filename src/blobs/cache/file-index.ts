import { type Digest, parseDigest } from "../../domain/contents/content.ts";

/** The words of an entry: its digest, then these. They are 56 bytes. */
const WORD = { blocks: 8, older: 9, newer: 10, next: 11, heldUntil: 12, markedAt: 13 } as const;
const DIGEST_WORDS = 8;
const ENTRY_WORDS = 14;
/** Entries are made so many at once: nothing ever has to be copied, however many there are. */
const SLAB_BITS = 10;
const SLAB_ENTRIES = 1 << SLAB_BITS;
/** Lists of entries whose digests begin alike. With a million entries a list has fifteen. */
const LISTS = 1 << 16;
/** No entry. Its words are the ends of the order of use: `newer` is the oldest entry, `older` the newest. */
const NONE = 0;
/** How many entries are put in order in one turn. */
const TURN_ENTRIES = 500;
/** How often the use of a content is marked on the disk, in seconds. More exactly the order of earlier runs is not known. */
export const MARK_SECONDS = 300;
/** How many entries that may not go are passed over in the search of one that may. */
const MOST_HELD = 200;

/** How a content was used. */
export interface Use {
  /** Until when it may not go; seconds of any clock. */
  readonly heldUntil: number;
  /** When its use was marked on the disk; seconds since the epoch. */
  readonly markedAt: number;
}

/**
 * Which contents a cache holds, in the order of their last use. The entries are in arrays of numbers: a map of a million
 * strings would take three times the memory, and stop everything for a while whenever it grows.
 */
export class FileIndex {
  readonly #slabs: Uint32Array<ArrayBuffer>[] = [];
  readonly #heads = new Uint32Array(LISTS);
  /** The first entry that is free again. The others follow as `next`. */
  #free = NONE;
  /** How many entries were ever made, with `NONE`. */
  #made = 0;
  #count = 0;
  #blocks = 0;

  constructor() {
    this.#make();
  }

  get count(): number {
    return this.#count;
  }

  /** What all contents take together. */
  get blocks(): number {
    return this.#blocks;
  }

  has(digest: Digest): boolean {
    return this.#find(wordsOf(digest)) !== NONE;
  }

  /** When the use of a content was marked last; null if it is not here. */
  markedAt(digest: Digest): number | null {
    const entry = this.#find(wordsOf(digest));
    return entry === NONE ? null : this.#get(entry, "markedAt");
  }

  /** Adds a content as the one that was used last; one that is here already becomes that. */
  add(digest: Digest, blocks: number, use: Use): void {
    const entry = this.#put(digest, blocks);
    this.#unlink(entry);
    this.#link(entry, this.#get(NONE, "older"));
    this.#set(entry, "heldUntil", use.heldUntil);
    this.#set(entry, "markedAt", use.markedAt);
  }

  /** Adds a content of an earlier run, unless it is here already. It has no place in the order before `order`. */
  addFound(digest: Digest, blocks: number, markedAt: number): void {
    if (this.has(digest)) return;
    this.#set(this.#put(digest, blocks), "markedAt", markedAt);
  }

  /** Puts the contents of an earlier run into the order, before all others. Others have their turn at each step. */
  *order(): Generator<void> {
    const found = new Map<number, number[]>();
    for (let entry = NONE + 1; entry < this.#made; entry += 1) {
      if (entry % TURN_ENTRIES === 0) yield;
      if (!this.#isUnordered(entry)) continue;
      const time = Math.floor(this.#get(entry, "markedAt") / MARK_SECONDS);
      const others = found.get(time);
      if (others === undefined) found.set(time, [entry]);
      else others.push(entry);
    }
    let count = 0;
    for (const time of [...found.keys()].toSorted((a, b) => b - a)) {
      for (const entry of found.get(time) ?? []) {
        count += 1;
        if (count % TURN_ENTRIES === 0) yield;
        // It may have been used meanwhile.
        if (this.#isUnordered(entry)) this.#link(entry, NONE);
      }
    }
  }

  /** Forgets a content. Returns what it took, in blocks; null if it was not here. */
  remove(digest: Digest): number | null {
    const words = wordsOf(digest);
    const entry = this.#find(words);
    if (entry === NONE) return null;
    const list = listOf(words);
    let before: number = NONE;
    for (let at = this.#heads[list] ?? NONE; at !== entry; at = this.#get(at, "next")) before = at;
    const next = this.#get(entry, "next");
    if (before === NONE) this.#heads[list] = next;
    else this.#set(before, "next", next);
    this.#unlink(entry);
    this.#set(entry, "older", NONE);
    this.#set(entry, "next", this.#free);
    this.#free = entry;
    const blocks = this.#get(entry, "blocks");
    this.#count -= 1;
    this.#blocks -= blocks;
    return blocks;
  }

  /** The content that was used longest ago, of those that may go; null if there is none near that end. */
  oldest(now: number): Digest | null {
    let entry = this.#get(NONE, "newer");
    for (let passed = 0; entry !== NONE && passed < MOST_HELD; passed += 1) {
      if (this.#get(entry, "heldUntil") <= now) return this.#digestOf(entry);
      entry = this.#get(entry, "newer");
    }
    return null;
  }

  /** The entry of a content, made if there is none: outside the order, then. */
  #put(digest: Digest, blocks: number): number {
    const words = wordsOf(digest);
    let entry = this.#find(words);
    if (entry === NONE) {
      entry = this.#take();
      this.#slabOf(entry).fill(0, baseOf(entry), baseOf(entry) + ENTRY_WORDS);
      this.#slabOf(entry).set(words, baseOf(entry));
      this.#set(entry, "older", entry);
      this.#set(entry, "newer", entry);
      this.#set(entry, "next", this.#heads[listOf(words)] ?? NONE);
      this.#heads[listOf(words)] = entry;
      this.#count += 1;
    }
    this.#blocks += blocks - this.#get(entry, "blocks");
    this.#set(entry, "blocks", blocks);
    return entry;
  }

  #take(): number {
    const free = this.#free;
    if (free === NONE) return this.#make();
    this.#free = this.#get(free, "next");
    return free;
  }

  #make(): number {
    if (this.#made >>> SLAB_BITS === this.#slabs.length) {
      this.#slabs.push(new Uint32Array(SLAB_ENTRIES * ENTRY_WORDS));
    }
    this.#made += 1;
    return this.#made - 1;
  }

  #find(words: Uint32Array): number {
    let entry = this.#heads[listOf(words)] ?? NONE;
    while (entry !== NONE && !this.#isOf(entry, words)) entry = this.#get(entry, "next");
    return entry;
  }

  #isOf(entry: number, words: Uint32Array): boolean {
    const slab = this.#slabOf(entry);
    const base = baseOf(entry);
    for (let i = 0; i < DIGEST_WORDS; i += 1) if (slab[base + i] !== words[i]) return false;
    return true;
  }

  /** Whether it is the entry of a content that has no place in the order yet. */
  #isUnordered(entry: number): boolean {
    return this.#get(entry, "older") === entry;
  }

  /** @param older the entry after which it comes */
  #link(entry: number, older: number): void {
    const newer = this.#get(older, "newer");
    this.#set(entry, "older", older);
    this.#set(entry, "newer", newer);
    this.#set(older, "newer", entry);
    this.#set(newer, "older", entry);
  }

  #unlink(entry: number): void {
    const [older, newer] = [this.#get(entry, "older"), this.#get(entry, "newer")];
    this.#set(older, "newer", newer);
    this.#set(newer, "older", older);
  }

  #digestOf(entry: number): Digest {
    const bytes = new Uint8Array(this.#slabOf(entry).buffer, baseOf(entry) * 4, DIGEST_WORDS * 4);
    const digest = parseDigest(bytes.toHex());
    if (digest === null) throw new Error("the runtime wrote malformed hex digits");
    return digest;
  }

  #get(entry: number, word: keyof typeof WORD): number {
    return this.#slabOf(entry)[baseOf(entry) + WORD[word]] ?? NONE;
  }

  #set(entry: number, word: keyof typeof WORD, value: number): void {
    this.#slabOf(entry)[baseOf(entry) + WORD[word]] = value;
  }

  #slabOf(entry: number): Uint32Array<ArrayBuffer> {
    const slab = this.#slabs[entry >>> SLAB_BITS];
    if (slab === undefined) throw new RangeError("no such entry");
    return slab;
  }
}

function baseOf(entry: number): number {
  return (entry & (SLAB_ENTRIES - 1)) * ENTRY_WORDS;
}

function wordsOf(digest: Digest): Uint32Array {
  return new Uint32Array(Uint8Array.fromHex(digest).buffer);
}

function listOf(words: Uint32Array): number {
  return (words[0] ?? 0) & (LISTS - 1);
}
