import { describe, expect, test } from "bun:test";
import { S3Refused, S3Unavailable } from "../../src/s3/errors.ts";
import type { S3Options } from "../../src/s3/requests.ts";
import { S3Bucket } from "../../src/s3/s3-bucket.ts";
import { optionsFor } from "../support/peers/s3-options.ts";
import { always, type S3Fault, S3Server } from "../support/peers/s3-server.ts";
import { startTlsServer } from "../support/peers/tls-server.ts";
import { digestOf, sampleBytes } from "../support/samples/blob-store-contract.ts";
import { failureOf } from "../support/samples/failure.ts";
import { FakeClock } from "../support/server/fake-clock.ts";

const SECRET = "a-secret-of-the-operator";
const BYTES = sampleBytes(100);

/** What each of the requests to a bucket is refused with: it must be the same. */
async function refusalsOf(bucket: S3Bucket): Promise<string[]> {
  const refusals = [];
  for (const action of [
    () => bucket.get("a"),
    () => bucket.head("a"),
    () => bucket.put("a", new Blob([BYTES]), { sha256: digestOf(BYTES) }),
    () => bucket.list("").next(),
    () => bucket.remove(["a"]),
    () => bucket.abortUploads(0),
  ]) {
    const failure = await failureOf(action);
    expect(failure).toBeInstanceOf(S3Refused);
    expect(String(failure)).not.toContain(SECRET);
    refusals.push(String(failure));
  }
  return refusals;
}

function keys(accessKeyId: string, secret: string): S3Options["credentials"] {
  return { kind: "keys", accessKeyId, secretAccessKey: { reveal: () => secret }, sessionToken: null };
}

describe("what stays the same is refused, with what to do", () => {
  const clock = new FakeClock();
  const cases: [name: string, options: Partial<S3Options>, says: string][] = [
    ["no credentials", { credentials: null }, "Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY"],
    ["a wrong key", { credentials: keys("other", SECRET) }, "Check S3_ACCESS_KEY_ID"],
    ["a wrong secret", { credentials: keys("key", SECRET) }, "Check S3_ACCESS_KEY_ID"],
    ["no such bucket", { bucket: "other" }, "Make the bucket"],
    ["a clock that is wrong", { clock }, "The clock of this machine says Tue, 01 Jan 2030"],
  ];
  test.each(cases)("%s", async (_, options, says) => {
    await using server = await S3Server.start("a-bucket");
    const refusals = await refusalsOf(new S3Bucket(optionsFor(server, options)));
    // An answer to HEAD has no body that could say more than its status.
    const [whole, head, ...others] = refusals;
    for (const refusal of [whole, ...others]) expect(refusal).toContain(says);
    expect(head).toContain(says.startsWith("The clock") ? "Check" : says);
  });

  test("another region, which is named", async () => {
    await using server = await S3Server.start("a-bucket", { region: "eu-north-1" });
    const bucket = new S3Bucket(optionsFor(server, { region: "us-east-1" }));
    expect(String(await failureOf(() => bucket.get("a")))).toContain(
      "It is in the region eu-north-1: set S3_REGION",
    );
  });

  test("a redirect, which is not followed", async () => {
    await using server = await S3Server.start("a-bucket");
    await using other = await S3Server.start("a-bucket");
    const headers = { location: `${other.url}/a-bucket/a`, "x-amz-bucket-region": "eu-north-1" };
    const bucket = new S3Bucket(optionsFor(server));
    for (const [more, says] of [
      [headers, "eu-north-1"],
      [{ location: headers.location }, "redirects are not followed"],
    ] as const) {
      server.fault = always({ kind: "answer", status: 307, code: "TemporaryRedirect", headers: more });
      for (const refusal of await refusalsOf(bucket)) expect(refusal).toContain(says);
    }
    expect(other.asked).toEqual([]);
  });

  test("a certificate that nobody has signed", async () => {
    await using server = await S3Server.start("a-bucket");
    await using other = await startTlsServer(() => new Response());
    const endpoint = other.url("/").origin;
    for (const refusal of await refusalsOf(new S3Bucket(optionsFor(server, { endpoint })))) {
      expect(refusal).toContain("The certificate of the S3 server is not trusted");
    }
    expect(other.asked).toEqual([]);
  });

  test("a page of another server, which never means that an object is not there", async () => {
    await using server = await S3Server.start("a-bucket");
    const bucket = new S3Bucket(optionsFor(server));
    server.fault = always({ kind: "answer", status: 404, code: "", body: "<html><h1>Not found</h1></html>" });
    for (const refusal of await refusalsOf(bucket)) expect(refusal).not.toContain("Make the bucket");
  });
});

