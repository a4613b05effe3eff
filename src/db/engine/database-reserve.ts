import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync } from "node:fs";
import { type FileHandle, open, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "../../domain/errors.ts";
import { MIB } from "../../domain/limits.ts";

/** Bytes. Enough to delete some thousand files in one write, which frees room for the next. */
const SIZE = 8 * MIB;
/** Free bytes and those of the reserve that are needed to make it whole: with less, it would be freed again at once. */
const ENOUGH = 2 * SIZE;
/** How many bytes are freed at once. Other programs on the full disk take what is freed and not used at once. */
const STEP = MIB;
/** The least that file systems compare, in bytes. */
const PAGE = 4096;
/** Free bytes that are enough to start a server without it. */
const START = MIB;

/**
 * Disk space reserved for the database: a file of random bytes. On a full disk it is freed, so the database can
 * still do the writes that free space or let users sign in. It is created again once there is enough space. The
 * caller must hold the data directory's lock.
 */
export class DatabaseReserve {
  readonly #path: string;
  #isWhole = false;
  #timesReleased = 0;
  #restoring: Promise<boolean> | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Frees a part of the reserve at once. Returns false if there was none left. Throws system errors. */
  release(): boolean {
    this.#isWhole = false;
    this.#timesReleased += 1;
    const file = openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      const { size } = fstatSync(file);
      if (size === 0) return false;
      ftruncateSync(file, lessened(size, 1));
      // Some file systems free the space only now.
      fsyncSync(file);
      return true;
    } finally {
      closeSync(file);
    }
  }

  /** Creates what the disk has space for. Returns whether the reserve is whole now. Rejects with system errors. */
  restore(): Promise<boolean> {
    if (this.#isWhole) return Promise.resolve(true);
    this.#restoring ??= this.#restore().finally(() => (this.#restoring = null));
    return this.#restoring;
  }

  /** Frees the reserve if the disk has too little space for a server to start. */
  async makeRoomToStart(): Promise<void> {
    while ((await this.#freeBytes()) < START && this.release());
  }

  async #restore(): Promise<boolean> {
    const before = this.#timesReleased;
    const file = await open(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      const { size } = await file.stat();
      const isWhole = (await isAllocated(file, SIZE)) || (await this.#grow(file, size));
      if (this.#timesReleased === before) this.#isWhole = isWhole;
      // Some was freed again meanwhile.
      else await file.truncate(lessened(size, this.#timesReleased - before));
      return this.#isWhole;
    } finally {
      await file.close();
    }
  }

  /** Takes what the disk has. Returns whether the reserve is whole then. */
  async #grow(file: FileHandle, size: number): Promise<boolean> {
    const free = await this.#freeBytes();
    if (size + free >= ENOUGH) return fill(file, 0, SIZE);
    // What is needed at once, such as for a sign-in, stays free.
    const spare = Math.floor(free / STEP - 1) * STEP;
    if (spare > 0 && size < SIZE - STEP) await fill(file, size, Math.min(size + spare, SIZE - STEP));
    return false;
  }

  async #freeBytes(): Promise<number> {
    const { bavail, frsize } = await statfs(dirname(this.#path));
    return bavail * frsize;
  }
}

function lessened(size: number, times: number): number {
  return Math.max(0, Math.min(size, SIZE) - times * STEP);
}

async function isAllocated(file: FileHandle, bytes: number): Promise<boolean> {
  const { size, blocks } = await file.stat();
  // `blocks` counts units of 512 bytes on every file system.
  return size === bytes && blocks * 512 >= bytes;
}

/** Writes the file from one size to another. Returns false, with the first size, if there was no space. */
async function fill(file: FileHandle, from: number, to: number): Promise<boolean> {
  // Random bytes: file systems that compress store zeros in no space.
  const bytes = crypto.getRandomValues(new Uint8Array(Math.min(MIB, to - from)));
  const words = new Uint32Array(bytes.buffer);
  try {
    for (let at = from; at < to; at += MIB) {
      // Others store equal pages once.
      for (let word = 0; word < words.length; word += PAGE / 4) words[word] = at + word;
      await file.write(bytes, 0, Math.min(bytes.length, to - at), at);
    }
    await file.sync();
  } catch (error) {
    await file.truncate(from);
    if (["ENOSPC", "EDQUOT"].some((code) => code === codeOf(error))) return false;
    throw error;
  }
  // A write may be partial.
  return isAllocated(file, to);
}
