import { Database } from "bun:sqlite";
import { mkdir, open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { recordOf } from "../contents.ts";

// The yardstick: the least that stores files and answers them. It imports little, since its start is measured.
//   bun bare-server.ts DIRECTORY PORT KEY

const [directory = "", port = "", key = ""] = process.argv.slice(2);

const fields = Object.keys(recordOf(0));
const columns = fields.join(", ");
const database = new Database(join(directory, "records.db"));
database.run(`CREATE TABLE IF NOT EXISTS record (n INTEGER PRIMARY KEY, ${columns})`);
const insert = database.query(`INSERT INTO record (${columns}) VALUES (${fields.map(() => "?").join(", ")})`);
const select = database.query<{ tags: string; metadata: string }, [number, number]>(
  `SELECT ${columns} FROM record WHERE n > ? ORDER BY n LIMIT ?`,
);

/** Writes to a file and hashes on the way; no sync. */
async function save(path: string, pieces: AsyncIterable<Uint8Array>): Promise<Response> {
  const target = join(directory, "files", path);
  await mkdir(dirname(target), { recursive: true });
  const hash = new Bun.CryptoHasher("sha256");
  const file = await open(`${target}.new`, "w");
  let size = 0;
  for await (const piece of pieces) {
    hash.update(piece);
    await file.write(piece);
    size += piece.length;
  }
  await file.close();
  await rename(`${target}.new`, target);
  return Response.json({ path, size, content_hash: hash.digest("hex") }, { status: 201 });
}

/** What is in base64 at the end of the JSON. */
async function* decoded(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const begin = '"content":"';
  let [text, isIn] = ["", false];
  for await (const piece of pieces) {
    text += Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString("latin1");
    const at = isIn ? 0 : text.indexOf(begin) + begin.length;
    if (at < begin.length && !isIn) continue;
    isIn = true;
    const end = text.indexOf('"', at);
    const until = end === -1 ? text.length - ((text.length - at) % 4) : end;
    yield Buffer.from(text.slice(at, until), "base64");
    text = text.slice(until);
  }
}

function list(after: number, limit: number): Response {
  const data = select.all(after, limit).map((row) => ({
    ...row,
    tags: JSON.parse(row.tags),
    metadata: JSON.parse(row.metadata),
  }));
  return Response.json({ data });
}

function makeRecords(count: number): Response {
  database.transaction(() => {
    for (let n = 1; n <= count; n += 1) {
      const values = Object.values(recordOf(n));
      insert.run(...values.map((value) => (typeof value === "object" ? JSON.stringify(value) : value)));
    }
  })();
  return new Response(null, { status: 204 });
}

async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === "/ready") return new Response("ready");
  if (request.headers.get("authorization") !== `Bearer ${key}`) return new Response(null, { status: 401 });
  const body = request.body ?? new ReadableStream<Uint8Array>();
  switch (`${request.method} ${pathname}`) {
    case "POST /files":
      return save(crypto.randomUUID(), decoded(body));
    case "POST /records":
      return makeRecords(Number(searchParams.get("count")));
    case "GET /records":
      return list(Number(searchParams.get("after")), Number(searchParams.get("limit")));
    default: {
      const path = pathname.slice("/files/".length);
      if (request.method === "PUT") return save(path, body);
      return new Response(Bun.file(join(directory, "files", path)));
    }
  }
}

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  development: false,
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  fetch: answer,
});
