import { once } from "../../domain/once.ts";
import { acceptsGzip } from "./negotiation.ts";

/**
 * Answers requests for a file that does not change, and is read at the first: compressed, and not again to who has it.
 *
 * @param vary what else the choice of this file depends on
 */
export function fixedFile(
  read: () => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>,
  headers: Readonly<Record<string, string>>,
  vary: readonly string[] = [],
): (request: Request) => Promise<Response> {
  const shared = { ...headers, vary: [...vary, "accept-encoding"].join(", ") };
  const loaded = once(async () => encodingsOf(await read(), shared));
  return async (request) => {
    const [plain, packed] = await loaded();
    const chosen = acceptsGzip(request.headers.get("accept-encoding")) ? packed : plain;
    const isKnown = isHeld(request, plain) || isHeld(request, packed);
    return new Response(isKnown ? null : chosen.body, {
      status: isKnown ? 304 : 200,
      headers: chosen.headers,
    });
  };
}

/** The file as it is and, if that saves anything, in gzip's format. */
async function encodingsOf(content: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>) {
  // Loaded when the first file is asked for: a start need not wait for it.
  const [{ gzip }, { promisify }] = await Promise.all([import("node:zlib"), import("node:util")]);
  // On another thread: the largest file takes a tenth of a second.
  const packed = new Uint8Array(await promisify(gzip)(content, { level: 9 }));
  const plain = encoded(content, headers);
  const isShorter = packed.length < content.length;
  return [plain, isShorter ? encoded(packed, { ...headers, "content-encoding": "gzip" }) : plain] as const;
}

/** Each encoding has an entity tag of its own (RFC 9110, section 8.8.3). */
function encoded(body: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>) {
  return { body, headers: { ...headers, etag: `"${Bun.SHA256.hash(body, "hex").slice(0, 32)}"` } };
}

/** Whether the client has this encoding. Proxies that compress make a tag weak. */
function isHeld({ headers }: Request, file: ReturnType<typeof encoded>): boolean {
  const tags = (headers.get("if-none-match") ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(file.headers.etag);
}
