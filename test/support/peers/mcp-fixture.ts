import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type GetPromptResult,
  type InputRequests,
  inputRequired,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Listening } from "../../../src/http/mcp/listening.ts";
import { mcpRoute } from "../../../src/http/mcp/mcp.ts";
import { createTransport } from "../../../src/http/mcp/transport.ts";
import { createLog } from "../../../src/process/log.ts";
import { startStub } from "../../http/stub-app.ts";
import { FakeClock } from "../server/fake-clock.ts";
import richSchema from "./mcp-rich-schema.json";
import { isObject } from "../schemas/json-schema.ts";

/** What a tool or prompt answers: a result, or what it needs to know first. */
type Outcome<T> = T | InputRequiredResult;
type Tool = (context: ServerContext) => Outcome<CallToolResult> | Promise<Outcome<CallToolResult>>;

function text(said: string) {
  return { type: "text" as const, text: said };
}

/** Seals what goes through the client and comes back. */
const STATES = createRequestStateCodec<{ round: number }>({
  key: crypto.getRandomValues(new Uint8Array(32)),
});

/** Asks a person for one value. */
function asked(message: string, name: string) {
  const properties = { [name]: { type: "string" as const } };
  return inputRequired.elicit({ message, requestedSchema: { type: "object", properties, required: [name] } });
}

function generated(prompt: string) {
  return inputRequired.createMessage({ messages: [{ role: "user", content: text(prompt) }], maxTokens: 50 });
}

const ROOTS = { client_roots: inputRequired.listRoots() };
const NAME = { user_name: asked("What is your name?", "name") };
const GREETING = { greeting: generated("Generate a greeting") };
const CONFIRM = {
  confirm: inputRequired.elicit({
    message: "Please confirm",
    requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
  }),
};

/** A tool that asks until it has every answer, round by round. */
function asking(rounds: readonly InputRequests[], isStateful: boolean): Tool {
  return async ({ mcpReq }) => {
    const before = mcpReq.requestState<{ round: number }>()?.round ?? 0;
    const isAnswered = Object.keys(rounds[before] ?? {}).every((key) => mcpReq.inputResponses?.[key]);
    const round = isAnswered ? before + 1 : before;
    const inputRequests = rounds[round];
    if (inputRequests === undefined) return done(`state-ok: ${JSON.stringify(mcpReq.inputResponses)}`);
    return inputRequired({
      inputRequests,
      ...(isStateful ? { requestState: await STATES.mint({ round }) } : {}),
    });
  };
}

function done(said = "Done."): CallToolResult {
  return { content: [text(said)] };
}

/** Asks only for what the client says it can do. */
function asFarAsPossible({ mcpReq }: ServerContext): Outcome<CallToolResult> {
  if (mcpReq.inputResponses !== undefined) return done();
  const can: unknown = Reflect.get(mcpReq.envelope ?? {}, CLIENT_CAPABILITIES_META_KEY);
  if (!isObject(can)) throw new Error("the client says nothing of what it can do");
  const inputRequests = {
    ...("elicitation" in can ? NAME : {}),
    ...("sampling" in can ? GREETING : {}),
    ...("roots" in can ? ROOTS : {}),
  };
  return inputRequired({ inputRequests });
}

/** The tools of the conformance suite that ask the client for something. */
const ASKING_TOOLS: Readonly<Record<string, Tool>> = {
  test_input_required_result_elicitation: asking([NAME], false),
  test_input_required_result_sampling: asking(
    [{ capital_question: generated("What is the capital?") }],
    false,
  ),
  test_input_required_result_list_roots: asking([ROOTS], false),
  test_input_required_result_request_state: asking([CONFIRM], true),
  test_input_required_result_tampered_state: asking([CONFIRM], true),
  test_input_required_result_multiple_inputs: asking([{ ...NAME, ...GREETING, ...ROOTS }], true),
  test_input_required_result_multi_round: asking(
    [
      { step1: asked("Step 1: What is your name?", "name") },
      { step2: asked("Step 2: Which color?", "color") },
    ],
    true,
  ),
  test_input_required_result_capabilities: asFarAsPossible,
};

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
const IMAGE = { type: "image", data: PIXEL, mimeType: "image/png" } as const;

function embedded(uri: string) {
  return { type: "resource" as const, resource: { uri, mimeType: "text/plain", text: "Embedded." } };
}

