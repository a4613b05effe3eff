import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { traced } from "../../tracing/traced.ts";
import * as t from "../operation/schema.ts";
import { admissionTo, isFor, type Message, requireMayCall, type Sent } from "./admission.ts";
import { failureOf, refusedCall } from "./failures.ts";
import { instructionsFor } from "./instructions.ts";
import { listenTo } from "./listening.ts";
import { answerCompletions } from "./completions.ts";
import { answerPrompts } from "./prompts.ts";
import { answerResources } from "./resources.ts";
import type { ShortSchema } from "./short-schema.ts";
import { KEY_ARGUMENT, type McpOptions, type Tool } from "./tool.ts";
import { changeTools } from "./tools/changes.ts";
import { commentTools } from "./tools/comments.ts";
import { deletionTools } from "./tools/deletions.ts";
import { driveTools } from "./tools/drives.ts";
import { findingTools } from "./tools/finding.ts";
import { folderTools } from "./tools/folders.ts";
import { historyTools } from "./tools/history.ts";
import { linkTools } from "./tools/links.ts";
import { readingTools } from "./tools/reading.ts";
import { snapshotTools } from "./tools/snapshots.ts";
import { transferTools } from "./tools/transfers.ts";
import { versionTools } from "./tools/versions.ts";
import { writingTools } from "./tools/writing.ts";
import { createTransport, type Era } from "./transport.ts";

export type Mcp = ReturnType<typeof createMcp>;

/** Every tool, in the order in which a model reads them. */
const TOOLS: readonly Tool[] = [
  ...driveTools,
  ...folderTools,
  ...readingTools,
  ...findingTools,
  ...writingTools,
  ...transferTools,
  ...deletionTools,
  ...historyTools,
  ...versionTools,
  ...changeTools,
  ...commentTools,
  ...snapshotTools,
  ...linkTools,
];

/** By the names by which they can be called. */
const CALLED: ReadonlyMap<string, Tool> = new Map(
  TOOLS.flatMap((each) => [
    [each.shown.name, each],
    ...Object.entries(each.formerly).map(([name, meant]) => [name, withArguments(each, meant)] as const),
  ]),
);

function withArguments(called: Tool, meant: object): Tool {
  return { ...called, run: (sent, parts) => called.run({ ...meant, ...Object(sent) }, parts) };
}

const keyArgument = t.text("From provision_drive, or your human's.");

export function createMcp(options: McpOptions) {
  const { log, retention, services, throttle, tracer, version } = options;

  const call = async (name: string, sent: Sent, context: RequestContext, signal: AbortSignal) => {
    const found = CALLED.get(name);
    if (found === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such tool: see tools/list.");
    }
    try {
      requireMayCall(found, sent, context.caller);
      const { content } = await traced(tracer, `tools/call ${found.shown.name}`, () =>
        found.run(sent, { ...options, context, signal }),
      );
      return { content: [...content] };
    } catch (error) {
      // Nobody waits for the answer, and that the tool stopped is no failure.
      if (signal.aborted) return { isError: true, content: [] };
      const { text } = failureOf(error, context, log, { sent, next: found.next });
      return { isError: true, content: [{ type: "text" as const, text }] };
    }
  };

  const serverFor = (context: RequestContext, era: Era): Server => {
    const { caller } = context;
    // Those of 2025 tell of changes in sessions, which there are none of. Their clients may set from which level on they
    // want messages; there are none, so any level will do.
    const ofEra =
      era === "modern"
        ? { resources: { subscribe: true, listChanged: true } }
        : { resources: {}, logging: {} };
    // Only a tool call can bring a key.
    const keyed = caller === null ? {} : { ...ofEra, prompts: {}, completions: {} };
    const server = new Server(
      { name: "coffer", title: "Coffer", version },
      { capabilities: { tools: {}, ...keyed }, instructions: instructionsFor(caller !== null, retention) },
    );
    server.setRequestHandler("tools/list", () => ({
      tools: TOOLS.filter((each) => isFor(each, caller)).map((each) => shownTo(caller, each)),
    }));
    server.setRequestHandler("tools/call", ({ params }, { mcpReq }) =>
      call(params.name, params.arguments, context, mcpReq.signal),
    );
    if (caller !== null) {
      answerResources(server, context, options);
      answerPrompts(server, caller);
      answerCompletions(server, context, options);
    }
    return server;
  };

  const admit = admissionTo(
    CALLED,
    throttle,
    () => services.authorizations.isPossible(),
    (key, { origin }) => services.refusedAttempts.key(key, origin),
  );
  const transport = createTransport({ serverFor, listen: listenTo(options), log });
  const admitted = (message: Message, context: RequestContext): Message | Response => {
    try {
      return admit(message, context);
    } catch (error) {
      return refusedCall(error, message, context, log);
    }
  };
  return {
    /** Answers a message, or refuses it by throwing. */
    answer: async (request: Request, message: Message, context: RequestContext): Promise<Response> => {
      const taken = admitted(message, context);
      return taken instanceof Response ? taken : transport(request, taken);
    },
  };
}

/** A tool as this caller can use it. */
function shownTo(caller: Caller | null, { needs, shown }: Tool): Tool["shown"] {
  if (caller === null && needs !== "nothing")
    return { ...shown, inputSchema: withKeyArgument(shown.inputSchema) };
  if (caller?.scope !== "read-only") return shown;
  const { openWorldHint } = shown.annotations;
  return { ...shown, annotations: { readOnlyHint: true, openWorldHint } };
}

function withKeyArgument(input: ShortSchema): ShortSchema {
  const { properties, required = [] } = input;
  return {
    ...input,
    properties: { [KEY_ARGUMENT]: keyArgument, ...properties },
    required: [KEY_ARGUMENT, ...required],
  };
}
