/** Bytes of a blob to be sent: a stream has to be read to its end, or cancelled. */
export type BlobBody = Blob | ReadableStream<Uint8Array>;

/** A whole blob that can be read in any order until this is disposed of. */
export interface HeldBlob extends AsyncDisposable {
  readonly blob: Blob;
}

/** Holds what stays by itself. */
export function held(blob: Blob): HeldBlob {
  return { blob, [Symbol.asyncDispose]: async () => {} };
}

/** The bytes of a body, in pieces of at most so many bytes where it is a Blob. Fewer come if that has become shorter. */
export async function* piecesOf(body: BlobBody, pieceBytes: number): AsyncGenerator<Uint8Array> {
  if (!(body instanceof Blob)) return yield* body;
  for (let at = 0; at < body.size; at += pieceBytes) yield body.slice(at, at + pieceBytes).bytes();
}
