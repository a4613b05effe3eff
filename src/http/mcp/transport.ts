import type { McpRequestContext, McpServer, McpServerFactory, Server } from "@modelcontextprotocol/server";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { CofferError } from "../../domain/errors.ts";
import type { Log } from "../../process/log.ts";
import { contextOf, type RequestContext, setContext } from "../gate/request-context.ts";
import type { Message } from "./admission.ts";
import { type Listen, type ListenFilter, ListenStream } from "./listening.ts";

/** Which family of protocol revisions a request is of: `legacy` is those of 2025. */
export type Era = McpRequestContext["era"];

const LISTEN = "subscriptions/listen";
/** How a line of an event begins that has its data (HTML, 9.2.5). */
const DATA = "data: ";

/** Serves both families of protocol revisions over HTTP, without sessions. */
export function createTransport({
  serverFor,
  listen,
  log,
}: {
  /** Makes the server of one request; nothing is kept between two. */
  readonly serverFor: (context: RequestContext, era: Era) => Server | McpServer;
  /** Listens for clients that want to be told of changes. */
  readonly listen: Listen;
  readonly log: Log;
}) {
  const factory: McpServerFactory = ({ requestInfo, era }) => {
    if (requestInfo === undefined) throw new Error("a message came without its HTTP request");
    return serverFor(contextOf(requestInfo), era);
  };
  const handler = createMcpHandler(factory, { maxSubscriptions: 0 });

  /** Each listener has a bus of its own: a shared one would tell of a name to whoever has chosen it. */
  const listenFor = async (request: Request, message: Message): Promise<Response> => {
    const context = contextOf(request);
    const stream = new ListenStream({
      finish: () => own.close(),
      onFailure: (error) => {
        if (!(error instanceof CofferError)) log.error("listening failed", { request_id: context.id, error });
      },
      context,
    });
    const listening = listen(context, filterOf(message), stream);
    const own = createMcpHandler(factory, { bus: listening, maxSubscriptions: 1, keepAliveMs: 0 });
    return stream.passOn(await own.fetch(request, { parsedBody: message }), listening);
  };

  return async (request: Request, message: Message): Promise<Response> => {
    const received = withoutBody(request);
    setContext(received, contextOf(request));
    if (message.method === LISTEN && takesEvents(request)) return listenFor(received, message);
    const response = await handler.fetch(received, { parsedBody: message });
    // They are for streams that stay open. Ours end with their one answer.
    for (const name of ["cache-control", "connection", "x-accel-buffering"]) response.headers.delete(name);
    return takesEvents(request) ? response : withoutEvents(response);
  };
}

/** What a message asks to be told. The SDK refuses one that is malformed. */
function filterOf({ params }: Message): ListenFilter {
  const sent = params?.notifications ?? {};
  const uris = Array.isArray(sent.resourceSubscriptions) ? sent.resourceSubscriptions : [];
  return {
    resourcesListChanged: sent.resourcesListChanged === true,
    resourceSubscriptions: uris.filter((uri) => typeof uri === "string"),
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

/** The request as the SDK wants it. Its body has been read. What the client takes is seen to afterwards. */
function withoutBody(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set("content-type", "application/json");
  headers.set("accept", "application/json, text/event-stream");
  return new Request(request.url, { method: "POST", headers, signal: request.signal });
}
