import type { Caller } from "../../domain/caller.ts";
import { CofferError } from "../../domain/errors.ts";
import type { ProvisionThrottle } from "../gate/provision-throttle.ts";
import type { RequestContext } from "../gate/request-context.ts";
import type { Tool } from "./tool.ts";

/** A JSON-RPC message: a request or a notification. */
export interface Message {
  readonly method: string;
  readonly params?: { readonly name?: string };
}

/**
 * Decides whether a message may be handled, and names it for the log. What it refuses gets its HTTP status: that is
 * what makes a client sign in, or ask for more.
 *
 * @throws CofferError UNAUTHORIZED, FORBIDDEN
 */
export type Admission = (message: Message, context: RequestContext) => void;

/** What needs no key: how a client finds out what it would need one for. */
const OPEN_METHODS: ReadonlySet<string> = new Set([
  "initialize",
  "ping",
  "server/discover",
  "tools/list",
  "resources/templates/list",
]);
/** Other methods that clients send. */
const KEYED_METHODS: ReadonlySet<string> = new Set([
  "tools/call",
  "resources/list",
  "resources/read",
  "completion/complete",
]);

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
      throw new CofferError("FORBIDDEN", "This key is read-only: it can only call the tools that it lists.");
    }
  };
}

function isOpen(method: string, tool: Tool | undefined): boolean {
  return OPEN_METHODS.has(method) || method.startsWith("notifications/") || tool?.needs === "nothing";
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
  if (!OPEN_METHODS.has(method) && !KEYED_METHODS.has(method)) return "other";
  return tool === undefined ? method : `${method} ${tool.shown.name}`;
}
