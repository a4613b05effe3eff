import { once } from "../../domain/once.ts";
import { acceptsGzip } from "./negotiation.ts";

/** A file as it is sent in one encoding. */
interface Encoded {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Answers requests for a file that does not change while the process runs: compressed for those who accept it, and not
 * sent again to those who have it.
 *
 * @param read is called at the first request
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
    const { plain, packed } = await loaded();
    const chosen = packed !== null && acceptsGzip(request.headers.get("accept-encoding")) ? packed : plain;
    const isKnown = [plain, packed].some((each) => each !== null && isHeld(request, each));
    return new Response(isKnown ? null : chosen.body, {
      status: isKnown ? 304 : 200,
      headers: chosen.headers,
    });
  };
}

/** The file in both encodings; `packed` is null if compressing saves nothing. */
async function encodingsOf(content: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>) {
  const compressed = await compress(content);
  return {
    plain: encoded(content, headers),
    packed:
      compressed.length < content.length
        ? encoded(compressed, { ...headers, "content-encoding": "gzip" })
        : null,
  };
}

/** In gzip's format. On another thread: the largest file takes a tenth of a second. */
async function compress(content: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  // Loaded when the first file is asked for: a start need not wait for it.
  const [{ gzip }, { promisify }] = await Promise.all([import("node:zlib"), import("node:util")]);
  return new Uint8Array(await promisify(gzip)(content, { level: 9 }));
}

/** Each encoding has an entity tag of its own (RFC 9110, section 8.8.3). */
function encoded(body: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>): Encoded {
  return { body, headers: { ...headers, etag: `"${Bun.SHA256.hash(body, "hex").slice(0, 32)}"` } };
}

/** Whether the client has this encoding. Proxies that compress make a tag weak. */
function isHeld({ headers }: Request, file: Encoded): boolean {
  const tags = (headers.get("if-none-match") ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(file.headers["etag"] ?? "");
}
