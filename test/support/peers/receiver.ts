import { createHmac } from "node:crypto";
import { eventually } from "../server/scenario.ts";

/** A message that came. */
interface Received {
  readonly path: string;
  readonly headers: Headers;
  /** As it was sent. */
  readonly text: string;
  readonly message: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Record<string, unknown>;
  };
}

type Answer = (received: Received) => Response | Promise<Response>;

/** A server of somebody else's that takes messages of webhooks. */
export class Receiver implements AsyncDisposable {
  readonly received: Received[] = [];
  readonly #server: Bun.Server<undefined>;
  /** What it answers; 204 at first. */
  answer: Answer = () => new Response(null, { status: 204 });

  constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        const text = await request.text();
        const { pathname: path } = new URL(request.url);
        const received = { path, headers: request.headers, text, message: JSON.parse(text) };
        this.received.push(received);
        return this.answer(received);
      },
    });
  }

  /** Its address with this path. @param host another name that leads to it */
  url(path = "/hook", host = "127.0.0.1"): string {
    return `http://${host}:${this.#server.port}${path}`;
  }

  /** Resolves with the first `count` messages, once they have come. */
  async first(count: number): Promise<readonly Received[]> {
    await eventually(() => this.received.length >= count);
    return this.received.slice(0, count);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.stop(true);
  }
}

/** What a message must be signed with (Standard Webhooks, "Signature scheme"), computed anew. */
export function signatureOf({ headers, text }: Received, secret: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${text}`;
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}
