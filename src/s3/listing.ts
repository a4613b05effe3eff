import type { Query } from "./address.ts";
import { S3Refused } from "./errors.ts";
import { type S3Requests, takeXml } from "./requests.ts";
import { childrenOf, textOf, type XmlElement } from "./xml.ts";

/** An object of a list. */
interface ListedObject {
  /** Its name in the bucket. */
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly etag: string;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
}

/** An upload in parts that has not ended. */
interface ListedUpload {
  /** The name in the bucket that the object will have. */
  readonly key: string;
  readonly uploadId: string;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly startedAt: number;
}

/**
 * The objects whose names begin with `prefix` and come after `startAfter`, in the order of the names' bytes. Throws
 * S3Refused for a list without an end.
 */
export async function* listObjects(
  requests: S3Requests,
  prefix: string,
  startAfter: string,
): AsyncGenerator<ListedObject> {
  const query: Query = {
    "list-type": "2",
    prefix,
    // XML cannot hold every name.
    "encoding-type": "url",
    ...(startAfter === "" ? {} : { "start-after": startAfter }),
  };
  let last = startAfter;
  for await (const page of pagesOf(requests, query, { "continuation-token": "NextContinuationToken" })) {
    const isEncoded = textOf(page, "EncodingType") === "url";
    for (const listed of childrenOf(page, "Contents")) {
      const text = required(listed, "Key");
      const key = isEncoded ? decoded(text) : text;
      if (!key.startsWith(prefix) || !isAfter(key, last))
        throw badList(`${key} comes again, or where it should not`);
      last = key;
      yield {
        key,
        size: Number(required(listed, "Size")),
        etag: required(listed, "ETag"),
        modifiedAt: Date.parse(required(listed, "LastModified")),
      };
    }
  }
}

/** The uploads in parts to names that begin with `prefix`. Throws as `listObjects`. */
export async function* listUploads(requests: S3Requests, prefix: string): AsyncGenerator<ListedUpload> {
  const marks = { "key-marker": "NextKeyMarker", "upload-id-marker": "NextUploadIdMarker" };
  for await (const page of pagesOf(requests, { uploads: "", prefix }, marks)) {
    for (const listed of childrenOf(page, "Upload")) {
      yield {
        key: required(listed, "Key"),
        uploadId: required(listed, "UploadId"),
        startedAt: Date.parse(required(listed, "Initiated")),
      };
    }
  }
}

/** @param marks what says where the next page begins: parameters, and the elements that they are taken from */
async function* pagesOf(
  requests: S3Requests,
  query: Query,
  marks: Readonly<Record<string, string>>,
): AsyncGenerator<XmlElement> {
  for (let from: Query = {}; ;) {
    const page = await requests.ask({ method: "GET", name: "", query: { ...query, ...from } }, takeXml);
    yield page;
    const isTruncated = textOf(page, "IsTruncated");
    const next = Object.entries(marks).map(([name, element]) => [name, textOf(page, element) ?? ""] as const);
    if (isTruncated === "false" || (isTruncated === null && next.every(([, value]) => value === ""))) return;
    // A list must not come short.
    if (isTruncated !== "true") throw badList("it does not say whether it ends");
    // Otherwise it would be asked for the same page for ever.
    if (next.every(([name, value]) => value === (from[name] ?? "")))
      throw badList("it answers the same page again");
    from = Object.fromEntries(next);
  }
}

/** Names are ordered by their bytes in UTF-8. */
function isAfter(key: string, other: string): boolean {
  return Buffer.compare(Buffer.from(key), Buffer.from(other)) > 0;
}

function required(element: XmlElement, name: string): string {
  const text = textOf(element, name);
  if (text === null) throw badList(`something in it has no ${name}`);
  return text;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw badList(`${text} is no name`);
  }
}

function badList(problem: string): S3Refused {
  return new S3Refused(`The list of the objects in the bucket cannot be used: ${problem}.`);
}
