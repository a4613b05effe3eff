import { expect, test } from "bun:test";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { join } from "node:path";
import { readDer } from "../../src/acme/der.ts";
import { certificateRequest, newKey, selfSigned } from "../../src/acme/own-keys.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";

test.each([1, 2, 8, 100])("openssl reads a request for %d names, and finds it signed", async (count) => {
  const names = Array.from({ length: count }, (_, at) => `drive-${at}.example.com`);
  await using place = await temporaryDirectory();
  const path = join(place.path, "request.der");
  await Bun.write(path, certificateRequest(names, newKey()));
  const command = ["openssl", "req", "-inform", "DER", "-in", path, "-verify", "-noout", "-text"];
  const read = Bun.spawnSync(command);
  expect(read.stderr.toString()).toContain("verify OK");
  expect(read.stdout.toString()).toContain("ASN1 OID: prime256v1");
  const found = Array.from(read.stdout.toString().matchAll(/DNS:([\w.-]+)/g), ([, name]) => name);
  expect(found).toEqual(names);
});

test.each(["2030-01-31T12:00:00.000Z", "2049-12-31T00:00:00.000Z", "2051-06-01T00:00:00.000Z"])(
  "a certificate of one's own is valid from the day before %s, for a year",
  (time) => {
    const beginsAt = Date.parse(time);
    const endsAt = beginsAt + 365 * 86_400_000;
    const { cert, key } = selfSigned(["drive.example.com"], { beginsAt, endsAt });
    const certificate = new X509Certificate(cert);
    expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect([certificate.validFromDate.getTime(), certificate.validToDate.getTime()]).toEqual([
      beginsAt,
      endsAt,
    ]);
    expect(certificate.checkHost("drive.example.com")).toBe("drive.example.com");
    expect(certificate.checkHost("other.example.com")).toBeUndefined();
  },
);

test.each(["30", "3005", "30820100", "3084ffffffff00"])(
  "bytes that end amid a value are refused: %s",
  (hex) => {
    expect(() => readDer(Buffer.from(hex, "hex"))).toThrow(RangeError);
  },
);
