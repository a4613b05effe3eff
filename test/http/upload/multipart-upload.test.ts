import { describe, expect, test } from "bun:test";
import { CofferError } from "../../../src/domain/errors.ts";
import { readJsonUpload } from "../../../src/http/upload/json.ts";
import { readMultipartUpload } from "../../../src/http/upload/multipart.ts";
import { readRawUpload } from "../../../src/http/upload/upload-body.ts";
import { bodyOf, readUpload } from "../../support/samples/upload-bodies.ts";
import { failureOf } from "../../support/samples/failure.ts";

const TYPE = "multipart/form-data; boundary=XX";

function read(bytes: Uint8Array, size: number, contentType = TYPE) {
  return readUpload(bytes, size, (body, write) =>
    readMultipartUpload(body, contentType, (piece) => {
      expect(piece.length).toBeGreaterThan(0);
      return write(piece);
    }),
  );
}

/** One part: the parameters after `form-data`, its value, and further header lines. */
function part(parameters: string, value: string, ...headers: string[]): string {
  return `--XX\r\n${[`Content-Disposition: form-data; ${parameters}`, ...headers].join("\r\n")}\r\n\r\n${value}\r\n`;
}

const text = (name: string, value: string, ...headers: string[]) => part(`name="${name}"`, value, ...headers);
/** A file with the content "x", and its name as it is sent. */
const named = (filename: string, ...headers: string[]) =>
  part(`name="file"; filename="${filename}"`, "x", ...headers);

const END = "--XX--\r\n";
const FILE = part('name="file"; filename="a.txt"', "Hello");
const A_TXT = { filename: "a.txt" };
const SIZES = [1, 2, 3, 5, 7, 64, 1 << 20];
const ALMOST = "\r\n--X\r\n-\r\r\n--\r\n\r\n--xx --XX-- \n--XX\r\r";
const LONG = "x".repeat(140_000);
const JSON_TYPE = "Content-Type: application/json";
const HTML = "text/html; charset=utf-8";
const EXTENDED = `name="file"; filename="x"; filename*=utf-8''na%C3%AFve%22`;
const TEXTS = ["drive_id", "filename", "path", "content_type", "expires_at"];

/** The parts, the fields, and `content` where there is one: it is streamed, and empty among the fields. */
type Accepted = readonly [name: string, parts: string, fields: object, content?: string | null];

const accepted: readonly Accepted[] = [
  ["a file alone", FILE, A_TXT, "Hello"],
  ["fields before the file", text("drive_id", "d") + FILE, { drive_id: "d", ...A_TXT }, "Hello"],
  ["fields after the file", FILE + text("path", "x/y"), { path: "x/y" }, "Hello"],
  ["a path that is a folder", FILE + text("path", "x/"), { path: "x/", ...A_TXT }, "Hello"],
  ["no file", text("path", "p"), { path: "p" }],
  ["no part", "", {}],
  [
    "every text field",
    TEXTS.map((name) => part(`name=${name}`, `<${name}>`)).join(""),
    Object.fromEntries(TEXTS.map((name) => [name, `<${name}>`])),
  ],
  ["filename field over the file's", text("filename", "b") + FILE, { filename: "b" }, "Hello"],
  ["type from the file", named("a", `Content-Type: ${HTML}`), { filename: "a", content_type: HTML }, "x"],
  [
    "type field over the file's",
    text("file", "x", "content-type: text/html") + text("content_type", "a/b"),
    { content_type: "a/b" },
    "x",
  ],
  ["octet-stream says nothing", named("a", "Content-Type: application/octet-stream"), { filename: "a" }, "x"],
  ["content without a file name", text("content", "SGk="), {}, "SGk="],
  ["no file chosen in a browser", part('name="file"; filename=""', ""), {}, ""],
  ["byte order mark in a text", text("path", "\ufeffa"), { path: "\ufeffa" }],
  ["empty text", text("path", ""), { path: "" }],
  ["tags repeated", text("tags", "a,b") + text("tags", "c"), { tags: ["a,b", "c"] }],
  ["tags with commas", text("tags", " a, b ,,c"), { tags: ["a", "b", "c"] }],
  ["tags as JSON", text("tags", '["a,b","c"]'), { tags: ["a,b", "c"] }],
  ["no tags", text("tags", ""), { tags: [] }],
  ["metadata", text("metadata", '{"a":{"b":[1]}}', JSON_TYPE), { metadata: { a: { b: [1] } } }],
  ["metadata from a file", part('name="metadata"; filename="m.json"', "{}"), { metadata: {} }],
  ["unknown text", text("__proto__", "1") + text("x", "1") + text("x", "2"), { ["__proto__"]: "1", x: "1" }],
  ["percent escapes of browsers", named("a%22b%0D%0Ac%41%.txt"), { filename: 'a"b\r\nc%41%.txt' }, "x"],
  ["backslash escapes of curl", named(String.raw`a\"b\\c\d`), { filename: String.raw`a"b\c\d` }, "x"],
  ["UTF-8 in a file name", named("é日😀"), { filename: "é日😀" }, "x"],
  ["file name with a path", named("../etc/passwd"), { filename: "../etc/passwd" }, "x"],
  ["extended file name", part(EXTENDED, "x"), { filename: 'naïve"' }, "x"],
  [
    "semicolon in a file name",
    part('filename="a; name=b" ; name="file"', "x"),
    { filename: "a; name=b" },
    "x",
  ],
  ["preamble", `to be ignored\r\n${FILE}`, A_TXT, "Hello"],
  ["epilogue", `${FILE}${END}also\r\n--XX\r\n`, A_TXT, "Hello"],
  ["blanks after a delimiter", FILE.replace("--XX", "--XX \t"), A_TXT, "Hello"],
  ["content like a delimiter", text("file", ALMOST), {}, ALMOST],
  ["plain transfer encoding", text("file", "x", "Content-Transfer-Encoding: BINARY"), {}, "x"],
  ["256 KiB of text", text("path", "x".repeat(256 * 1024)), { path: "x".repeat(256 * 1024) }],
];

