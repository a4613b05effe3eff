import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync } from "node:fs";
import { type FileHandle, open, statfs } from "node:fs/promises";
import { dirname } from "node:path";

const MIB = 1024 * 1024;
/** Bytes. Enough to delete some thousand files in one write, which frees room for the next. */
const SIZE = 8 * MIB;
/** Free bytes needed to create the reserve: with less left over, it would be freed again at once. */
const ENOUGH = 2 * SIZE;
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

  /** @param path of the file; not touched yet */
  constructor(path: string) {
    this.#path = path;
  }

  /** Whether the whole reserve exists. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Frees the reserve at once. Returns false if there was none left. Throws system errors. */
  release(): boolean {
    this.#isWhole = false;
    this.#timesReleased += 1;
    const file = openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      if (fstatSync(file).size === 0) return false;
      ftruncateSync(file, 0);
      // Some file systems free the space only now.
      fsyncSync(file);
      return true;
    } finally {
      closeSync(file);
    }
  }

  /** Creates the reserve if the disk has space. Returns whether it exists now. Rejects with system errors. */
  restore(): Promise<boolean> {
    if (this.#isWhole) return Promise.resolve(true);
    this.#restoring ??= this.#restore().finally(() => {
      this.#restoring = null;
    });
    return this.#restoring;
  }

  /** Frees the reserve if the disk has too little space for a server to start. */
  async makeRoomToStart(): Promise<void> {
    if ((await this.#freeBytes()) < START) this.release();
  }

  async #restore(): Promise<boolean> {
    const before = this.#timesReleased;
    const file = await open(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      const exists = (await isAllocated(file)) || ((await this.#freeBytes()) >= ENOUGH && (await fill(file)));
      if (this.#timesReleased === before) this.#isWhole = exists;
      // It was freed again meanwhile.
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
  // `blocks` counts units of 512 bytes on every file system.
  return size === SIZE && blocks * 512 >= SIZE;
}

/** Writes the whole file. Returns false if there was no space. */
async function fill(file: FileHandle): Promise<boolean> {
  try {
    for (let at = 0; at < SIZE; at += MIB) {
      // Random bytes: file systems that compress store zeros in no space.
      await file.write(crypto.getRandomValues(new Uint8Array(MIB)), 0, MIB, at);
    }
    await file.sync();
  } catch (error) {
    await file.truncate(0);
    if (isDiskFull(error)) return false;
    throw error;
  }
  // A write may be partial.
  return isAllocated(file);
}

/** Whether a system call failed because the disk, or this user's quota, is full. */
function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}
