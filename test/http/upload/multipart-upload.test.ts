import { describe, expect, test } from "bun:test";
import { CofferError } from "../../../src/domain/errors.ts";
import { readMultipartUpload } from "../../../src/http/upload/multipart.ts";
import { readRawUpload } from "../../../src/http/upload/body-chunks.ts";
import { bodyOf, rejectionOf } from "../../support/samples/upload-bodies.ts";

const TYPE = "multipart/form-data; boundary=XX";

async function read(bytes: Uint8Array, size: number, contentType = TYPE) {
  const pieces: Uint8Array[] = [];
  const { body, cancelled } = bodyOf(bytes, size);
  try {
    const upload = await readMultipartUpload(body, contentType, async (piece) => {
      expect(piece.length).toBeGreaterThan(0);
      pieces.push(Uint8Array.from(piece));
    });
    return { ...upload, content: Buffer.concat(pieces), error: undefined, cancelled: cancelled() };
  } catch (error) {
    expect(body.locked).toBeFalse();
    return { fields: undefined, contentKey: null, content: Buffer.alloc(0), error, cancelled: cancelled() };
  }
}

/** One part: the parameters after `form-data`, its value, and further header lines. */
function part(parameters: string, value: string, ...headers: string[]): string {
  return `--XX\r\n${[`Content-Disposition: form-data; ${parameters}`, ...headers].join("\r\n")}\r\n\r\n${value}\r\n`;
}

const END = "--XX--\r\n";
const FILE = part('name="file"; filename="a.txt"', "Hello");
const SIZES = [1, 2, 3, 5, 7, 64, 1 << 20];

interface Accepted {
  name: string;
  body: string;
  fields: object;
  content?: string;
}

