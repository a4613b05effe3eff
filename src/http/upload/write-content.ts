/**
 * Takes the next piece of an uploaded content, in order; never an empty one. The piece's memory may be reused once
 * the promise has resolved, so keep a copy, not the piece. A rejection ends the upload and is passed on to the code
 * that reads it.
 */
export type WriteContent = (piece: Uint8Array) => Promise<void>;
