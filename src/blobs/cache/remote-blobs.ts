import type { ByteRange } from "../../domain/contents/content.ts";
import { type BlobFacts, DamagedBlob } from "../blob-file.ts";
import { UnavailableBlob } from "../blob-place.ts";

/** Where contents are, when they are not here. */
export interface RemoteBlobs {
  /**
   * The bytes of a range as they come, unchecked. Throws DamagedBlob where there is no such object or it has another
   * size; UNAVAILABLE where the place is away.
   */
  open(content: BlobFacts, range: ByteRange): Promise<ReadableStream<Uint8Array>>;
}

/** Is told of damage that shows only in the bytes, which a stream may have begun to hand out. */
export type OnDamage = (damage: DamagedBlob) => void;

/** What a content's bytes have come with that it does not have. @param problem as `DamagedBlob.problem` */
export function damagedRemote({ digest }: BlobFacts, problem: string): DamagedBlob {
  return new DamagedBlob(`the remote content ${digest}`, digest, problem);
}

/** The error for bytes that have not come, though their place was not away at first. @param cause is for the log */
export function interrupted(cause: unknown): UnavailableBlob {
  return new UnavailableBlob({ message: "The content could not be read to its end. Try again soon.", cause });
}

/** The same for a body that has ended `left` bytes before the end of its range. */
export function endedEarly({ digest }: BlobFacts, left: number): UnavailableBlob {
  return interrupted(new Error(`the content ${digest} has ended ${left} bytes early`));
}

/** Bytes that are read one piece after another. One call of `ready` or `next` at a time. */
export interface PieceReader {
  /** Resolves once the next bytes can come. Throws what reading them would throw. */
  ready(): Promise<void>;
  /** The next piece, which is the caller's; null at the end. After an error only `release` may be called. */
  next(): Promise<Uint8Array | null>;
  /** Ends the reading, at any time. Later calls do nothing. */
  release(): void;
}

/** A body that comes, read one piece after another. */
export interface Incoming {
  /** The next piece; null at the end, also when it was cut. Throws UNAVAILABLE where the connection breaks. */
  next(): Promise<Uint8Array | null>;
  /** Ends it, at any time: nothing more is fetched. */
  cut(): void;
}

export function incoming(body: ReadableStream<Uint8Array>): Incoming {
  const reader = body.getReader();
  return {
    next: async () => {
      try {
        return (await reader.read()).value ?? null;
      } catch (error) {
        throw interrupted(error);
      }
    },
    // A connection that has failed already needs no end.
    cut: () => void reader.cancel().catch(() => {}),
  };
}

/** A body of what a reader reads, which is released at its end, after an error, and when the body is cancelled. */
export function bodyOf(reader: PieceReader): ReadableStream<Uint8Array> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
    reader.release();
  };
  const source = {
    pull: async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      try {
        const piece = await reader.next();
        // It was cancelled meanwhile.
        if (hasEnded) return;
        if (piece !== null) return controller.enqueue(piece);
        end();
        controller.close();
      } catch (error) {
        end();
        throw error;
      }
    },
    cancel: end,
  };
  // Nothing is read before it is wanted.
  return new ReadableStream(source, { highWaterMark: 0 });
}

/** What a reader reads, in pieces of at most so many bytes. It is released at the end. */
export async function* piecesOf(reader: PieceReader, pieceBytes = Infinity): AsyncGenerator<Uint8Array> {
  try {
    for (let piece = await reader.next(); piece !== null; piece = await reader.next()) {
      for (let at = 0; at < piece.length; at += pieceBytes) yield piece.subarray(at, at + pieceBytes);
    }
  } finally {
    reader.release();
  }
}

/** All that a reader reads, which must be `length` bytes. It is released. */
export async function collect(reader: PieceReader, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for await (const piece of piecesOf(reader)) {
    bytes.set(piece, at);
    at += piece.length;
  }
  if (at !== length) throw interrupted(new Error(`a content was read to byte ${at} of ${length}`));
  return bytes;
}