const accepted: Accepted[] = [
  { name: "a file alone", body: FILE + END, fields: { content: "", filename: "a.txt" }, content: "Hello" },
  {
    name: "fields before the file",
    body: part('name="drive_id"', "d") + FILE + END,
    fields: { drive_id: "d", content: "", filename: "a.txt" },
    content: "Hello",
  },
  {
    name: "fields after the file",
    body: FILE + part('name="path"', "x/y") + END,
    fields: { path: "x/y", content: "", filename: "a.txt" },
    content: "Hello",
  },
  { name: "no file", body: part('name="path"', "p") + END, fields: { path: "p" } },
  { name: "no part", body: END, fields: {} },
  {
    name: "every text field",
    body:
      ["drive_id", "filename", "path", "content_type", "expires_at"]
        .map((name) => part(`name=${name}`, `<${name}>`))
        .join("") + END,
    fields: {
      drive_id: "<drive_id>",
      filename: "<filename>",
      path: "<path>",
      content_type: "<content_type>",
      expires_at: "<expires_at>",
    },
  },
  {
    name: "filename field over the file's",
    body: part('name="filename"', "b") + FILE + END,
    fields: { content: "", filename: "b" },
    content: "Hello",
  },
  {
    name: "type from the file",
    body: part('name="content"; filename="a"', "x", "Content-Type: text/html; charset=utf-8") + END,
    fields: { content: "", filename: "a", content_type: "text/html; charset=utf-8" },
    content: "x",
  },
  {
    name: "type field over the file's",
    body: part('name="file"', "x", "content-type: text/html") + part('name="content_type"', "a/b") + END,
    fields: { content: "", content_type: "a/b" },
    content: "x",
  },
  {
    name: "octet-stream says nothing",
    body: part('name="file"; filename="a"', "x", "Content-Type: application/octet-stream") + END,
    fields: { content: "", filename: "a" },
    content: "x",
  },
  {
    name: "content without a file name",
    body: part('name="content"', "SGk=") + END,
    fields: { content: "" },
    content: "SGk=",
  },
  {
    name: "no file chosen in a browser",
    body: part('name="file"; filename=""', "") + END,
    fields: { content: "" },
    content: "",
  },
  {
    name: "byte order mark in a text",
    body: part('name="path"', "\ufeffa") + END,
    fields: { path: "\ufeffa" },
  },
  { name: "empty text", body: part('name="path"', "") + END, fields: { path: "" } },
  {
    name: "tags repeated",
    body: part('name="tags"', "a,b") + part('name="tags"', "c") + END,
    fields: { tags: ["a,b", "c"] },
  },
  {
    name: "tags with commas",
    body: part('name="tags"', " a, b ,,c") + END,
    fields: { tags: ["a", "b", "c"] },
  },
  { name: "tags as JSON", body: part('name="tags"', '["a,b","c"]') + END, fields: { tags: ["a,b", "c"] } },
  { name: "no tags", body: part('name="tags"', "") + END, fields: { tags: [] } },
  {
    name: "metadata",
    body: part('name="metadata"', '{"a":{"b":[1]}}', "Content-Type: application/json") + END,
    fields: { metadata: { a: { b: [1] } } },
  },
  {
    name: "metadata from a file",
    body: part('name="metadata"; filename="m.json"', "{}") + END,
    fields: { metadata: {} },
  },
  {
    name: "unknown text",
    body: part('name="__proto__"', "1") + part('name="x"', "1") + part('name="x"', "2") + END,
    fields: { ["__proto__"]: "1", x: "1" },
  },
  {
    name: "percent escapes of browsers",
    body: part('name="file"; filename="a%22b%0D%0Ac%41%.txt"', "x") + END,
    fields: { content: "", filename: 'a"b\r\nc%41%.txt' },
    content: "x",
  },
  {
    name: "backslash escapes of curl",
    body: part(String.raw`name="file"; filename="a\"b\\c\d"`, "x") + END,
    fields: { content: "", filename: String.raw`a"b\c\d` },
    content: "x",
  },
  {
    name: "UTF-8 in a file name",
    body: part('name="file"; filename="é日😀"', "x") + END,
    fields: { content: "", filename: "é日😀" },
    content: "x",
  },
  {
    name: "file name with a path",
    body: part('name="file"; filename="../etc/passwd"', "x") + END,
    fields: { content: "", filename: "../etc/passwd" },
    content: "x",
  },
  {
    name: "extended file name",
    body: part('name="file"; filename="x"; filename*=utf-8\'\'na%C3%AFve%22', "x") + END,
    fields: { content: "", filename: 'naïve"' },
    content: "x",
  },
  {
    name: "semicolon in a file name",
    body: part('filename="a; name=b" ; name="file"', "x") + END,
    fields: { content: "", filename: "a; name=b" },
    content: "x",
  },
  {
    name: "preamble and epilogue",
    body: `to be ignored\r\n${FILE}${END}also\r\n--XX\r\n`,
    fields: { content: "", filename: "a.txt" },
    content: "Hello",
  },
  {
    name: "no line break at the end",
    body: `${FILE}--XX--`,
    fields: { content: "", filename: "a.txt" },
    content: "Hello",
  },
  {
    name: "blanks after a delimiter",
    body: FILE.replace("--XX", "--XX \t") + END,
    fields: { content: "", filename: "a.txt" },
    content: "Hello",
  },
  {
    name: "content like a delimiter",
    body: part('name="file"', "\r\n--X\r\n-\r\r\n--\r\n\r\n--xx --XX-- \n--XX\r\r") + END,
    fields: { content: "" },
    content: "\r\n--X\r\n-\r\r\n--\r\n\r\n--xx --XX-- \n--XX\r\r",
  },
  {
    name: "plain transfer encoding",
    body: part('name="file"', "x", "Content-Transfer-Encoding: BINARY") + END,
    fields: { content: "" },
    content: "x",
  },
  {
    name: "256 KiB of text",
    body: part('name="path"', "x".repeat(256 * 1024)) + END,
    fields: { path: "x".repeat(256 * 1024) },
  },
];

interface Refused {
  name: string;
  body: string | Uint8Array;
  field: string | undefined;
  code?: string;
}

