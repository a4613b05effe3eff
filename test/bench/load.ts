import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { time } from "./figures.ts";
import type { Run } from "./run.ts";

/** A request to one of the servers. */
export interface Call {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** A request that is sent again and again: each `{n}` in its target and its body is another number each time. */
export interface RepeatedCall extends Call {
  readonly body?: string;
}

/** No load client may take longer than this, in milliseconds. For a single request the runtime has a limit. */
const PATIENCE_MS = 120_000;

/**
 * Puts the body of a request into a file, from which it is sent, and which is removed at the end of its scope. From
 * memory `fetch` sends it only after it has copied it: with 100 MiB that takes 60 ms, as long as the fastest server needs
 * for the rest.
 */
export async function withFile({ newPath }: Run, call: Call) {
  const path = newPath();
  // Written to the disk now, and not while it is sent.
  await writeFile(path, call.body ?? "", { flush: true });
  return { ...call, body: Bun.file(path), [Symbol.asyncDispose]: () => rm(path) };
}

/** Sends a request and reads the answer to its end. Throws if it is no success. */
export async function send(
  url: string,
  { method, target, headers, body }: Omit<Call, "body"> & { readonly body?: Bun.BodyInit },
): Promise<Uint8Array> {
  const answer = await fetch(url + target, {
    method,
    headers: { ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const bytes = await answer.bytes();
  if (!answer.ok)
    throw new Error(`${method} ${target}: ${answer.status} ${Buffer.from(bytes).toString().slice(0, 300)}`);
  return bytes;
}

/** Like `send`; the answer is JSON. */
export async function sendForJson<T>(url: string, call: Call): Promise<T> {
  return JSON.parse(Buffer.from(await send(url, call)).toString());
}

/** Whether so many seconds have passed since this call. */
export function overAfter(seconds: number): () => boolean {
  const end = performance.now() + seconds * 1000;
  return () => performance.now() > end;
}

/** Sends the request again and again until it is over. Returns how many milliseconds each answer took. */
export async function latencies(url: string, call: Call, isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!isOver()) times.push(await time(() => send(url, call)));
  return times;
}

/** How hard to ask: over how many connections, and for how many seconds. */
export interface Pressure {
  readonly connections: number;
  readonly seconds: number;
}

/** What sends the requests of `rateOf`. */
export function loadClient(): string {
  return Bun.which("wrk") === null ? "test/bench/load-client.ts" : "wrk";
}

let runs = 0;

/**
 * How many answers, and bytes of answers, to a request that is sent over several connections come in a second, to a
 * process of its own. Throws if an answer is no success.
 */
export async function rateOf({ newPath }: Run, url: string, call: RepeatedCall, pressure: Pressure) {
  // No number is used twice in one run of the bench.
  const first = (runs += 1) * 10_000_000;
  const script = newPath();
  await Bun.write(script, wrkScript(call, first));
  const how = ["-t1", `-c${pressure.connections}`, `-d${pressure.seconds}s`, "--timeout=30s"];
  const task = JSON.stringify({ url, call, pressure, first });
  const command =
    loadClient() === "wrk"
      ? ["wrk", ...how, "-s", script, url]
      : [process.execPath, join(import.meta.dir, "load-client.ts"), task];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe", timeout: PATIENCE_MS });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${loadClient()} failed: ${stderr || stdout}`);
  type Count = Readonly<Record<"answers" | "bytes" | "seconds" | "failures", number>>;
  const { answers, bytes, seconds, failures }: Count = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  if (failures > 0)
    throw new Error(`${failures} of ${answers} requests failed: ${call.method} ${call.target}`);
  return { answers: answers / seconds, bytes: bytes / seconds };
}

function wrkScript({ method, target, headers, body = "" }: RepeatedCall, first: number): string {
  const fields = Object.entries(headers).map(([name, value]) => `[${luaText(name)}] = ${luaText(value)}`);
  const sent = body === "" ? "nil" : "table.concat(body, n)";
  // Making a request costs more than sending it, so one that is always the same is made once.
  return `
    local n, target, body = ${first}, ${luaPieces(target)}, ${luaPieces(body)}
    local headers = {${fields.join(", ")}}
    local function make()
      n = n + 1
      return wrk.format(${luaText(method)}, table.concat(target, n), headers, ${sent})
    end
    local same
    request = function()
      if #target > 1 or #body > 1 then return make() end
      same = same or make()
      return same
    end
    done = function(summary)
      local e = summary.errors
      local failures = e.connect + e.read + e.write + e.status + e.timeout
      io.write(string.format('{"answers": %.0f, "bytes": %.0f, "seconds": %.6f, "failures": %.0f}\\n',
        summary.requests, summary.bytes, summary.duration / 1e6, failures))
    end`;
}

/** For plain ASCII, a string in JSON is one in Lua as well. */
const luaText = (text: string) => JSON.stringify(text);

/** A list of the pieces between the places for the number. */
function luaPieces(text: string): string {
  return `{${text.split("{n}").map(luaText).join(", ")}}`;
}
