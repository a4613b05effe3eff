import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import type { RequestContext } from "../gate/request-context.ts";
import { type Admission, admissionTo, isFor, requireMayCall } from "./admission.ts";
import { failureOf } from "./failure.ts";
import { instructionsFor } from "./instructions.ts";
import { withKeyArgument } from "./key-argument.ts";
import { listenTo } from "./listening.ts";
import type { McpOptions } from "./options.ts";
import { answerResources } from "./resources.ts";
import type { Content } from "./tool.ts";
import { allTools } from "./tools/all.ts";
import { type AnswerMessage, createTransport, type Era } from "./transport.ts";

export interface Mcp {
  readonly admit: Admission;
  /** Answers an admitted message. */
  readonly answer: AnswerMessage;
}

export function createMcp(options: McpOptions): Mcp {
  const { log, retention, services, throttle, version } = options;
  const tools = new Map(allTools(options).map((each) => [each.shown.name, each]));

  const call = async (name: string, sent: unknown, context: RequestContext, signal: AbortSignal) => {
    const found = tools.get(name);
    if (found === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such tool: see tools/list.");
    }
    try {
      requireMayCall(found, context.caller);
      const { structured, content } = await found.run(sent, context, signal);
      return { structuredContent: structured, content: [...(content ?? [jsonText(structured)])] };
    } catch (error) {
      // Nobody waits for the answer, and that the tool stopped is no failure.
      if (signal.aborted) return { isError: true, content: [] };
      const { text } = failureOf(error, context, log, { sent, next: found.next });
      return { isError: true, content: [{ type: "text" as const, text }] };
    }
  };

  const serverFor = (context: RequestContext, era: Era): Server => {
    const { caller } = context;
    // The earlier revisions tell of changes in sessions, which there are none of.
    const resourceChanges = era === "modern" ? { subscribe: true, listChanged: true } : {};
    // Only a tool call can bring a key.
    const keyed = caller === null ? {} : { resources: resourceChanges, completions: {} };
    const server = new Server(
      { name: "coffer", title: "Coffer", version },
      { capabilities: { tools: {}, ...keyed }, instructions: instructionsFor(caller !== null, retention) },
    );
    server.setRequestHandler("tools/list", () => ({
      tools: [...tools.values()]
        .filter((each) => isFor(each, caller))
        .map(({ needs, shown }) =>
          caller === null && needs !== "nothing"
            ? { ...shown, inputSchema: withKeyArgument(shown.inputSchema) }
            : shown,
        ),
    }));
    server.setRequestHandler("tools/call", ({ params }, { mcpReq }) =>
      call(params.name, params.arguments, context, mcpReq.signal),
    );
    if (caller !== null) answerResources(server, context, options);
    return server;
  };

  return {
    admit: admissionTo({ tools, throttle, canSignIn: () => services.authorizations.isPossible() }),
    answer: createTransport({ serverFor, listen: listenTo(options), log }),
  };
}

function jsonText(value: unknown): Content {
  return { type: "text", text: JSON.stringify(value) };
}
