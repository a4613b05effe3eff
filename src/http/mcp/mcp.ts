import { Type } from "@sinclair/typebox";
import { once } from "../../domain/once.ts";
import { MESSAGE_BODY } from "../json/json-body.ts";
import { operation } from "../operation/route.ts";
import type { McpOptions } from "./tool.ts";
import type { Mcp } from "./server.ts";

/** No tool takes more. The SDK looks at each name several times, so that thousands would take milliseconds. */
const MOST_NAMES = 250;

/** A larger number could come back as another one. */
const rpcNumber = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });

const rpcResponse = Type.Object({
  jsonrpc: Type.Literal("2.0"),
  id: Type.Optional(Type.Union([Type.String(), rpcNumber])),
  result: Type.Optional(Type.Unknown({ description: "As the Model Context Protocol says." })),
  error: Type.Optional(
    Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) }),
  ),
});

/** `/mcp`: the same drives for MCP clients (modelcontextprotocol.io, Streamable HTTP, without sessions). */
export function mcp(options: McpOptions) {
  // Loaded at the first message: it takes longer to load than the rest of the server, and many servers never need it.
  return mcpRoute(once(async () => (await import("./server.ts")).createMcp(options)));
}

export function mcpRoute(server: () => Promise<Mcp>) {
  return operation("POST", "/mcp", {
    operationId: "mcp",
    tag: "MCP",
    public: true,
    readsKey: true,
    summary: "Connect an MCP client",
    description:
      "The Model Context Protocol over Streamable HTTP, for revision 2026-07-28 and those of 2025: each request is one JSON-RPC message, and there are no sessions. Authenticate as elsewhere, with a key as `Bearer`. A read-only key can only read. Where nobody has an account, a client without a key can call `provision_drive`, and pass the key that it answers with to the other tools, as the argument `api_key`; where people have accounts, it is sent to sign in with its first message, as the 401 says. `tools/list` describes the tools; they name files by drive and path. Refused before it reaches the MCP server, a message gets an error as everywhere; after that, a JSON-RPC error. But a call of a tool that comes too often, or that fails on the server, gets a result with `isError`, which says when to try again: a model reads that.",
    body: Type.Object(
      {
        jsonrpc: Type.Literal("2.0"),
        id: Type.Optional(
          Type.Union([Type.String(), rpcNumber], { description: "Absent in a notification." }),
        ),
        method: Type.String({ examples: ["tools/list"] }),
        params: Type.Optional(
          Type.Object(
            {
              name: Type.Optional(Type.String({ description: "Which tool to call, in `tools/call`." })),
              arguments: Type.Optional(
                Type.Object({}, { maxProperties: MOST_NAMES, description: "What the tool takes." }),
              ),
              notifications: Type.Optional(
                Type.Object(
                  {},
                  {
                    maxProperties: MOST_NAMES,
                    description: "What to be told of, in `subscriptions/listen`.",
                  },
                ),
              ),
              _meta: Type.Optional(Type.Object({}, { maxProperties: MOST_NAMES })),
            },
            { maxProperties: MOST_NAMES },
          ),
        ),
      },
      { description: "One JSON-RPC message. A batch is refused." },
    ),
    bodyLimits: MESSAGE_BODY,
    example: { jsonrpc: "2.0", id: 1, method: "tools/list" },
    audited: true,
    answers: [
      {
        description:
          "The JSON-RPC response: as one server-sent event, if `Accept` has `text/event-stream`, or as JSON.",
        content: {
          "application/json": rpcResponse,
          "text/event-stream": Type.String(),
        },
      },
      { status: 202, description: "A notification was accepted." },
    ],
    errors: ["UNAUTHORIZED", "FORBIDDEN"],
    handle: async ({ request, context, body }) => {
      const { answer } = await server();
      const { jsonrpc, id, method, params } = body;
      // A tool may wait for a large change of a folder.
      context.suspendIdleTimeout();
      // Unknown fields are ignored, as everywhere.
      return answer(
        request,
        { jsonrpc, method, ...(id === undefined ? {} : { id }), ...(params && { params }) },
        context,
      );
    },
  });
}
