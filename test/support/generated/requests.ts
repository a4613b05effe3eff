import { generateSync } from "json-schema-faker";
import type { Json } from "../server/client.ts";
import type { DescribedOperation, DescribedParameter, Description } from "../schemas/description.ts";
import { isObject, type JsonObject } from "../schemas/json-schema.ts";
import type { Random } from "../server/random.ts";
import { hostileHeader, hostileText } from "./hostile.ts";
import type { Kind, KnownValues } from "./known-values.ts";
import { mutated, spelled } from "./hostile.ts";

/** A request that was made from the description, valid or not. */
export interface GeneratedRequest {
  readonly operation: DescribedOperation;
  readonly address: string;
  /** Without who asks. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer<ArrayBuffer> | undefined;
}

/** How often a parameter or field is what it should be. */
const FITTING = 0.93;

/** The kinds of things that parameters and fields name. */
const KIND_OF: Readonly<Record<string, readonly Kind[]>> = {
  drive_id: ["drive", "drive", "slug"],
  snapshot_id: ["snapshot"],
  destination_drive_id: ["drive", "drive", "slug"],
  slug: ["slug"],
  path: ["path", "folder"],
  prefix: ["path", "folder"],
  path_prefix: ["folder"],
  destination_path: ["path", "folder"],
  cursor: ["cursor"],
  file_ids: ["file"],
  reply_to: ["comment"],
  username: ["username"],
  "If-Match": ["etag"],
  "If-None-Match": ["etag"],
  "If-Range": ["etag"],
};

/** The kinds of things in the path, by what comes before them. */
const KIND_IN_PATH: Readonly<Record<string, Kind>> = {
  drives: "drive",
  snapshots: "snapshot",
  trash: "trash entry",
  versions: "version",
  files: "file",
  keys: "key",
  sessions: "session",
  users: "user",
  members: "user",
  claim: "claim",
  presigned: "link",
  uploads: "upload link",
  shared: "share link",
  links: "listed link",
  webhooks: "webhook",
  deliveries: "delivery",
  comments: "comment",
};

/** What need not exist, since a request may make it. */
const NEW: Partial<Record<Kind, readonly string[]>> = {
  path: ["a", "a/b.txt", "a/b/", "c/d/e.json", "notes/", "notes/hello.txt", "ä/日.md", "x.png"],
  folder: ["a/b/", "c/d/", "notes/", "ä/", "moved/"],
  username: Array.from({ length: 1000 }, (_, number) => `person-${number}`),
};
const TIMES = ["2099-01-31T12:00:00Z", "2030-01-31", "2000-01-01T00:00:00Z"];
const CONTENT_TYPES = [
  "application/json",
  "text/plain; charset=utf-8",
  "application/octet-stream",
  "multipart/form-data",
  "multipart/form-data; boundary=x",
  "application/x-www-form-urlencoded",
  "x",
];
const RANGES = ["bytes=0-0", "bytes=2-", "bytes=-3", "bytes=0-1,3-4", "bytes=999-", "items=0-1"];
/** Percent-encoded bytes that are no text, or no text that a path may have. */
const ODD_ENCODINGS = ["%", "%zz", "%00", "%ED%A0%80", "%c3%28", "%5c", "%0d%0a", "%2f%2f", "+"];

/** The longest text in an address, in UTF-16 units. */
const LONGEST = 300;

/** Makes a request to any operation of a description. @param known what the caller knows to exist */
export function generatedRequest(
  description: Description,
  known: KnownValues,
  random: Random,
): GeneratedRequest {
  return new Draft(description, random.pick(description.operations), known, random).request();
}

/** One request while it is made. */
class Draft {
  readonly #description: Description;
  readonly #operation: DescribedOperation;
  readonly #known: KnownValues;
  readonly #random: Random;
  readonly #headers: Record<string, string> = {};

  constructor(description: Description, operation: DescribedOperation, known: KnownValues, random: Random) {
    this.#description = description;
    this.#operation = operation;
    this.#known = known;
    this.#random = random;
  }

