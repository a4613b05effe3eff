import type { StoreId } from "../domain/id.ts";
import type { CredentialsSource } from "../s3/credentials.ts";
import type { S3Settings } from "../s3/requests.ts";
import type { NamedFile } from "./blob-directory.ts";
import type { BlobFacts } from "./blob-file.ts";
import type { AwayDisk } from "./blob-place.ts";

/** Where the contents of a store in a bucket are; as such it can be posted to a thread. Secret. */
export interface BucketPlaces {
  readonly s3: Omit<S3Settings, "credentials"> & {
    readonly bucket: string;
    readonly prefix: string;
    readonly credentials: PlainCredentials | null;
  };
  /** The identity of the store; null if that does not matter. */
  readonly store: StoreId | null;
  /** Where the server keeps copies; null if it keeps none. */
  readonly cacheDir: string | null;
  /** For temporary files. */
  readonly tmpDir: string;
  /** Bytes to leave free there. */
  readonly diskReserve: number;
}

/** Where buckets are, and who may use them: what the configuration says. */
export type BucketSettings = S3Settings;

/** As `CredentialsSource`, without functions. */
export type PlainCredentials =
  | {
      readonly kind: "keys";
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken: string | null;
    }
  | { readonly kind: "file"; readonly path: string; readonly profile: string };

/**
 * The blobs of a store that this process, or thread, does not serve. Another one may be using them. Reads throw
 * DamagedBlob, and UnavailableBlob for what cannot be reached now.
 */
export interface StoredBlobs {
  /** What `read` gives for a file of a blob, which may go afterwards. It throws DamagedBlob, first of all, for one that is missing. */
  find<T>(content: BlobFacts, read: (path: string) => Promise<T>): Promise<T>;
  /** The first bytes of a blob, at most `length`. Of a small one all are checked. */
  beginning(content: BlobFacts, length: number): Promise<Uint8Array>;
  /** Checks that a blob is there with its size. */
  requireSize(content: BlobFacts): Promise<void>;
  /** Checks sizes, one after another, of blobs in the order of their digests. It costs less. */
  sizesInOrder(): (content: BlobFacts) => Promise<void>;
  /** Reads a blob in pieces; each overwrites the one before. It is checked after the last. */
  pieces(content: BlobFacts): AsyncGenerator<Uint8Array>;
  /** Replaces a blob where it is, durably. Changes nothing if `pieces` throws. */
  rewrite(content: BlobFacts, pieces: AsyncIterable<Uint8Array>): Promise<void>;
  /** Everything that can be reached, in no order. What goes meanwhile is left out. */
  names(): AsyncGenerator<NamedFile>;
  /** What cannot be reached now, and why. */
  away(): Promise<AwayDisk[]>;
}

/** Credentials that can be posted to a thread. */
export function plainCredentials(credentials: CredentialsSource | null): PlainCredentials | null {
  if (credentials?.kind !== "keys") return credentials;
  const { secretAccessKey, sessionToken } = credentials;
  return {
    ...credentials,
    secretAccessKey: secretAccessKey.reveal(),
    sessionToken: sessionToken?.reveal() ?? null,
  };
}
