import { type BlobFacts, requireBlob } from "../blobs/blob-file.ts";
import { DAY_MS } from "../domain/time.ts";
import type { SteadyClock } from "../process/clock.ts";
import { S3Refused, S3Unavailable } from "../s3/errors.ts";
import type { S3Settings } from "../s3/requests.ts";
import { S3Bucket } from "../s3/s3-bucket.ts";
import { BackupError, type BackupPlace, measured } from "./place.ts";

/** What a place in a bucket needs beside its address. */
export interface S3Access {
  readonly s3: S3Settings;
  readonly clock: SteadyClock;
}

/** A part of a bucket. */
export class S3Place implements BackupPlace {
  readonly #bucket: S3Bucket;
  readonly #clock: SteadyClock;

  /** @param address with a prefix that is empty, or ends in a slash */
  constructor(address: { readonly bucket: string; readonly prefix: string }, { s3, clock }: S3Access) {
    this.#bucket = explaining(() => new S3Bucket({ ...s3, ...address, clock }));
    this.#clock = clock;
  }

  list(prefix: string): ReturnType<BackupPlace["list"]> {
    return explainingEach(this.#bucket.list(prefix));
  }

  async read(name: string): Promise<AsyncIterable<Uint8Array> | null> {
    const content = await explainingLate(this.#bucket.get(name));
    return content && explainingEach(content.body);
  }

  async putContent(name: string, path: string, content: BlobFacts): Promise<void> {
    await requireBlob(path, content);
    await explainingLate(this.#bucket.put(name, Bun.file(path), { sha256: content.digest }));
  }

  async put(name: string, bytes: Blob): Promise<void> {
    const { sha256 } = await measured(bytes.stream());
    await explainingLate(this.#bucket.put(name, bytes, { sha256 }));
  }

  async remove(names: readonly string[]): Promise<void> {
    await explainingLate(this.#bucket.remove(names));
  }

  /** An object is durable once it was accepted. */
  async sync(): Promise<void> {}

  /** Removes the parts of files that a killed backup has left. */
  async clearDrafts(): Promise<void> {
    try {
      await this.#bucket.abortUploads(this.#clock.now() - DAY_MS);
    } catch (error) {
      // Not every key may list them. A rule of the bucket can remove them too.
      if (!(error instanceof S3Refused)) throw explained(error);
    }
  }
}

function explaining<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw explained(error);
  }
}

async function explainingLate<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw explained(error);
  }
}

async function* explainingEach<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw explained(error);
  }
}

function explained(error: unknown): unknown {
  return error instanceof S3Refused || error instanceof S3Unavailable
    ? new BackupError(error.message, { cause: error })
    : error;
}
