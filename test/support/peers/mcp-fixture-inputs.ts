import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isObject } from "../schemas/json-schema.ts";

/** What a tool or prompt answers: a result, or what it needs to know first. */
export type Outcome<T> = T | InputRequiredResult;
type Tool = (context: ServerContext) => Outcome<CallToolResult> | Promise<Outcome<CallToolResult>>;

/** Seals what goes through the client and comes back. */
export const STATES = createRequestStateCodec<{ round: number }>({
  key: crypto.getRandomValues(new Uint8Array(32)),
});

/** Asks a person for one value. */
export function asked(message: string, name: string) {
  const properties = { [name]: { type: "string" as const } };
  return inputRequired.elicit({ message, requestedSchema: { type: "object", properties, required: [name] } });
}

function generated(prompt: string) {
  const content = { type: "text" as const, text: prompt };
  return inputRequired.createMessage({ messages: [{ role: "user", content }], maxTokens: 50 });
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

function done(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}

/** Asks only for what the client says it can do. */
function asFarAsPossible({ mcpReq }: ServerContext): Outcome<CallToolResult> {
  if (mcpReq.inputResponses !== undefined) return done("Done.");
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
export const ASKING_TOOLS: Readonly<Record<string, Tool>> = {
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