/** Whose field is the body, unless another is named. */
type Refused = readonly [name: string, body: string | Uint8Array, field?: string | null, code?: string];

const refused: readonly Refused[] = [
  ["empty body", ""],
  ["no boundary", "Hello"],
  ["cut short in a header", "--XX\r\nContent-Dis"],
  ["cut short in the file", FILE],
  ["cut short in the last delimiter", `${FILE}--XX-`],
  ["delimiter with text after it", `${FILE}--XXY\r\n\r\n${END}`],
  ["such a delimiter before a part", text("path", "x").replace("--XX", "--XXY") + END],
  ["content with such a line", text("file", "a\r\n--XXjunk\r\nb") + END],
  ["two files", FILE + FILE + END, "content"],
  ["file and content", FILE + text("content", "x") + END, "content"],
  ["a file under another name", part('name="upload"; filename="a"', "x") + END, "upload"],
  ["two paths", text("path", "a") + text("path", "b") + END, "path"],
  ["no header", `--XX\r\n\r\nx\r\n${END}`],
  ["header without a colon", text("path", "x", "nonsense") + END],
  ["lone line feed in a header", named("a\nb") + END],
  ["two dispositions", text("path", "x", 'content-disposition: form-data; name="file"') + END],
  ["attachment", FILE.replace("form-data", "attachment") + END],
  ["no name", part('filename="a"', "x") + END],
  ["two names", part('name="file"; name="path"', "x") + END],
  ["quote left open", part('name="file', "x") + END],
  ["many backslashes", part(`name="${"\\".repeat(15_000)}`, "x") + END],
  ["extended name in another charset", part("name=file; filename*=latin1''%E9", "x") + END],
  ["extended name that is not UTF-8", part("name=file; filename*=UTF-8''%E9", "x") + END],
  ["base64 transfer encoding", text("file", "SGk=", "Content-Transfer-Encoding: base64") + END],
  ["header that is not UTF-8", Buffer.from(named("\xe9") + END, "latin1")],
  ["text that is not UTF-8", Buffer.from(text("path", "\xe9") + END, "latin1"), "path"],
  ["metadata that is not JSON", text("metadata", "a=b") + END, "metadata"],
  ["metadata nested deeply", text("metadata", "[".repeat(50_000) + "]".repeat(50_000)) + END, "metadata"],
  ["tags that are not JSON", text("tags", '["a"') + END, "tags"],
  ["65 parts", text("x", "").repeat(65) + END],
  ["header above 16 KiB", text("file", "x", `X: ${"x".repeat(16 * 1024)}`) + END],
  ["header without an end", `--XX\r\n${"x".repeat(100_000)}`],
  ["text above 256 KiB", text("path", LONG) + text("x", LONG) + END, null, "PAYLOAD_TOO_LARGE"],
];

describe("a multipart upload is read", () => {
  test.each(accepted)("%s", async (_, parts, fields, content = null) => {
    for (const size of parts.length > 10_000 ? [1000] : SIZES) {
      for (const end of [END, "--XX--"]) {
        const upload = await read(Buffer.from(parts + end), size);
        expect(upload.error).toBeUndefined();
        expect(upload.fields).toEqual(content === null ? fields : { content: "", ...fields });
        expect(upload.contentKey !== null).toBe(content !== null);
        expect(upload.content.toString()).toBe(content ?? "");
      }
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
  test.each(refused)("%s", async (_, body, field = "body", code = "VALIDATION_ERROR") => {
    const bytes = Buffer.from(body);
    for (const size of bytes.length > 1000 ? [1000] : SIZES) {
      const { error } = await read(bytes, size);
      expect(error).toBeInstanceOf(CofferError);
      expect(error).toMatchObject({ code, field: field ?? undefined });
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

type Reader = (...args: Parameters<typeof readRawUpload>) => Promise<unknown>;
test.each<[kind: string, reader: Reader, sent: string]>([
  ["raw", readRawUpload, "Hello"],
  ["a form", (body, write) => readMultipartUpload(body, TYPE, write), FILE + END],
  ["JSON", readJsonUpload, `{"content":"${"A".repeat(300_000)}"}`],
])("errors of the stream and of the writer go through: %s", async (_, reader, sent) => {
  const gone = new Error("client gone");
  const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(gone) });
  expect(await failureOf(reader(broken, async () => {}))).toBe(gone);
  const full = new Error("disk full");
  const { body, cancelled } = bodyOf(Buffer.from(sent), sent.length > 1000 ? 65_536 : 3);
  expect(await failureOf(reader(body, () => Promise.reject(full)))).toBe(full);
  expect(cancelled()).toBeTrue();
});

test("a raw upload is handed on as it is", async () => {
  const pieces: Uint8Array[] = [];
  await readRawUpload(bodyOf(Buffer.from("Hello"), 2).body, async (piece) => {
    pieces.push(Uint8Array.from(piece));
  });
  expect(Buffer.concat(pieces).toString()).toBe("Hello");
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
