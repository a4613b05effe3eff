import type { Caller } from "../../domain/caller.ts";
import { CofferError } from "../../domain/errors.ts";
import type { ProvisionThrottle } from "../gate/provision-throttle.ts";
import type { RequestContext } from "../gate/request-context.ts";
import type { Tool } from "./tool.ts";

/** A JSON-RPC message: a request or a notification. */
export interface Message {
  readonly jsonrpc: "2.0";
  /** Absent in a notification. */
  readonly id?: string | number;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    /** What a client that listens wants to be told, unchecked. */
    readonly notifications?: {
      readonly resourcesListChanged?: unknown;
      readonly resourceSubscriptions?: unknown;
    };
  };
}

/**
 * Decides whether a message may be handled, and names it for the log. What it refuses gets its HTTP status: that is
 * what makes a client sign in, or ask for more.
 *
 * @throws CofferError UNAUTHORIZED, FORBIDDEN
 */
export type Admission = (message: Message, context: RequestContext) => void;

/** What anybody may ask: how a client finds out what it would need a key for. */
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
  "completion/complete",
  "subscriptions/listen",
];

/** Makes the admission to these tools. */
export function admissionTo(tools: ReadonlyMap<string, Tool>, throttle: ProvisionThrottle): Admission {
  return (message, context) => {
    const { method } = message;
    const tool = method === "tools/call" ? tools.get(message.params?.name ?? "") : undefined;
    context.call = nameOf(method, tool);
    const { caller } = context;
    if (caller === null) {
      if (!(throttle.isOn && isOpen(method, tool))) throw needsKey(throttle.isOn);
    } else if (tool !== undefined && !isFor(tool, caller)) {
      throw new CofferError(
        "FORBIDDEN",
        "This key is read-only: it can only call the tools that it lists. Ask your human for a key with the scope read-write.",
      );
    }
  };
}

/** Anybody may be told that there is no such method, and may send notifications, which do nothing. */
function isOpen(method: string, tool: Tool | undefined): boolean {
  return tool?.needs === "nothing" || !KEYED_METHODS.includes(method);
}

/** Whether a caller may call a tool, and sees it. Without a key all are seen: the call tells what is missing. */
export function isFor({ needs }: Tool, caller: Caller | null): boolean {
  return caller?.scope !== "read-only" || needs === "reading";
}

function needsKey(provisioning: boolean): CofferError {
  const how = provisioning
    ? "Call the tool provision_drive to make a drive with a key of its own, or ask your human for a key"
    : "Ask your human for a key";
  return new CofferError(
    "UNAUTHORIZED",
    `This needs a key. ${how}. Send it as \`Authorization: Bearer <key>\`.`,
  );
}

/** Only what is known: a client may write anything. */
function nameOf(method: string, tool: Tool | undefined): string {
  if (method.startsWith("notifications/")) return "notification";
  if (!OPEN_METHODS.includes(method) && !KEYED_METHODS.includes(method)) return "other";
  return tool === undefined ? method : `${method} ${tool.shown.name}`;
}
