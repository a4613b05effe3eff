import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import type { RequestContext } from "../gate/request-context.ts";
import { type Admission, admissionTo, isFor } from "./admission.ts";
import { failureOf } from "./failure.ts";
import { instructionsFor } from "./instructions.ts";
import { listenTo } from "./listening.ts";
import type { McpOptions } from "./options.ts";
import { answerResources } from "./resources.ts";
import type { Content } from "./tool.ts";
import { allTools } from "./tools/all.ts";
import { type AnswerMessage, createTransport, type Era } from "./transport.ts";

/** The MCP server. */
export interface Mcp {
  readonly admit: Admission;
  /** Answers an admitted message. */
  readonly answer: AnswerMessage;
}

/** Makes the MCP server. */
export function createMcp(options: McpOptions): Mcp {
  const { log, retention, throttle, version } = options;
  const tools = new Map(allTools(options).map((each) => [each.shown.name, each]));
  const instructions = instructionsFor(throttle.isOn, retention);

  const call = async (name: string, sent: unknown, context: RequestContext, signal: AbortSignal) => {
    const found = tools.get(name);
    if (found === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "There is no such tool: see tools/list.");
    }
    try {
      const { structured, content } = await found.run(sent, context, signal);
      return { structuredContent: structured, content: [...(content ?? [jsonText(structured)])] };
    } catch (error) {
      // Nobody waits for the answer, and that the tool stopped is no failure.
      if (signal.aborted) return { isError: true, content: [] };
      const { text } = failureOf(error, context, log, found.next);
      return { isError: true, content: [{ type: "text" as const, text }] };
    }
  };

  const serverFor = (context: RequestContext, era: Era): Server => {
    // The earlier revisions tell of changes in sessions, which there are none of.
    const resourceChanges = era === "modern" ? { subscribe: true, listChanged: true } : {};
    const server = new Server(
      { name: "coffer", title: "Coffer", version },
      { capabilities: { tools: {}, resources: resourceChanges, completions: {} }, instructions },
    );
    server.setRequestHandler("tools/list", () => ({
      tools: [...tools.values()].filter((each) => isFor(each, context.caller)).map(({ shown }) => shown),
    }));
    server.setRequestHandler("tools/call", ({ params }, { mcpReq }) =>
      call(params.name, params.arguments, context, mcpReq.signal),
    );
    answerResources(server, context, options);
    return server;
  };

  return {
    admit: admissionTo(tools, throttle),
    answer: createTransport({ serverFor, listen: listenTo(options), log }),
  };
}

function jsonText(value: unknown): Content {
  return { type: "text", text: JSON.stringify(value) };
}
