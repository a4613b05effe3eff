/** An S3 server that keeps its objects in memory. It takes any signature, and lists three objects a page. */
export interface S3Server extends Disposable {
  /** By their names. */
  readonly objects: Map<string, Uint8Array>;
  /** What a client needs to reach it, as Bun reads it. */
  readonly env: Readonly<Record<string, string>>;
  /** How many requests are answered 503 from now on, before others work again. */
  failing: number;
  /** Whether each page of a list names itself as the next one. */
  isStuck: boolean;
}

const PAGE = 3;

export function startS3Server(bucket: string): S3Server {
  const objects = new Map<string, Uint8Array>();
  const state = { objects, failing: 0, isStuck: false };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      const isSigned = searchParams.has("X-Amz-Signature") || request.headers.has("authorization");
      if (!isSigned) return new Response(null, { status: 403 });
      if (state.failing > 0) {
        state.failing -= 1;
        return new Response("<Error><Code>SlowDown</Code></Error>", { status: 503 });
      }
      const [, where, ...rest] = decodeURIComponent(pathname).split("/");
      if (where !== bucket) return new Response("<Error><Code>NoSuchBucket</Code></Error>", { status: 404 });
      const name = rest.join("/");
      if (name === "") return list(objects, searchParams, state.isStuck);
      switch (request.method) {
        case "PUT":
          objects.set(name, await request.bytes());
          return new Response(null, { headers: { etag: '"any"' } });
        case "GET": {
          const found = objects.get(name);
          return found === undefined
            ? new Response(null, { status: 404 })
            : new Response(Uint8Array.from(found));
        }
        case "DELETE":
          objects.delete(name);
          return new Response(null, { status: 204 });
        default:
          return new Response(null, { status: 405 });
      }
    },
  });
  return Object.assign(state, {
    env: {
      S3_ENDPOINT: `http://127.0.0.1:${server.port}`,
      S3_REGION: "us-east-1",
      S3_ACCESS_KEY_ID: "key",
      S3_SECRET_ACCESS_KEY: "secret",
    },
    [Symbol.dispose]: () => void server.stop(true),
  });
}

function list(objects: ReadonlyMap<string, Uint8Array>, query: URLSearchParams, isStuck: boolean): Response {
  const prefix = query.get("prefix") ?? "";
  const after = query.get("continuation-token") ?? "";
  const names = [...objects.keys()].filter((name) => name.startsWith(prefix) && name > after).toSorted();
  const page = names.slice(0, PAGE);
  const last = isStuck ? "0" : page.at(-1);
  const isTruncated = names.length > PAGE;
  const contents = page.map(
    (name) => `<Contents><Key>${name}</Key><Size>${objects.get(name)?.length}</Size></Contents>`,
  );
  const next = isTruncated ? `<NextContinuationToken>${last}</NextContinuationToken>` : "";
  return new Response(
    `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>` +
      `${contents.join("")}${next}</ListBucketResult>`,
    { headers: { "content-type": "application/xml" } },
  );
}