  request(): GeneratedRequest {
    const parameters = this.#description.parameters(this.#operation);
    this.#setHeaders(parameters);
    const body = this.#body();
    return { operation: this.#operation, address: this.#address(parameters), headers: this.#headers, body };
  }

  #address(parameters: readonly DescribedParameter[]): string {
    const random = this.#random;
    const filled = this.#operation.path.replaceAll(/(\w+)\/\{\w+\}/g, (_, before: string) => {
      const kind = KIND_IN_PATH[before];
      const known = kind === undefined ? undefined : this.#known.pick(kind, random);
      const text = random.chance(FITTING) && known !== undefined ? known : hostileText(random);
      return `${before}/${encodedSegment(text, random)}`;
    });
    const pairs = parameters.flatMap((each) => (each.place === "query" ? this.#queryPairs(each) : []));
    if (random.chance(0.05)) pairs.push(`${encoded(hostileText(random))}=${encoded(hostileText(random))}`);
    return pairs.length === 0 ? filled : `${filled}?${pairs.join("&")}`;
  }

  #queryPairs({ name, isRequired, schema }: DescribedParameter): string[] {
    const random = this.#random;
    if (!random.chance(isRequired ? 0.97 : 0.25)) return [];
    const times = random.chance(0.03) || schema["type"] === "array" ? 1 + random.below(3) : 1;
    return Array.from({ length: times }, () => {
      if (random.chance(0.02)) return `${name}=${random.pick(ODD_ENCODINGS)}`;
      const value = random.chance(FITTING) ? this.#fitting(name, schema) : hostileText(random);
      const texts = [value].flat().map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
      return `${name}=${encoded(texts.join(","))}`;
    });
  }

  #setHeaders(parameters: readonly DescribedParameter[]): void {
    const [random, headers] = [this.#random, this.#headers];
    for (const { name, place } of parameters) {
      if (place === "header" && random.chance(0.2)) headers[name] = this.#header(name);
    }
    if (random.chance(0.1)) headers["x-request-id"] = hostileHeader(random);
    if (random.chance(0.01)) headers["content-encoding"] = random.pick(["gzip", "identity", "x", ""]);
    if (random.chance(0.01)) headers["content-range"] = random.pick(["bytes 0-1/5", "x"]);
    if (random.chance(0.02)) headers["sec-fetch-dest"] = random.pick(["script", "document", "x"]);
    if (random.chance(0.02)) headers["x-forwarded-for"] = hostileHeader(random);
  }

