import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import {
  bodyLength,
  bytesOfHead,
  END_OF_HEAD,
  fieldOf,
  firstWords,
  flippedAt,
  type Incoming,
  type Pieces,
  slowed,
  unchunked,
  upTo,
  withFields,
  withoutFields,
} from "./http-messages.ts";

/** What goes wrong with a request, or with its answer. */
export type ProxyFault =
  /** It is passed on so many milliseconds later. */
  | { readonly kind: "late"; readonly ms: number }
  /**
   * Both connections are cut: before anything is passed on, in the middle of the request's body, once the engine has
   * answered but before any of that is passed on, or in the middle of the answer's body.
   */
  | { readonly kind: "cut"; readonly when: "before" | "upload" | "after" | "answer" }
  /**
   * It is never answered: it is not passed on, or no more than half of its body, or it was answered by the engine. It
   * ends when its client leaves.
   */
  | { readonly kind: "held"; readonly when: "before" | "upload" | "after" }
  /** It is not passed on, but answered with this status. @param retryAfter seconds */
  | { readonly kind: "refused"; readonly status: 500 | 503; readonly retryAfter?: number }
  /** The answer's body comes in pieces of 16 KiB, so many milliseconds before each. */
  | { readonly kind: "slow"; readonly ms: number }
  /** One bit in the middle of the body is another one. */
  | { readonly kind: "flipped"; readonly body: "upload" | "answer" }
  /** The answer's body ends in its middle, in good order. Its Content-Length is still that of the whole, or of the half. */
  | { readonly kind: "short"; readonly says: "whole" | "half" }
  /** It is answered as a GET of this target: the path and the query of a presigned URL of another object. */
  | { readonly kind: "foreign"; readonly target: string };

/** One or two of each kind that a client has to live through. `held` is for those that are killed meanwhile. */
export const EACH_FAULT: readonly ProxyFault[] = [
  { kind: "late", ms: 100 },
  { kind: "cut", when: "before" },
  { kind: "cut", when: "upload" },
  { kind: "cut", when: "after" },
  { kind: "cut", when: "answer" },
  { kind: "refused", status: 500 },
  { kind: "refused", status: 503, retryAfter: 1 },
  { kind: "slow", ms: 20 },
  { kind: "flipped", body: "upload" },
  { kind: "flipped", body: "answer" },
  { kind: "short", says: "whole" },
  { kind: "short", says: "half" },
];

/** Whether a fault cuts the connections, and then. */
export function isCut(fault: ProxyFault | null, when: Extract<ProxyFault, { kind: "cut" }>["when"]): boolean {
  return fault?.kind === "cut" && fault.when === when;
}

/** Whether a fault holds the request, and then. */
export function isHeld(
  fault: ProxyFault | null,
  when: Extract<ProxyFault, { kind: "held" }>["when"],
): boolean {
  return fault?.kind === "held" && fault.when === when;
}

const SLOW_BYTES = 16 * 1024;

const REFUSALS = {
  500: ["Internal Server Error", "InternalError"],
  503: ["Service Unavailable", "SlowDown"],
} as const;

/** A head, and the body as it is sent. */
interface Message {
  readonly head: string;
  readonly body: Pieces;
}

interface Answer extends Message {
  /** Of the body in bytes; null if only its end tells. */
  readonly length: number | null;
}

/** The answer to a request that is not passed on. */
export function refusal({ status, retryAfter }: Extract<ProxyFault, { kind: "refused" }>): string {
  const [phrase, code] = REFUSALS[status];
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`;
  const head = withFields(`HTTP/1.1 ${status} ${phrase}`, {
    "content-type": "application/xml",
    "content-length": String(body.length),
    "retry-after": retryAfter === undefined ? null : String(retryAfter),
    connection: "close",
  });
  return head + END_OF_HEAD + body;
}

/** A request's head as it is passed on. */
export function requestHead(head: string, fault: ProxyFault | null): string {
  const passed = withFields(head, { connection: "close" });
  if (fault?.kind !== "foreign") return passed;
  // The other target has its signature in its query.
  return withoutFields(passed, /^(?:authorization|x-amz-.*)$/).replace(
    /^\S+ \S+/,
    () => `GET ${fault.target}`,
  );
}

/** A request's body as it is passed on. @param length in bytes; null if only its end tells */
export function spoiledUpload(body: Pieces, length: number | null, fault: ProxyFault | null) {
  const half = Math.floor((length ?? 0) / 2);
  if (isCut(fault, "upload") || isHeld(fault, "upload")) return upTo(body, half);
  return fault?.kind === "flipped" && fault.body === "upload" ? flippedAt(body, half) : body;
}

/** Reads an answer's head. What comes before it, as `100 Continue`, is passed on at once. */
export async function readAnswer(incoming: Incoming, method: string, client: Socket): Promise<Answer> {
  for (;;) {
    const head = await incoming.head();
    if (head === null) throw new Error("the engine gave no answer");
    const [, status] = firstWords(head);
    if (status.startsWith("1")) {
      client.write(bytesOfHead(head));
      continue;
    }
    const hasNone = method === "HEAD" || status === "204" || status === "304";
    const length = hasNone ? 0 : bodyLength(head, null);
    return { head: withFields(head, { connection: "close" }), length, body: incoming.body(length) };
  }
}

/** Sends an answer to a client, or what a fault makes of it. */
export async function sendAnswer(client: Socket, whole: Answer, fault: ProxyFault | null): Promise<void> {
  if (isCut(fault, "after")) return void client.resetAndDestroy();
  const { head, body } = fault === null ? whole : await spoiledAnswer(whole, fault);
  client.write(bytesOfHead(head));
  const isCutOff = isCut(fault, "answer");
  await pipeline(body, client, { end: !isCutOff });
  if (isCutOff) client.resetAndDestroy();
}

async function spoiledAnswer(whole: Answer, fault: ProxyFault): Promise<Message> {
  switch (fault.kind) {
    case "late":
    case "held":
    case "refused":
    case "foreign":
      return whole;
    case "slow":
      return { ...whole, body: slowed(whole.body, SLOW_BYTES, fault.ms) };
    case "flipped":
      return fault.body === "upload" ? whole : onHalf(whole, flippedAt);
    case "cut":
      return fault.when === "answer" ? onHalf(whole, upTo) : whole;
    case "short":
      return onHalf(whole, upTo, fault.says === "half");
  }
}

/** Spoils a body from its middle on. An answer without one stays as it is. */
async function onHalf(
  whole: Answer,
  spoil: (body: Pieces, half: number) => Pieces,
  saysHalf = false,
): Promise<Message> {
  if (whole.length === 0) return whole;
  const { head, length, body } =
    whole.length === null ? await held(whole) : { ...whole, length: whole.length };
  const half = Math.floor(length / 2);
  const told = saysHalf ? withFields(head, { "content-length": String(half) }) : head;
  return { head: told, body: spoil(body, half) };
}

/** An answer in chunks, such as a list: all of its body, to be sent with its length. */
async function held({ head, body }: Message) {
  const sent = Buffer.concat(await Array.fromAsync(body));
  const bytes = fieldOf(head, "transfer-encoding") === null ? sent : unchunked(sent);
  if (bytes === null) throw new Error("the engine has cut its answer off");
  const { length } = bytes;
  const told = withFields(head, { "transfer-encoding": null, "content-length": String(length) });
  return { head: told, length, body: [bytes] };
}
