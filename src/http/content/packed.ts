import type { Caller } from "../../domain/accounts/caller.ts";
import { acceptsGzip } from "./negotiation.ts";

type Answered = Response | Promise<Response>;

/** What is shorter is sent as it is: to pack it takes more time than it saves. In bytes. */
const SHORT = 16 * 1024;

/**
 * A long answer in gzip's format for a person's browser, which may be far away; packed on another thread. Programs get it
 * as it is: many ask for gzip without need, and on the same machine.
 */
export function packed(answer: Answered, request: Request, caller: Caller | null): Answered {
  const isPersons = caller?.kind === "account" && caller.keyId === null;
  if (!isPersons || !acceptsGzip(request.headers.get("accept-encoding"))) return answer;
  return answer instanceof Promise ? answer.then(pack) : pack(answer);
}

async function pack(response: Response): Promise<Response> {
  const { headers } = response;
  headers.append("vary", "Accept-Encoding");
  const plain = await response.bytes();
  if (plain.length < SHORT) return new Response(plain, { headers });
  // Loaded at its first use: a start need not wait for it.
  const [{ gzip }, { promisify }] = await Promise.all([import("node:zlib"), import("node:util")]);
  headers.set("content-encoding", "gzip");
  return new Response(new Uint8Array(await promisify(gzip)(plain, { level: 4 })), { headers });
}