const refused: Refused[] = [
  { name: "empty body", body: "", field: "body" },
  { name: "no boundary", body: "Hello", field: "body" },
  { name: "cut short in a header", body: "--XX\r\nContent-Dis", field: "body" },
  { name: "cut short in the file", body: FILE, field: "body" },
  { name: "cut short in the last delimiter", body: `${FILE}--XX-`, field: "body" },
  { name: "delimiter with text after it", body: `${FILE}--XXY\r\n\r\n${END}`, field: "body" },
  {
    name: "such a delimiter before a part",
    body: part('name="path"', "x").replace("--XX", "--XXY") + END,
    field: "body",
  },
  { name: "content with such a line", body: part('name="file"', "a\r\n--XXjunk\r\nb") + END, field: "body" },
  { name: "two files", body: FILE + FILE + END, field: "content" },
  { name: "file and content", body: FILE + part('name="content"', "x") + END, field: "content" },
  {
    name: "a file under another name",
    body: part('name="upload"; filename="a"', "x") + END,
    field: "upload",
  },
  { name: "two paths", body: part('name="path"', "a") + part('name="path"', "b") + END, field: "path" },
  { name: "no header", body: `--XX\r\n\r\nx\r\n${END}`, field: "body" },
  { name: "header without a colon", body: part('name="path"', "x", "nonsense") + END, field: "body" },
  {
    name: "lone line feed in a header",
    body: part('name="file"; filename="a\nb"', "x") + END,
    field: "body",
  },
  {
    name: "two dispositions",
    body: part('name="path"', "x", 'content-disposition: form-data; name="file"') + END,
    field: "body",
  },
  { name: "attachment", body: FILE.replace("form-data", "attachment") + END, field: "body" },
  { name: "no name", body: part('filename="a"', "x") + END, field: "body" },
  { name: "two names", body: part('name="file"; name="path"', "x") + END, field: "body" },
  { name: "quote left open", body: part('name="file', "x") + END, field: "body" },
  { name: "many backslashes", body: part(`name="${"\\".repeat(15_000)}`, "x") + END, field: "body" },
  {
    name: "extended name in another charset",
    body: part("name=file; filename*=latin1''%E9", "x") + END,
    field: "body",
  },
  {
    name: "extended name that is not UTF-8",
    body: part("name=file; filename*=UTF-8''%E9", "x") + END,
    field: "body",
  },
  {
    name: "base64 transfer encoding",
    body: part('name="file"', "SGk=", "Content-Transfer-Encoding: base64") + END,
    field: "body",
  },
  {
    name: "header that is not UTF-8",
    body: Buffer.from(part('name="file"; filename="\xe9"', "x") + END, "latin1"),
    field: "body",
  },
  {
    name: "text that is not UTF-8",
    body: Buffer.from(part('name="path"', "\xe9") + END, "latin1"),
    field: "path",
  },
  { name: "metadata that is not JSON", body: part('name="metadata"', "a=b") + END, field: "metadata" },
  {
    name: "metadata nested deeply",
    body: part('name="metadata"', "[".repeat(50_000) + "]".repeat(50_000)) + END,
    field: "metadata",
  },
  { name: "tags that are not JSON", body: part('name="tags"', '["a"') + END, field: "tags" },
  { name: "65 parts", body: part('name="x"', "").repeat(65) + END, field: "body" },
  {
    name: "header above 16 KiB",
    body: part('name="file"', "x", `X: ${"x".repeat(16 * 1024)}`) + END,
    field: "body",
  },
  { name: "header without an end", body: `--XX\r\n${"x".repeat(100_000)}`, field: "body" },
  {
    name: "text above 256 KiB",
    body: part('name="path"', "x".repeat(200_000)) + part('name="x"', "x".repeat(70_000)) + END,
    field: undefined,
    code: "PAYLOAD_TOO_LARGE",
  },
];

describe("a multipart upload is read", () => {
  test.each(accepted)("$name", async ({ body, fields, content }) => {
    for (const size of body.length > 10_000 ? [1000] : SIZES) {
      const upload = await read(Buffer.from(body), size);
      expect(upload.error).toBeUndefined();
      expect(upload.fields).toEqual(fields);
      expect(upload.contentKey !== null).toBe(content !== undefined);
      expect(upload.content.toString()).toBe(content ?? "");
    }
  });

  test.each([
    "multipart/form-data; boundary=XX",
    "Multipart/Form-Data; charset=utf-8; Boundary=XX",
    'multipart/form-data;boundary="XX"; charset=utf-8',
  ])("with the type %s", async (contentType) => {
    const upload = await read(Buffer.from(FILE + END), 10, contentType);
    expect(upload.content.toString()).toBe("Hello");
  });
});

describe("a multipart upload is refused", () => {
  test.each(refused)("$name", async ({ body, field, code = "VALIDATION_ERROR" }) => {
    const bytes = Buffer.from(body);
    for (const size of bytes.length > 1000 ? [1000] : SIZES) {
      const { error } = await read(bytes, size);
      expect(error).toBeInstanceOf(CofferError);
      expect(error).toMatchObject({ code, field });
    }
  });

  test.each([
    "multipart/form-data",
    "multipart/form-data; boundary=",
    `multipart/form-data; boundary=${"x".repeat(71)}`,
  ])("with the type %s", async (contentType) => {
    const { error, cancelled } = await read(Buffer.from(FILE + END), 10, contentType);
    expect(error).toMatchObject({ code: "VALIDATION_ERROR", field: "body" });
    expect(cancelled).toBeTrue();
  });

  test("and the rest of the body is left unread", async () => {
    const { error, cancelled } = await read(Buffer.from(FILE + FILE + FILE + END), 10);
    expect(error).toBeInstanceOf(CofferError);
    expect(cancelled).toBeTrue();
  });
});

