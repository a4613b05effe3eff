import { createHash, createHmac } from "node:crypto";

/** Who may use a store. */
export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

interface Signed {
  readonly method: string;
  /** With the query, as it was sent. */
  readonly url: URL;
  readonly headers: Headers;
  readonly region: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Why a request is refused: an error code, and the status that goes with it. */
export type Refusal = readonly [status: number, code: string, more?: string];

const MOST_SKEW_MS = 15 * 60_000;

/** Checks the signature of a request (AWS Signature Version 4), computed anew. Null if it is right. */
export function refusalOfSignature(signed: Signed, keys: S3Keys): Refusal | null {
  const { url, headers, region, now } = signed;
  const isPresigned = url.searchParams.has("X-Amz-Signature");
  const said = isPresigned ? inQuery(url.searchParams) : inHeader(headers);
  if (said === null) return [403, "AccessDenied"];
  const [accessKeyId, day = "", saidRegion = ""] = said.credential.split("/");
  if (accessKeyId !== keys.accessKeyId) return [403, "InvalidAccessKeyId"];
  if (saidRegion !== region) return [400, "AuthorizationHeaderMalformed", `<Region>${region}</Region>`];
  const time = timeOf(said.date);
  if (isPresigned && now > time + said.seconds * 1000) return [403, "AccessDenied"];
  if (!isPresigned && Math.abs(now - time) > MOST_SKEW_MS) return [403, "RequestTimeTooSkewed"];
  // Otherwise a header could be added to what somebody has signed.
  const own = [...headers.keys()].filter((name) => name.startsWith("x-amz-"));
  if (!own.every((name) => said.signedHeaders.includes(name))) return [403, "AccessDenied"];
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", said.date, scope, sha256(canonicalOf(signed, said))].join("\n");
  const key = [day, region, "s3", "aws4_request"].reduce<string | Buffer>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${keys.secretAccessKey}`,
  );
  const signature = createHmac("sha256", key).update(text).digest("hex");
  return signature === said.signature ? null : [403, "SignatureDoesNotMatch"];
}

interface Said {
  readonly credential: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  readonly date: string;
  readonly digest: string;
  readonly seconds: number;
}

function inHeader(headers: Headers): Said | null {
  const [, credential, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.get("authorization") ?? "",
    ) ?? [];
  const digest = headers.get("x-amz-content-sha256");
  if (credential === undefined || names === undefined || signature === undefined || digest === null)
    return null;
  const date = headers.get("x-amz-date") ?? "";
  return { credential, signedHeaders: names.split(";"), signature, date, digest, seconds: 0 };
}

function inQuery(query: URLSearchParams): Said {
  const valueOf = (name: string) => query.get(`X-Amz-${name}`) ?? "";
  return {
    credential: valueOf("Credential"),
    signedHeaders: valueOf("SignedHeaders").split(";"),
    signature: valueOf("Signature"),
    date: valueOf("Date"),
    digest: "UNSIGNED-PAYLOAD",
    seconds: Number(valueOf("Expires")),
  };
}

function canonicalOf({ method, url, headers }: Signed, { signedHeaders, digest }: Said): string {
  const pairs = [...url.searchParams].filter(([name]) => name !== "X-Amz-Signature");
  return [
    method,
    url.pathname
      .split("/")
      .map((part) => encoded(decodeURIComponent(part)))
      .join("/"),
    pairs
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .toSorted()
      .join("&"),
    ...signedHeaders.map((name) => `${name}:${headers.get(name) ?? ""}`),
    "",
    signedHeaders.join(";"),
    digest,
  ].join("\n");
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Of `20300101T000000Z`. */
function timeOf(date: string): number {
  return Date.parse(date.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, "$1-$2-$3:$4:$5"));
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
