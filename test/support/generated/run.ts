import { type Answer, Client } from "../server/client.ts";
import { Description } from "../schemas/description.ts";
import { isObject } from "../schemas/json-schema.ts";
import { Random } from "../server/random.ts";
import { type GeneratedCaller, newCallers, type Target } from "./callers.ts";
import { KnownValues } from "./known-values.ts";
import { type GeneratedRequest, generatedRequest } from "./requests.ts";

/** How many requests are under way at once, and after how many there are new callers. */
const AT_ONCE = 8;
const TURN = 80;

/** Codes that no request may be answered with while the server is whole. */
const NEVER: ReadonlySet<unknown> = new Set(["INTERNAL", "UNAVAILABLE", "STORAGE_FULL", "server_error"]);

/** What came of a run. */
interface Outcome {
  /** What was wrong, each once, with the first request that showed it. */
  readonly faults: readonly string[];
  /** The operations that never succeeded. */
  readonly unreached: readonly string[];
}

/**
 * Sends generated requests to every operation of the served description, and checks each answer against it. The same
 * seed makes the same requests, apart from the names that the server gives things.
 */
export async function sendGenerated(target: Target, seed: number, count: number): Promise<Outcome> {
  const description = await Description.of(new Client(target.url));
  const everybody = new KnownValues();
  const faults = new Map<string, string>();
  const reached = new Set<string>();
  const send = async (random: Random, callers: readonly GeneratedCaller[]) => {
    const caller = random.pick(callers);
    const request = generatedRequest(description, caller.known, random);
    const answer = await answerTo(target, request, caller);
    const { id } = request.operation;
    if (answer.status < 300) reached.add(id);
    for (const fault of faultsOf(description, request, answer)) {
      const name = `${id}: ${fault}`;
      if (!faults.has(name))
        faults.set(name, `${name}\n  ${shown(request, caller)}\n  ${answer.text.slice(0, 500)}`);
    }
    if (answer.status < 300 && isJson(answer)) caller.known.learn(id, JSON.parse(answer.text));
  };
  for (let turn = 0; turn * TURN < count; turn += 1) {
    const callers = await newCallers(target, everybody);
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, lane) => {
        const random = new Random(seed + turn * AT_ONCE + lane);
        for (let sent = lane; sent < TURN; sent += AT_ONCE) await send(random, callers);
      }),
    );
  }
  const unreached = description.operations.map(({ id }) => id).filter((id) => !reached.has(id));
  return { faults: [...faults.values()], unreached };
}

async function answerTo(
  target: Target,
  { operation, address, headers, body }: GeneratedRequest,
  caller: GeneratedCaller,
): Promise<Answer> {
  const options = { headers: { ...headers, ...caller.headers }, ...(body === undefined ? {} : { body }) };
  return new Client(target.url).send(operation.method, address, options);
}

function faultsOf(
  description: Description,
  { operation, headers }: GeneratedRequest,
  answer: Answer,
): string[] {
  const faults = description.answerFaults(operation, answer);
  const id = answer.headers.get("x-request-id");
  const sent = headers["x-request-id"] ?? "";
  if (/^[!-~]{1,128}$/.test(sent) && id !== sent) faults.push("the request id is not the client's");
  if (answer.status < 400 || !isJson(answer)) return faults;
  const json: unknown = JSON.parse(answer.text);
  if (!isObject(json)) return faults;
  // As OAuth has it, the error is one level higher.
  const error = isObject(json["error"]) ? json["error"] : json;
  const code = error["code"] ?? error["error"];
  if (NEVER.has(code)) faults.push(`the code is ${String(code)}`);
  if (error["request_id"] !== id) faults.push("the error has another request id");
  return faults;
}

function isJson({ headers }: Answer): boolean {
  const isContent = headers.has("content-disposition");
  return !isContent && headers.get("content-type")?.startsWith("application/json") === true;
}

/** A request as text, so that it can be sent again. */
function shown({ operation, address, headers, body }: GeneratedRequest, { name }: GeneratedCaller): string {
  const text = typeof body === "string" ? JSON.stringify(body) : (body?.toString("latin1") ?? "no body");
  return `${name}: ${operation.method} ${address.slice(0, 1000)} ${JSON.stringify(headers)} ${text.slice(0, 1000)}`;
}
