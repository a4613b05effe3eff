import { expect, test } from "bun:test";
import { join } from "node:path";
import { utimes, writeFile } from "node:fs/promises";
import { BucketAddress } from "../../src/s3/address.ts";
import { credentialsIn, CredentialsReader } from "../../src/s3/credentials.ts";
import { S3Refused } from "../../src/s3/errors.ts";
import { EMPTY_SHA256, Signer } from "../../src/s3/signer.ts";
import { S3Bucket } from "../../src/s3/s3-bucket.ts";
import { optionsFor } from "../support/peers/s3-options.ts";
import { S3Server } from "../support/peers/s3-server.ts";
import { failureOf } from "../support/samples/failure.ts";
import { FakeClock } from "../support/server/fake-clock.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";

/** Those of the examples in Amazon's documentation of Signature Version 4. */
const EXAMPLE = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: { reveal: () => "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" },
  sessionToken: null,
};

test("requests are signed as the examples of Amazon are", async () => {
  const credentials = new CredentialsReader({ kind: "keys", ...EXAMPLE });
  const clock = new FakeClock(Date.parse("2013-05-24T00:00:00Z"));
  const signer = new Signer({ clock, region: "us-east-1", credentials });
  const host = "https://examplebucket.s3.amazonaws.com";
  const digest = { "x-amz-content-sha256": EMPTY_SHA256 };
  for (const [query, signature] of [
    ["?lifecycle=", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"],
    ["?max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"],
  ]) {
    const headers = await signer.headersOf("GET", `${host}/${query}`, digest);
    expect(headers.get("authorization")).toEndWith(
      `SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}`,
    );
  }
  const address = await signer.addressOf("GET", `${host}/test.txt`, 86_400);
  expect(new URL(address).searchParams.get("X-Amz-Signature")).toBe(
    "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  );
});

test("a session token is sent, and signed", async () => {
  const sessionToken = { reveal: () => "a-token" };
  const credentials = new CredentialsReader({ kind: "keys", ...EXAMPLE, sessionToken });
  const signer = new Signer({ clock: new FakeClock(), region: "r", credentials });
  const headers = await signer.headersOf("PUT", "https://h.example/b/o", {
    "x-amz-content-sha256": EMPTY_SHA256,
  });
  expect(headers.get("x-amz-security-token")).toBe("a-token");
  expect(headers.get("authorization")).toContain(";x-amz-security-token,");
  const address = await signer.addressOf("GET", "https://h.example/b/o", 60);
  expect(new URL(address).searchParams.get("X-Amz-Security-Token")).toBe("a-token");
});

test("an address has no sign that means a space to some, and itself to others", async () => {
  const signer = new Signer({
    clock: new FakeClock(),
    region: "r",
    credentials: new CredentialsReader({ kind: "keys", ...EXAMPLE }),
  });
  const address = await signer.addressOf("GET", "https://h.example/b/o?response-content-type=a%20b%2Bc", 60);
  expect(address).toContain("?response-content-type=a%20b%2Bc&");
});

test("a bucket stands in the name of AWS's server, or in the path of any other", () => {
  const bucket = "my-bucket";
  for (const [endpoint, isPathStyle, expected] of [
    [null, false, "https://my-bucket.s3.eu-west-1.amazonaws.com/a%20b/c"],
    [null, true, "https://s3.eu-west-1.amazonaws.com/my-bucket/a%20b/c"],
    ["http://store:9000/", true, "http://store:9000/my-bucket/a%20b/c"],
    ["https://store.example/under/", true, "https://store.example/under/my-bucket/a%20b/c"],
    ["https://store.example", false, "https://my-bucket.store.example/a%20b/c"],
  ] as const) {
    const address = new BucketAddress({ endpoint, isPathStyle, region: "eu-west-1", bucket });
    expect(address.urlOf("a b/c")).toBe(expected);
  }
  const dotted = { endpoint: null, isPathStyle: false, region: "eu-west-1", bucket: "a.b" };
  expect(new BucketAddress(dotted).urlOf("c")).toBe("https://s3.eu-west-1.amazonaws.com/a.b/c");
});

test("an endpoint that is no address, and a name that no address can have, are refused", () => {
  const place = { endpoint: "http://store:9000", isPathStyle: true, region: "r", bucket: "b" };
  for (const endpoint of ["ftp://store", "https://", "no address"]) {
    expect(() => new BucketAddress({ ...place, endpoint })).toThrow(S3Refused);
  }
  // It would be the name of another bucket.
  for (const name of ["../other/x", "a/../../x", "a/./b", ".."]) {
    expect(() => new BucketAddress(place).urlOf(name)).toThrow(S3Refused);
  }
});

test("a file of credentials is read as AWS's tools read it", () => {
  const file = [
    "# a comment",
    "[other]",
    "aws_access_key_id = wrong",
    "aws_secret_access_key = wrong",
    "[ default ]\r",
    "aws_access_key_id=AK",
    "AWS_SECRET_ACCESS_KEY =  a/b+c= ",
    "; aws_session_token = no",
    "[profile third]",
    "aws_access_key_id = AK3",
    "aws_secret_access_key = SK3",
    "aws_session_token = T3",
  ].join("\n");
  expect(credentialsIn(file, "default")).toEqual({
    accessKeyId: "AK",
    secretAccessKey: "a/b+c=",
    sessionToken: null,
  });
  expect(credentialsIn(file, "third")).toEqual({
    accessKeyId: "AK3",
    secretAccessKey: "SK3",
    sessionToken: "T3",
  });
  expect(() => credentialsIn(file, "none")).toThrow("the profile none has no aws_access_key_id");
  expect(() => credentialsIn("[default]\naws_access_key_id = x", "default")).toThrow(
    "has no aws_secret_access_key",
  );
});

test("a file of credentials is read again when it has changed", async () => {
  await using place = await temporaryDirectory();
  await using server = await S3Server.start("a-bucket");
  const path = join(place.path, "credentials");
  const write = (secret: string) =>
    writeFile(path, `[default]\naws_access_key_id = key\naws_secret_access_key = ${secret}\n`);
  const bucket = new S3Bucket(
    optionsFor(server, { credentials: { kind: "file", path, profile: "default" } }),
  );
  expect(String(await failureOf(() => bucket.head("a")))).toContain(path);
  await write("wrong!");
  await utimes(path, 1, 1);
  const refused = String(await failureOf(() => bucket.get("a")));
  expect(refused).toContain("SignatureDoesNotMatch");
  expect(refused).not.toContain("wrong!");
  // As long as before, and as old: only the time of the change tells.
  await write("secret");
  await utimes(path, 1, 1);
  expect(await bucket.get("a")).toBeNull();
});