  #header(name: string): string {
    const random = this.#random;
    if (random.chance(0.2)) return hostileHeader(random);
    if (name === "Idempotency-Key")
      return random.chance(0.3) ? `key-${random.below(20)}` : crypto.randomUUID();
    if (name === "Range") return random.pick(RANGES);
    if (name === "If-Modified-Since" || name === "If-Unmodified-Since")
      return random.pick(["Tue, 01 Jan 2030 00:00:00 GMT", "Tue, 01 Jan 2080 00:00:00 GMT"]);
    const etag = this.#known.pick("etag", random) ?? '"x"';
    return random.pick([etag, "*", `W/${etag}`, `"x", ${etag}`]);
  }

  /** The body; sets its Content-Type. */
  #body(): GeneratedRequest["body"] {
    const random = this.#random;
    const schemas = this.#description.bodySchemas(this.#operation);
    if (this.#operation.method === "GET" || random.chance(0.02)) return undefined;
    if (schemas.length === 0) return random.chance(0.05) ? spelled(hostileText(random), random) : undefined;
    const [type, schema] = random.pick(schemas);
    this.#headers["content-type"] = random.chance(0.95) ? type : random.pick(CONTENT_TYPES);
    if (schema["format"] === "binary") return random.bytes(random.pick([0, 1, 10, 300, 20_000]));
    const fields = this.#fields(schema);
    if (type === "multipart/form-data") return this.#form(fields);
    if (type === "application/x-www-form-urlencoded") return urlForm(fields);
    let body: Json = fields;
    for (let times = 0; random.chance(0.3) && times < 4; times += 1) body = mutated(body, random);
    return spelled(body, random);
  }

  /** The fields that the schema makes, each with a value that fits. */
  #fields(schema: JsonObject): Record<string, Json> {
    const made = this.#made(schema);
    const { properties } = schema;
    if (!isObject(made) || !isObject(properties)) throw new Error("a body is no object");
    const named = Object.keys(made).filter((name) => Object.hasOwn(properties, name));
    return Object.fromEntries(
      named.map((name) => [name, this.#fitting(name, this.#description.resolve(properties[name]))]),
    );
  }

  /** A value that the schema allows, mostly one that means something. */
  #fitting(name: string, schema: JsonObject): Json {
    const random = this.#random;
    const kinds = this.#kindsOf(name);
    if (kinds !== undefined && random.chance(0.95)) {
      const kind = random.pick(kinds);
      const fresh = NEW[kind] ?? [];
      const isNew = fresh.length > 0 && random.chance(0.4);
      const value = isNew ? random.pick(fresh) : this.#known.pick(kind, random);
      if (value !== undefined) return schema["type"] === "array" ? [value] : value;
    }
    switch (name) {
      case "content":
        return random.bytes(random.pick([0, 1, 12, 400, 30_000])).toBase64();
      case "expires_at":
      case "updated_after":
      case "updated_before":
        return random.pick(TIMES);
      case "content_type":
      case "mime_type":
        return random.pick(["text/plain", "image/png", "application/json; charset=utf-8"]);
      case "url":
        return "https://hook.invalid/";
      case "events":
        return [random.pick(["*", "file.*", "link.created"])];
      case "password":
      case "current":
        return `${this.#known.latest("username")}'s password`;
      case "token":
        return this.#known.pick("claim", random) ?? "";
      case "name":
      case "filename":
        return random.chance(0.9) ? random.pick(["a.txt", "ä.md", "b.json", "x.png"]) : hostileText(random);
      case "metadata":
        return schema["type"] === "string" ? '{"a":1}' : { a: hostileText(random).toWellFormed() };
      default:
        return this.#made(schema);
    }
  }

  /** What kinds of things a parameter or field names. */
  #kindsOf(name: string): readonly Kind[] | undefined {
    const isOfFolder = this.#operation.path.startsWith("/v0/folders");
    return isOfFolder && (name === "path" || name === "destination_path") ? ["folder"] : KIND_OF[name];
  }

  /** A value that only the schema knows. */
  #made(schema: JsonObject): Json {
    const refResolver = (reference: string) => this.#description.resolve({ $ref: reference });
    const seed = this.#random.below(2 ** 31);
    const made: unknown = generateSync(schema, { seed, optionalsProbability: 0.3, refResolver });
    return JSON.parse(JSON.stringify(made));
  }

  #form(fields: Record<string, Json>): Buffer<ArrayBuffer> {
    const random = this.#random;
    const boundary = random.pick(["x", "----WebKitFormBoundary7MA4YWxk", "a b", "'()+_,-./:=?"]);
    this.#headers["content-type"] = `multipart/form-data; boundary="${boundary}"`;
    const names = Object.keys(fields);
    if (random.chance(0.05)) names.push(random.pick([...names, hostileHeader(random)]));
    const parts = names.flatMap((name) => {
      const isFile = name === "file";
      const value = fields[name];
      const text = random.chance(FITTING) && typeof value === "string" ? value : hostileText(random);
      const filename = isFile ? `; filename="${random.chance(0.9) ? "a.txt" : hostileHeader(random)}"` : "";
      return [
        Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename}\r\n\r\n`),
        isFile ? random.bytes(random.pick([0, 5, 500])) : Buffer.from(text),
        Buffer.from("\r\n"),
      ];
    });
    const whole = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
    return random.chance(0.05) ? whole.subarray(0, random.below(whole.length)) : whole;
  }
}

/** Fields as a form's, as those of an address. */
function urlForm(fields: Record<string, Json>): string {
  const texts = Object.entries(fields).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${name}=${encoded(text)}`;
  });
  return texts.join("&");
}

/** Cut, since the runtime answers an address of 16 KiB itself. */
function encoded(text: string): string {
  return encodeURIComponent(text.slice(0, LONGEST).toWellFormed());
}

/** A segment of a path; never one that would lead to another route. */
function encodedSegment(text: string, random: Random): string {
  if (random.chance(0.02)) return `a${random.pick(ODD_ENCODINGS)}`;
  return ["", ".", ".."].includes(text) ? "x" : encoded(text);
}
