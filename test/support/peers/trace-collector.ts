import { eventually } from "../server/scenario.ts";

/** A span, as a collector keeps it. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined at the beginning of a trace. */
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1 for work inside, 2 for a server, 3 for a client. */
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly events?: readonly { readonly name: string; readonly timeUnixNano: string }[];
  readonly status?: { readonly code: number };
}

interface Attribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: string;
    readonly doubleValue?: number;
  };
}

/** A request that came: `ExportTraceServiceRequest`. */
interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version: string };
      readonly spans: readonly CollectedSpan[];
    }[];
  }[];
}

/** A collector of somebody else's, which takes traces by OTLP/HTTP in JSON. */
export class TraceCollector implements AsyncDisposable {
  readonly requests: {
    readonly path: string;
    readonly headers: Headers;
    readonly text: string;
    readonly body: Exported;
  }[] = [];
  readonly #server: Bun.Server<undefined>;
  /** What it answers. */
  answer: () => Response | Promise<Response> = () => Response.json({});

  constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        const text = await request.text();
        const { pathname: path } = new URL(request.url);
        this.requests.push({ path, headers: request.headers, text, body: JSON.parse(text) });
        return this.answer();
      },
    });
  }

  /** Its address, without a path. */
  get url(): string {
    return this.#server.url.origin;
  }

  /** All that came, in the order in which they ended, those that came again twice. */
  get spans(): readonly CollectedSpan[] {
    return this.requests.flatMap(({ body }) =>
      body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    );
  }

  /** What the first request says of the server. */
  get resource(): Record<string, string | number> {
    return valuesOf(this.requests[0]?.body.resourceSpans[0]?.resource ?? { attributes: [] });
  }

  /** Resolves once so many requests have come. */
  async came(requests: number): Promise<void> {
    await eventually(() => this.requests.length >= requests);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}

/** The attributes of a span, or of what has sent it. */
export function valuesOf({
  attributes,
}: {
  readonly attributes: readonly Attribute[];
}): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ??
        (value.intValue === undefined ? (value.doubleValue ?? "") : Number(value.intValue)),
    ]),
  );
}
