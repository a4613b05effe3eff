import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { contextOf, type RequestContext, setContext } from "../gate/request-context.ts";
import { type Admission, admissionTo, isFor, type Message } from "./admission.ts";
import { failureOf } from "./failure.ts";
import { instructionsFor } from "./instructions.ts";
import type { McpOptions } from "./options.ts";
import type { Content } from "./tool.ts";
import { allTools } from "./tools/all.ts";

/** The MCP server. */
export interface Mcp {
  readonly admit: Admission;
  /** Answers an admitted message. */
  readonly fetch: (request: Request, message: Message) => Promise<Response>;
}

/** Makes the MCP server. It keeps nothing between requests: each has a `Server` of its own. */
export function createMcp(options: McpOptions): Mcp {
  const { log, throttle, version } = options;
  const tools = new Map(allTools(options).map((each) => [each.shown.name, each]));
  const instructions = instructionsFor(throttle.isOn);

  const call = async (name: string, sent: unknown, context: RequestContext) => {
    const found = tools.get(name);
    if (found === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        "There is no such tool: list the tools with tools/list.",
      );
    try {
      const { structured, content } = await found.run(sent, context);
      return { structuredContent: structured, content: [...(content ?? [jsonText(structured)])] };
    } catch (error) {
      const { text } = await failureOf(error, context, log);
      return { isError: true, content: [{ type: "text" as const, text }] };
    }
  };

  const handler = createMcpHandler(({ requestInfo }) => {
    if (requestInfo === undefined) throw new Error("a request came without its HTTP request");
    const context = contextOf(requestInfo);
    const server = new Server(
      { name: "coffer", title: "Coffer", version },
      { capabilities: { tools: {} }, instructions },
    );
    server.setRequestHandler("tools/list", () => ({
      tools: [...tools.values()].filter((each) => isFor(each, context.caller)).map(({ shown }) => shown),
    }));
    server.setRequestHandler("tools/call", ({ params }) => call(params.name, params.arguments, context));
    return server;
  });

  return {
    admit: admissionTo(tools, throttle),
    fetch: async (request, message) => {
      const received = readable(request);
      setContext(received, contextOf(request));
      const response = await handler.fetch(received, { parsedBody: message });
      // They are for streams that stay open. Ours end with their one answer.
      for (const name of ["cache-control", "connection", "x-accel-buffering"]) response.headers.delete(name);
      return response;
    },
  };
}

function jsonText(value: unknown): Content {
  return { type: "text", text: JSON.stringify(value) };
}

/**
 * The request as the SDK wants it. Its body has been read, whatever its type, as everywhere; and a program that names
 * no types in `Accept` takes what it gets.
 */
function readable(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set("content-type", "application/json");
  headers.set("accept", "application/json, text/event-stream");
  return new Request(request.url, { method: "POST", headers, signal: request.signal });
}
