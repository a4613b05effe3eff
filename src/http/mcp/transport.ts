import { createMcpHandler, type McpServer, type Server } from "@modelcontextprotocol/server";
import { contextOf, type RequestContext, setContext } from "../gate/request-context.ts";
import type { Message } from "./admission.ts";

/** Answers a message that was read from a request. */
export type AnswerMessage = (request: Request, message: Message) => Promise<Response>;

/** How messages are answered. */
export interface TransportOptions {
  /** Makes the server of one request; nothing is kept between two. */
  readonly serverFor: (context: RequestContext) => Server | McpServer;
  /** How many streams of notifications clients may hold open. */
  readonly maxSubscriptions: number;
}

/** How a line of an event begins that has its data (HTML, 9.2.5). */
const DATA = "data: ";

/** Serves both families of protocol revisions over HTTP, without sessions. */
export function createTransport({ serverFor, maxSubscriptions }: TransportOptions): AnswerMessage {
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      if (requestInfo === undefined) throw new Error("a message came without its HTTP request");
      return serverFor(contextOf(requestInfo));
    },
    { maxSubscriptions },
  );
  return async (request, message) => {
    const received = withoutBody(request);
    setContext(received, contextOf(request));
    const response = await handler.fetch(received, { parsedBody: message });
    // They are for streams that stay open. Ours end with their one answer.
    for (const name of ["cache-control", "connection", "x-accel-buffering"]) response.headers.delete(name);
    return takesEvents(request) ? response : withoutEvents(response);
  };
}

function takesEvents({ headers }: Request): boolean {
  return headers.get("accept")?.includes("text/event-stream") === true;
}

/** An answer as plain JSON, for programs without a library: its last event alone, which is the result. */
async function withoutEvents(response: Response): Promise<Response> {
  if (response.headers.get("content-type") !== "text/event-stream") return response;
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith(DATA));
  return new Response(lines.at(-1)?.slice(DATA.length), {
    status: response.status,
    headers: { "content-type": "application/json" },
  });
}

/**
 * The request as the SDK wants it. Its body has been read, whatever its type, as everywhere. What the client takes is
 * seen to afterwards.
 */
function withoutBody(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set("content-type", "application/json");
  headers.set("accept", "application/json, text/event-stream");
  return new Request(request.url, { method: "POST", headers, signal: request.signal });
}
