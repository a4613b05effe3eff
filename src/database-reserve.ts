import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync } from "node:fs";
import { type FileHandle, open, statfs } from "node:fs/promises";
import { dirname } from "node:path";

const MIB = 1024 * 1024;
/** Bytes. Enough to delete some thousand files in one write; what was deleted leaves room for the next. */
const SIZE = 8 * MIB;
/** Free bytes that it takes to make it: with too little beside it, it would be given up again at once. */
const ENOUGH = 2 * SIZE;
/** Free bytes with which a server can start without it. */
const START = MIB;

/**
 * Room on the disk that is the database's own: a file that is filled with noise. On a full disk it is given
 * up, so that the database has room for the writes that free some or let people in. It is made again once
 * there is enough. Only whoever holds the data directory's lock may use it.
 */
export class DatabaseReserve {
  readonly #path: string;
  #isWhole = false;
  #timesGivenUp = 0;
  #restoring: Promise<boolean> | null = null;

  /** @param path of the file; it is not touched yet */
  constructor(path: string) {
    this.#path = path;
  }

  /** Whether all of it is there. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Frees its room, at once; false when there was none left. Throws what the system throws. */
  giveUp(): boolean {
    this.#isWhole = false;
    this.#timesGivenUp += 1;
    const file = openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      if (fstatSync(file).size === 0) return false;
      ftruncateSync(file, 0);
      // Some file systems free the room only now.
      fsyncSync(file);
      return true;
    } finally {
      closeSync(file);
    }
  }

  /** Makes it whole where the disk has room; whether it is whole now. Rejects with what the system throws. */
  restore(): Promise<boolean> {
    if (this.#isWhole) return Promise.resolve(true);
    this.#restoring ??= this.#restore().finally(() => {
      this.#restoring = null;
    });
    return this.#restoring;
  }

  /** Gives it up where the disk has too little room left for a server to start. */
  async makeRoomToStart(): Promise<void> {
    if ((await this.#freeBytes()) < START) this.giveUp();
  }

  async #restore(): Promise<boolean> {
    const before = this.#timesGivenUp;
    const file = await open(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      const isThere =
        (await isAllocated(file)) || ((await this.#freeBytes()) >= ENOUGH && (await fill(file)));
      if (this.#timesGivenUp === before) this.#isWhole = isThere;
      // It was needed again while it was being made.
      else await file.truncate(0);
      return this.#isWhole;
    } finally {
      await file.close();
    }
  }

  async #freeBytes(): Promise<number> {
    const { bavail, frsize } = await statfs(dirname(this.#path));
    return bavail * frsize;
  }
}

async function isAllocated(file: FileHandle): Promise<boolean> {
  const { size, blocks } = await file.stat();
  // `blocks` counts 512 bytes each, whatever the file system's own blocks are.
  return size === SIZE && blocks * 512 >= SIZE;
}

/** Writes all of the file; false when there was no room. */
async function fill(file: FileHandle): Promise<boolean> {
  try {
    for (let at = 0; at < SIZE; at += MIB) {
      // Noise, since zeros take no room where the file system compresses.
      await file.write(randomBytes(MIB), 0, MIB, at);
    }
    await file.sync();
  } catch (error) {
    await file.truncate(0);
    if (isDiskFull(error)) return false;
    throw error;
  }
  // A write may take only a part.
  return isAllocated(file);
}

/** Whether a system call failed since the disk, or the part of it that this user may have, is full. */
function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}