/** The tools that the conformance suite calls, by the names that it knows. */
const TOOLS: Readonly<Record<string, Tool>> = {
  ...ASKING_TOOLS,
  test_simple_text: () => done("This is a simple text response for testing."),
  test_image_content: () => ({ content: [IMAGE] }),
  test_audio_content: () => ({ content: [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }] }),
  test_embedded_resource: () => ({ content: [embedded("test://embedded-resource")] }),
  test_multiple_content_types: () => ({
    content: [text("Multiple content types test:"), IMAGE, embedded("test://mixed-content-resource")],
  }),
  test_error_handling: () => ({ isError: true, content: [text("This tool always fails.")] }),
  test_tool_with_progress: async ({ mcpReq }) => {
    const { _meta: meta } = mcpReq;
    const progressToken = meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      const params = { progressToken: progressToken ?? "", progress, total: 100 };
      await mcpReq.notify({ method: "notifications/progress", params });
    }
    return done();
  },
  test_missing_capability: () => inputRequired({ inputRequests: { answer: generated("Say something.") } }),
  test_streaming_elicitation: () => done(),
  json_schema_2020_12_tool: () => done(),
  test_tool_with_logging: async ({ mcpReq }) => {
    for (const step of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await mcpReq.log("info", step);
    }
    return done();
  },
  test_logging_tool: async ({ mcpReq }) => {
    await mcpReq.log("info", "Only for those who asked for it.");
    return done();
  },
};

type Prompt = (args: Readonly<Record<string, string>>) => GetPromptResult["messages"][number]["content"];

const PROMPTS: Readonly<Record<string, { readonly takes: readonly string[]; readonly says: Prompt }>> = {
  test_simple_prompt: { takes: [], says: () => text("This is a simple prompt for testing.") },
  test_prompt_with_arguments: {
    takes: ["arg1", "arg2"],
    says: ({ arg1, arg2 }) => text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  },
  test_prompt_with_embedded_resource: {
    takes: ["resourceUri"],
    says: ({ resourceUri = "" }) => embedded(resourceUri),
  },
  test_input_required_result_prompt: { takes: [], says: () => text("Now it is known.") },
  test_prompt_with_image: { takes: [], says: () => IMAGE },
};

const ASKING_PROMPT = "test_input_required_result_prompt";

const RESOURCES = [
  { uri: "test://static-text", name: "text", mimeType: "text/plain", text: "A static text." },
  { uri: "test://static-binary", name: "binary", mimeType: "image/png", blob: PIXEL },
];
const TEMPLATE = /^test:\/\/template\/(\w+)\/data$/;

function contentOf(uri: string) {
  const found = RESOURCES.find((each) => each.uri === uri);
  if (found !== undefined) {
    const { name: _, ...content } = found;
    return content;
  }
  const [, id] = TEMPLATE.exec(uri) ?? [];
  if (id === undefined) throw new ResourceNotFoundError(uri);
  return { uri, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true }) };
}

function fixtureServer(): Server {
  const server = new Server(
    { name: "fixture", version: "1" },
    {
      capabilities: { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} },
      requestState: { verify: (state, context) => STATES.verify(state, context) },
    },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: Object.keys(TOOLS).map((name) => ({
      name,
      description: name,
      inputSchema:
        name === "json_schema_2020_12_tool" ? { ...richSchema, type: "object" } : { type: "object" },
    })),
  }));
  server.setRequestHandler("tools/call", ({ params }, context) => {
    const tool = TOOLS[params.name];
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "No such tool.");
    return tool(context);
  });
  server.setRequestHandler("prompts/list", () => ({
    prompts: Object.entries(PROMPTS).map(([name, { takes }]) => ({
      name,
      description: name,
      arguments: takes.map((each) => ({ name: each, required: true })),
    })),
  }));
  server.setRequestHandler("prompts/get", ({ params }, { mcpReq }): Outcome<GetPromptResult> => {
    if (params.name === ASKING_PROMPT) {
      const inputRequests = { user_context: asked("Which context?", "context") };
      if (mcpReq.inputResponses === undefined) return inputRequired({ inputRequests });
    }
    const prompt = PROMPTS[params.name];
    if (prompt === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "No such prompt.");
    return { messages: [{ role: "user" as const, content: prompt.says(params.arguments ?? {}) }] };
  });
  server.setRequestHandler("resources/list", () => ({
    resources: RESOURCES.map(({ uri, name, mimeType }) => ({ uri, name, mimeType })),
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template" }],
  }));
  server.setRequestHandler("resources/read", ({ params }) => ({ contents: [contentOf(params.uri)] }));
  server.setRequestHandler("completion/complete", () => ({ completion: { values: [] } }));
  return server;
}

const log = createLog({ format: "json", clock: new FakeClock(), write: () => {} });

/** Nothing happens, and nobody is told. */
const NO_NEWS: Listening = {
  publish: () => {},
  subscribe: () => () => {},
  tell: () => ({ told: 0, hasMore: false }),
  close: () => {},
};

/** A server of what the conformance suite calls, behind the gate, the route and the transport of `/mcp`. */
export function startMcpFixture() {
  const answer = createTransport({ serverFor: fixtureServer, listen: () => NO_NEWS, log });
  const route = mcpRoute(() => Promise.resolve({ answer }));
  return startStub({ routes: [route], rateLimits: { free: 1_000_000, pro: 1_000_000, team: 1_000_000 } });
}
