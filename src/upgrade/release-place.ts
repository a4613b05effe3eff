import { messageOf } from "../domain/errors.ts";
import { UpgradeError } from "./upgrade-error.ts";

/** More redirects than a place of downloads needs. */
const MOST_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
/** Of a small file, in bytes: a list of sums has about 100 for each file. */
const MOST_TEXT_BYTES = 65_536;
/** How long the answer to a request may take to begin, in milliseconds. */
const ANSWER_MS = 30_000;
/** Semantic Versioning 2.0.0, without build metadata, which has no order. */
const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z-]{1,30}(?:\.[0-9A-Za-z-]{1,30}){0,9})?$/;

/** A file that arrives. */
export interface Arriving {
  /** As the server says it, in bytes; null if it does not. */
  readonly size: number | null;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Where the files of the newest release are. It is told nothing of who asks. */
export class ReleasePlace {
  readonly #url: string;
  readonly #signal: AbortSignal;

  /** @param url without trailing slash @param signal ends all requests */
  constructor(url: string, signal: AbortSignal) {
    this.#url = url;
    this.#signal = signal;
  }

  /** The version of the newest release. Nothing says that it is true. Throws UpgradeError. */
  async newestVersion(): Promise<string> {
    const version = versionIn(await this.text("latest.json"));
    if (version === null) throw new UpgradeError(`${this.#url}/latest.json names no version.`);
    return version;
  }

  /** A small file. Throws UpgradeError if it is not there, or is large. */
  async text(name: string): Promise<string> {
    const { bytes } = await this.open(name);
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of bytes) {
      pieces.push(piece);
      size += piece.length;
      if (size > MOST_TEXT_BYTES) throw new UpgradeError(`${this.#url}/${name} is too large.`);
    }
    return Buffer.concat(pieces).toString("utf8");
  }

  /** Any file. Throws UpgradeError if it is not there, or is cut off. */
  async open(name: string): Promise<Arriving> {
    const answer = await this.#ask(`${this.#url}/${name}`);
    const length = answer.headers.get("content-length");
    return {
      size: length === null ? null : Number(length),
      bytes: piecesOf(answer, `${this.#url}/${name}`),
    };
  }

  async #ask(url: string): Promise<Response> {
    let at = url;
    for (let count = 0; count <= MOST_REDIRECTS; count += 1) {
      // oxlint-disable-next-line no-await-in-loop -- the next address is in the answer
      const answer = await this.#get(at);
      if (answer.ok) return answer;
      // oxlint-disable-next-line no-await-in-loop -- ends the connection
      await answer.body?.cancel();
      const next = answer.headers.get("location");
      if (!REDIRECTS.includes(answer.status) || next === null)
        throw new UpgradeError(`${at} answers ${answer.status}.`);
      const to = URL.parse(next, at);
      if (to?.protocol !== "https:")
        throw new UpgradeError(`${at} redirects to an address that is no https.`);
      at = to.href;
    }
    throw new UpgradeError(`${url} redirects too often.`);
  }

  async #get(url: string): Promise<Response> {
    const slow = new AbortController();
    const timer = setTimeout(() => slow.abort(), ANSWER_MS);
    try {
      return await fetch(url, {
        redirect: "manual",
        // That of the runtime has its version. Compressed, the length would be another one.
        headers: { "user-agent": "coffer", "accept-encoding": "identity" },
        signal: AbortSignal.any([this.#signal, slow.signal]),
      });
    } catch (cause) {
      const reason = slow.signal.aborted ? "it does not answer" : messageOf(cause);
      throw new UpgradeError(`${url} cannot be reached: ${reason}.`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

async function* piecesOf({ body }: Response, url: string): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  try {
    yield* body;
  } catch (cause) {
    throw new UpgradeError(`${url} was cut off: ${messageOf(cause)}.`, { cause });
  }
}

function versionIn(text: string): string | null {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found !== "object" || found === null || !("version" in found)) return null;
    return typeof found.version === "string" && VERSION.test(found.version) ? found.version : null;
  } catch {
    return null;
  }
}
