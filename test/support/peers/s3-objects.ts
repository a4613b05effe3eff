import { createHash } from "node:crypto";

/** What a store does that another does otherwise. */
export interface S3Traits {
  /** What becomes of `If-None-Match` in a PUT. */
  readonly conditions: "kept" | "ignored" | "refused";
  /** What becomes of `x-amz-checksum-sha256`; or of parts, while a list of these must not have it. */
  readonly checksums: "taken" | "refused" | "unlisted";
  /** Whether each page of a list names itself as the next one. */
  isStuck: boolean;
}

/** A request whose signature was checked. */
export interface S3Asked {
  readonly method: string;
  /** Empty for the bucket. */
  readonly name: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

export interface S3Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

interface Upload {
  readonly name: string;
  readonly startedAt: number;
  readonly hasChecksums: boolean;
  readonly parts: Map<number, Uint8Array>;
}

/** How many are on a page of a list. */
const PAGE = 3;

/** The objects of a bucket, in memory, and the uploads in parts. */
export class S3Objects {
  readonly objects = new Map<string, Uint8Array>();
  readonly uploads = new Map<string, Upload>();
  /** When objects were written, if not now; milliseconds since the epoch. */
  readonly writtenAt = new Map<string, number>();
  readonly #traits: S3Traits;
  readonly #etags = new WeakMap<Uint8Array, string>();
  readonly #now: () => number;

  constructor(traits: S3Traits, now: () => number) {
    this.#traits = traits;
    this.#now = now;
  }

  answer(asked: S3Asked): S3Answer {
    const { method, name, query } = asked;
    const wrong = this.#wrongBody(asked);
    if (wrong !== null) return wrong;
    const upload = query.get("uploadId");
    if (name === "") return query.has("uploads") ? this.#listUploads(query) : this.#list(query);
    if (query.has("uploads")) return this.#begin(asked);
    if (upload !== null) return this.#change(upload, asked);
    switch (method) {
      case "PUT":
        return this.#put(asked);
      case "GET":
      case "HEAD":
        return this.#get(asked);
      case "DELETE":
        this.objects.delete(name);
        return { status: 204 };
      default:
        return failure(405, "MethodNotAllowed");
    }
  }

  #wrongBody({ headers, body }: S3Asked): S3Answer | null {
    const digest = headers.get("x-amz-content-sha256") ?? "UNSIGNED-PAYLOAD";
    if (digest !== "UNSIGNED-PAYLOAD" && digest !== hashOf("sha256", body).toString("hex")) {
      return failure(400, "XAmzContentSHA256Mismatch");
    }
    const checksum = headers.get("x-amz-checksum-sha256");
    const algorithm = headers.get("x-amz-checksum-algorithm");
    const named = checksum === null ? (algorithm === null ? null : "algorithm") : "sha256";
    if (named !== null && this.#traits.checksums === "refused") {
      return failure(400, "InvalidArgument", `Unsupported header 'x-amz-checksum-${named}' received.`);
    }
    return checksum === null || checksum === hashOf("sha256", body).toString("base64")
      ? null
      : failure(400, "BadDigest", "The checksum did not match.");
  }

