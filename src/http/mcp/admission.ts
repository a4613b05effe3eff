import type { Caller } from "../../domain/accounts/caller.ts";
import { CofferError } from "../../domain/errors.ts";
import type { ProvisionThrottle } from "../limits/creation-throttles.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { KEY_ARGUMENT, needsOf, type Tool } from "./tool.ts";

/** What a tool is given, unchecked. */
export type Sent = Readonly<Record<string, unknown>> | undefined;

/** A JSON-RPC message: a request or a notification. */
export interface Message {
  readonly jsonrpc: "2.0";
  /** Absent in a notification. */
  readonly id?: string | number;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: Sent;
    /** What a client that listens wants to be told, unchecked. */
    readonly notifications?: {
      readonly resourcesListChanged?: unknown;
      readonly resourceSubscriptions?: unknown;
    };
  };
}

/** What a client without a key may ask, where it is let in: how it finds out what it would need one for. */
const OPEN_METHODS: readonly string[] = [
  "initialize",
  "ping",
  "server/discover",
  "tools/list",
  "resources/templates/list",
];
/** The other methods that are answered. */
const KEYED_METHODS: readonly string[] = [
  "tools/call",
  "resources/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "subscriptions/listen",
];

/**
 * Makes what decides whether a message may be handled, and names it for the log. What it refuses gets its HTTP status:
 * that is what makes a client sign in, or ask for more. Returns the message as it is to be handled.
 *
 * @param canSignIn whether there is anybody who could. Then a client without a key is sent to do so with its first
 *   message: one that is let in without does not begin to later
 * @param noteRefused is told of a key in a message that is not valid
 */
export function admissionTo(
  tools: ReadonlyMap<string, Tool>,
  throttle: ProvisionThrottle,
  canSignIn: () => boolean,
  noteRefused: (key: string, context: RequestContext) => void,
) {
  /** @throws CofferError UNAUTHORIZED, FORBIDDEN, RATE_LIMITED */
  return (message: Message, context: RequestContext): Message => {
    const { method } = message;
    const isCall = method === "tools/call";
    const tool = isCall ? tools.get(message.params?.name ?? "") : undefined;
    context.call = nameOf(method, tool);
    if (context.refusal !== null) throw context.refusal;
    if (context.caller !== null) {
      requireFit(tool, message.params?.arguments, context.caller);
      return message;
    }
    const taken = isCall && tool?.needs !== "nothing" ? takeKey(message, context, noteRefused) : message;
    // Anybody may be told that there is no such method or tool, and may send notifications, which do nothing.
    const isOpen = isCall || !KEYED_METHODS.includes(method);
    if (context.caller === null && !(throttle.isOn && isOpen && !canSignIn())) {
      throw needsKey(throttle.isOn);
    }
    return taken;
  };
}

/** Makes the holder of the key in a message the caller, if it is valid. Returns the message without it. */
function takeKey(
  message: Message,
  context: RequestContext,
  noteRefused: (key: string, context: RequestContext) => void,
): Message {
  const { [KEY_ARGUMENT]: key, ...rest } = message.params?.arguments ?? {};
  if (key === undefined) return message;
  if (typeof key === "string") {
    context.bringKey?.(key);
    if (context.caller === null) noteRefused(key, context);
    else context.noteOrigin();
  }
  return { ...message, params: { ...message.params, arguments: rest } };
}

/** Throws what the model of a client reads that was let in without a key: it may pass one, or another. */
export function requireMayCall(tool: Tool, sent: Sent, caller: Caller | null): void {
  if (tool.needs === "nothing") return;
  if (caller !== null) return requireFit(tool, sent, caller);
  throw new CofferError(
    "UNAUTHORIZED",
    `This needs a valid key, as the argument ${KEY_ARGUMENT}. If you have none, call provision_drive: it makes a drive, and answers with a key.`,
  );
}

/** Whether a caller may call a tool, and sees it. Without a key all are seen: the call tells what is missing. */
export function isFor({ needs, reading }: Tool, caller: Caller | null): boolean {
  return caller?.scope !== "read-only" || needs === "reading" || reading.length > 0;
}

function requireFit(tool: Tool | undefined, sent: Sent, caller: Caller): void {
  if (tool === undefined || caller.scope !== "read-only" || needsOf(tool, sent) === "reading") return;
  throw new CofferError(
    "FORBIDDEN",
    "This key is read-only, and this changes something. Ask your human for a key with the scope read-write.",
  );
}

function needsKey(provisioning: boolean): CofferError {
  const how = provisioning
    ? 'Without one, send `POST /v0/drives/provision` with {"name": "My drive"}: it needs no account, and returns a drive and its key. Or ask your human'
    : "Ask your human";
  return new CofferError(
    "UNAUTHORIZED",
    `This needs a key or sign-in: send a key as \`Authorization: Bearer <key>\`. ${how}: people make keys on the dashboard, at /keys.`,
  );
}

/** Only what is known: a client may write anything. */
function nameOf(method: string, tool: Tool | undefined): string {
  if (method.startsWith("notifications/")) return "notification";
  if (!OPEN_METHODS.includes(method) && !KEYED_METHODS.includes(method)) return "other";
  return tool === undefined ? method : `${method} ${tool.shown.name}`;
}
