import { requireDescriptors } from "../descriptors.ts";

/** Bytes; what a provider of sign-ins says takes a few thousand. */
const MAX_ANSWER = 1024 * 1024;

/**
 * Like `fetch`, for an answer that is small and waited for: it is here, whole, when this resolves. Throws
 * for a longer one without reading it to its end, and UNAVAILABLE with hardly any file descriptor left.
 */
export async function fetchBounded(url: string, init: RequestInit): Promise<Response> {
  // The first call starts a thread of the runtime's own.
  requireDescriptors();
  const { status, headers, body } = await fetch(url, init);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    if (length > MAX_ANSWER) throw new Error(`the answer has more than ${MAX_ANSWER} bytes`);
    pieces.push(piece);
  }
  return new Response(length === 0 ? null : Buffer.concat(pieces), { status, headers });
}
