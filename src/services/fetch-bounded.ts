import { requireDescriptors } from "../process/descriptors.ts";

/** Bytes; the responses of a sign-in provider have a few thousand. */
const MAX_ANSWER = 1024 * 1024;

/**
 * `fetch` of a whole small response. Throws for a longer one before its end, UNAVAILABLE if file descriptors are short.
 */
export async function fetchBounded(url: string, init: RequestInit): Promise<Response> {
  // The first call starts a thread of the runtime.
  requireDescriptors();
  const { status, headers, body } = await fetch(url, init);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    if (length > MAX_ANSWER) throw new Error(`the response has more than ${MAX_ANSWER} bytes`);
    pieces.push(piece);
  }
  return new Response(length === 0 ? null : Buffer.concat(pieces), { status, headers });
}