  /** Each object is hashed once: tests put others in its place, and change none. */
  #etagOf(bytes: Uint8Array): string {
    const known = this.#etags.get(bytes);
    if (known !== undefined) return known;
    const etag = `"${hashOf("md5", bytes).toString("hex")}"`;
    this.#etags.set(bytes, etag);
    return etag;
  }

  #put({ name, headers, body }: S3Asked): S3Answer {
    const { conditions } = this.#traits;
    if (headers.get("if-none-match") === "*") {
      if (conditions === "refused") return failure(501, "NotImplemented");
      if (conditions === "kept" && this.objects.has(name)) return failure(412, "PreconditionFailed");
    }
    this.objects.set(name, body);
    return { status: 200, headers: { etag: this.#etagOf(body) } };
  }

  #get({ name, query, headers }: S3Asked): S3Answer {
    const bytes = this.objects.get(name);
    if (bytes === undefined) return failure(404, "NoSuchKey");
    const wanted = headers.get("if-match");
    if (wanted !== null && wanted !== this.#etagOf(bytes)) return failure(412, "PreconditionFailed");
    const shown = [...query]
      .filter(([key]) => key.startsWith("response-"))
      .map(([key, value]) => [key.slice(9), value]);
    const facts = {
      etag: this.#etagOf(bytes),
      "last-modified": new Date(this.#now()).toUTCString(),
      ...Object.fromEntries(shown),
    };
    const [, first, last = ""] = /^bytes=(\d+)-(\d*)$/.exec(headers.get("range") ?? "") ?? [];
    if (first === undefined) return { status: 200, headers: facts, body: bytes };
    if (Number(first) >= bytes.length) return failure(416, "InvalidRange");
    const part = bytes.subarray(Number(first), last === "" ? bytes.length : Number(last) + 1);
    const range = `bytes ${first}-${Number(first) + part.length - 1}/${bytes.length}`;
    return { status: 206, headers: { ...facts, "content-range": range }, body: part };
  }

  #list(query: URLSearchParams): S3Answer {
    const prefix = query.get("prefix") ?? "";
    const after = query.get("continuation-token") ?? query.get("start-after") ?? "";
    const names = [...this.objects.keys()].filter(
      (name) => name.startsWith(prefix) && inOrder(after, name) < 0,
    );
    const page = names.toSorted(inOrder).slice(0, Math.min(PAGE, Number(query.get("max-keys") ?? PAGE)));
    const isEncoded = query.get("encoding-type") === "url";
    const shown = page.map((name) => {
      const bytes = this.objects.get(name) ?? new Uint8Array();
      const key = isEncoded ? encodeURIComponent(name).replaceAll("%20", "+") : name;
      return element("Contents", [
        element("Key", escaped(key)),
        element("LastModified", new Date(this.writtenAt.get(name) ?? this.#now()).toISOString()),
        element("ETag", escaped(this.#etagOf(bytes))),
        element("Size", String(bytes.length)),
      ]);
    });
    const isTruncated = names.length > page.length;
    const next = this.#traits.isStuck ? after || "0" : (page.at(-1) ?? "");
    return xml("ListBucketResult", [
      ...(isEncoded ? [element("EncodingType", "url")] : []),
      element("IsTruncated", String(isTruncated)),
      ...shown,
      ...(isTruncated ? [element("NextContinuationToken", escaped(next))] : []),
    ]);
  }

  #begin({ name, headers }: S3Asked): S3Answer {
    const id = crypto.randomUUID();
    const hasChecksums = headers.get("x-amz-checksum-algorithm") === "SHA256";
    this.uploads.set(id, { name, startedAt: this.#now(), hasChecksums, parts: new Map() });
    return xml("InitiateMultipartUploadResult", [element("UploadId", id)]);
  }

  #change(id: string, { method, name, query, body }: S3Asked): S3Answer {
    const upload = this.uploads.get(id);
    if (upload === undefined || upload.name !== name) return failure(404, "NoSuchUpload");
    switch (method) {
      case "PUT":
        upload.parts.set(Number(query.get("partNumber")), body);
        return { status: 200, headers: { etag: this.#etagOf(body) } };
      case "POST":
        return this.#complete(id, upload, new TextDecoder().decode(body));
      default:
        this.uploads.delete(id);
        return { status: 204 };
    }
  }

  #complete(id: string, { name, parts, hasChecksums }: Upload, list: string): S3Answer {
    const isListed = hasChecksums && this.#traits.checksums === "taken";
    if (list.includes("Checksum") && !isListed) return failure(400, "MalformedXML");
    const sent = [...parts].toSorted(([a], [b]) => a - b);
    const expected = sent.map(([number, bytes]) =>
      element("Part", [
        element("PartNumber", String(number)),
        element("ETag", this.#etagOf(bytes)),
        ...(isListed ? [element("ChecksumSHA256", hashOf("sha256", bytes).toString("base64"))] : []),
      ]),
    );
    if (list !== element("CompleteMultipartUpload", expected)) return failure(400, "InvalidPart");
    this.objects.set(name, Buffer.concat(sent.map(([, bytes]) => bytes)));
    this.uploads.delete(id);
    return xml("CompleteMultipartUploadResult", [element("ETag", `&quot;${id}-${sent.length}&quot;`)]);
  }

  #listUploads(query: URLSearchParams): S3Answer {
    const [prefix, after] = [query.get("prefix") ?? "", query.get("upload-id-marker") ?? ""];
    const found = [...this.uploads].filter(([id, { name }]) => name.startsWith(prefix) && id > after);
    const page = found.toSorted(([a], [b]) => (a < b ? -1 : 1)).slice(0, PAGE);
    const isTruncated = found.length > page.length;
    const [lastId, last] = page.at(-1) ?? [];
    return xml("ListMultipartUploadsResult", [
      element("IsTruncated", String(isTruncated)),
      ...page.map(([id, { name, startedAt }]) =>
        element("Upload", [
          element("Key", escaped(name)),
          element("UploadId", id),
          element("Initiated", new Date(startedAt).toISOString()),
        ]),
      ),
      ...(isTruncated
        ? [element("NextKeyMarker", escaped(last?.name ?? "")), element("NextUploadIdMarker", lastId ?? "")]
        : []),
    ]);
  }
}

/** An error as S3 answers it. */
export function failure(status: number, code: string, message = "", more = ""): S3Answer {
  const body = element("Error", [element("Code", code), element("Message", escaped(message)), more]);
  return { status, headers: { "content-type": "application/xml" }, body };
}

function xml(name: string, inner: readonly string[]): S3Answer {
  const body = `<?xml version="1.0" encoding="UTF-8"?>${element(name, inner)}`;
  return { status: 200, headers: { "content-type": "application/xml" }, body };
}

function element(name: string, inner: string | readonly string[]): string {
  return `<${name}>${typeof inner === "string" ? inner : inner.join("")}</${name}>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function hashOf(algorithm: "md5" | "sha256", bytes: Uint8Array): Buffer {
  return createHash(algorithm).update(bytes).digest();
}

function inOrder(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