test("errors of the stream and of the writer go through", async () => {
  const gone = new Error("client gone");
  const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(gone) });
  expect(await rejectionOf(readMultipartUpload(broken, TYPE, async () => {}))).toBe(gone);
  const full = new Error("disk full");
  const fail = async () => {
    throw full;
  };
  for (const reading of [
    (body: ReadableStream<Uint8Array>) => readMultipartUpload(body, TYPE, fail),
    (body: ReadableStream<Uint8Array>) => readRawUpload(body, fail),
  ]) {
    const { body, cancelled } = bodyOf(Buffer.from(FILE + END), 3);
    expect(await rejectionOf(reading(body))).toBe(full);
    expect(cancelled()).toBeTrue();
  }
});

test("a raw upload is handed on as it is", async () => {
  const pieces: Uint8Array[] = [];
  await readRawUpload(bodyOf(Buffer.from("Hello"), 2).body, async (piece) => {
    pieces.push(Uint8Array.from(piece));
  });
  expect(Buffer.concat(pieces).toString()).toBe("Hello");
});

/** A small seeded generator (mulberry32), so that a failure can be repeated. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Bytes with many beginnings of a delimiter among them, and never a whole one. */
function randomContent(random: (below: number) => number): string {
  const shreds = ["\r", "\n", "\r\n", "\r\n-", "\r\n--", "\r\n--X", "X", "-", "--", "\0", "é"];
  const text = Array.from({ length: random(200) }, () => shreds[random(shreds.length)]).join("");
  return text.replaceAll("--XX", "--X-");
}

test("random contents come through, however they are split", async () => {
  for (let seed = 1; seed <= 1000; seed++) {
    const random = randomFrom(seed);
    const content = randomContent(random);
    const path = randomContent(random);
    const parts = [part('name="file"', content), part('name="path"', path)];
    if (random(2) === 0) parts.reverse();
    const upload = await read(Buffer.from(parts.join("") + END), 1 + random(random(2) === 0 ? 5 : 300));
    expect(upload.error, `seed ${seed}`).toBeUndefined();
    expect(upload.content.toString(), `seed ${seed}`).toBe(content);
    expect(upload.fields, `seed ${seed}`).toEqual({ content: "", path });
  }
});

test("random damage meets nothing but refusals", async () => {
  let refusals = 0;
  for (let seed = 1; seed <= 3000; seed++) {
    const random = randomFrom(seed);
    const bytes = Buffer.from(
      `${FILE}${part('name="tags"', '["a"]')}${part('name="metadata"', '{"a":1}')}${END}`,
    );
    const damages = 1 + random(3);
    for (let damage = 0; damage < damages; damage++) {
      const interesting = Buffer.from('"\\\r\n-X;=:\0 \xff%*', "latin1");
      bytes[random(bytes.length)] = interesting[random(interesting.length)] ?? 0;
    }
    const { error } = await read(
      random(4) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes,
      1 + random(100),
    );
    if (error === undefined) continue;
    refusals++;
    expect(error, `seed ${seed}`).toBeInstanceOf(CofferError);
  }
  expect(refusals).toBeGreaterThan(500);
});

test("what the runtime's own FormData sends over a socket is read", async () => {
  const content = Buffer.alloc(3 << 20, "0123456789\r\n--");
  let upload: Awaited<ReturnType<typeof readMultipartUpload>> | undefined;
  const hash = new Bun.CryptoHasher("sha256");
  using server = Bun.serve({
    port: 0,
    async fetch(request) {
      if (request.body === null) return new Response("no body", { status: 500 });
      upload = await readMultipartUpload(
        request.body,
        request.headers.get("content-type") ?? "",
        async (piece) => {
          hash.update(piece);
        },
      );
      return new Response("read");
    },
  });
  const form = new FormData();
  form.append("drive_id", "d");
  form.append("file", new File([content], 'naïve "x".txt', { type: "text/plain" }));
  form.append("tags", "a");
  form.append("tags", "b");
  const response = await fetch(server.url, { method: "POST", body: form });
  expect(response.status).toBe(200);
  expect(upload?.fields).toEqual({
    drive_id: "d",
    content: "",
    filename: 'naïve "x".txt',
    content_type: expect.stringContaining("text/plain"),
    tags: ["a", "b"],
  });
  expect(hash.digest("hex")).toBe(Bun.SHA256.hash(content, "hex"));
});
