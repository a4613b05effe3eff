import { S3Refused } from "./errors.ts";

/** Where a bucket is. */
export interface BucketPlace {
  /** The address of the server, with `http:` or `https:`; null for AWS. */
  readonly endpoint: string | null;
  readonly region: string;
  /** Whether the bucket is the beginning of the path, and not of the server's name. */
  readonly isPathStyle: boolean;
  readonly bucket: string;
}

export type Query = Readonly<Record<string, string>>;

/** Makes the addresses of the objects in a bucket. */
export class BucketAddress {
  readonly #base: string;

  /** Throws S3Refused if the endpoint is no address. */
  constructor({ endpoint, region, isPathStyle, bucket }: BucketPlace) {
    const text = endpoint ?? `https://s3.${region}.amazonaws.com`;
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol)) {
      throw new S3Refused("S3_ENDPOINT must be an address that begins with https:// or http://.");
    }
    const path = url.pathname.replace(/\/+$/, "");
    // A certificate for all buckets holds for names without a dot.
    this.#base =
      isPathStyle || bucket.includes(".")
        ? `${url.protocol}//${url.host}${path}/${bucket}`
        : `${url.protocol}//${bucket}.${url.host}${path}`;
  }

  /** Of an object, or of the bucket if the name is empty. Throws S3Refused for a name that no URL can have. */
  urlOf(name: string, query: Query = {}): string {
    // A URL leaves these out, also if they are encoded: it would name something else.
    if (name.split("/").some((part) => part === "." || part === "..")) {
      throw new S3Refused(
        `The name ${JSON.stringify(name)} has "." or ".." between slashes. Choose another prefix.`,
      );
    }
    const pairs = Object.entries(query).map(([key, value]) => `${encoded(key)}=${encoded(value)}`);
    const path = name === "" ? "" : `/${name.split("/").map(encoded).join("/")}`;
    return `${this.#base}${path}${pairs.length > 0 ? `?${pairs.join("&")}` : ""}`;
  }
}

/** As the signature has it: all but letters, digits and `-._~` (RFC 3986). */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
