/**
 * Takes the next piece of an uploaded content, in order; it is never empty. The piece's memory may be
 * reused once the promise has resolved, so keep a copy, not the piece. A rejection ends the upload
 * and reaches whoever reads it.
 */
export type WriteContent = (piece: Uint8Array) => Promise<void>;