/** A page of a list. */
function list(...inner: string[]): string {
  return `<ListBucketResult>${inner.join("")}</ListBucketResult>`;
}

/** An entry of it. */
function entry(key: string): string {
  const facts = "<Size>1</Size><ETag>e</ETag><LastModified>2030-01-01T00:00:00Z</LastModified>";
  return `<Contents><Key>${key}</Key>${facts}</Contents>`;
}

/** Says that there is another page. */
const MORE = "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>";

describe("an answer that no store gives ends with an error, and takes no memory or time", () => {
  const cases: [name: string, body: string, kind: typeof S3Refused | typeof S3Unavailable][] = [
    ["the same page again", list(MORE), S3Refused],
    ["the same name again", list(entry("p/a"), entry("p/a")), S3Refused],
    ["names out of order", list(entry("p/b"), entry("p/a")), S3Refused],
    ["a name that was not asked for", list(entry("q/a")), S3Refused],
    ["more to come, but not from where", list("<IsTruncated>true</IsTruncated>"), S3Refused],
    ["neither an end nor more", list(MORE.replace("true", "trud")), S3Refused],
    ["where more is, but not that there is more", list(MORE.replaceAll("IsTruncated", "X")), S3Refused],
    ["an entry without a size", list("<Contents><Key>p/a</Key></Contents>"), S3Refused],
    ["a name that cannot be decoded", list("<EncodingType>url</EncodingType>", entry("p/%zz")), S3Refused],
    ["no XML", "not found", S3Unavailable],
    ["nothing", "", S3Unavailable],
    ["what is cut off", list().slice(0, -5), S3Unavailable],
    ["depth", "<a>".repeat(100_000) + "</a>".repeat(100_000), S3Unavailable],
    ["length", list(" ".repeat(9 * 1024 * 1024)), S3Unavailable],
    [
      "entities that grow",
      `<!DOCTYPE x [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]>${list(entry("p/&b;"))}`,
      S3Unavailable,
    ],
  ];
  test.each(cases)("%s", async (_, body, kind) => {
    await using server = await S3Server.start("a-bucket");
    const bucket = new S3Bucket(optionsFor(server, { patience: { attempts: 2 } }));
    const fault: S3Fault = { kind: "answer", status: 200, code: "", body };
    server.fault = always(fault);
    const names = async () => Array.fromAsync(bucket.list("p/"), ({ name }) => name);
    expect(await failureOf(names)).toBeInstanceOf(kind);
    expect(server.asked.length).toBeLessThanOrEqual(2);
  });

  test("an error of any length is shortened, and has nothing of the request's secrets", async () => {
    await using server = await S3Server.start("a-bucket");
    const bucket = new S3Bucket(optionsFor(server));
    const said = `<Error><Code>Odd</Code><Message>${"long ".repeat(100_000)}</Message><StringToSign>${SECRET}</StringToSign></Error>`;
    server.fault = always({ kind: "answer", status: 400, code: "", body: said });
    const failure = String(await failureOf(() => bucket.get("a")));
    expect(failure.length).toBeLessThan(600);
    expect(failure).not.toContain(SECRET);
  });
});
