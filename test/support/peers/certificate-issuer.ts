import { randomBytes, sign } from "node:crypto";
import {
  bits,
  contextTag,
  der,
  type DerValue,
  integer,
  oid,
  readDer,
  sequence,
  TAG,
  time,
} from "../../../src/acme/der.ts";
import { newKey } from "../../../src/acme/own-keys.ts";

const ECDSA_WITH_SHA256 = sequence(oid("2a8648ce3d040302"));
const COMMON_NAME = oid("550403");
const EMPTY = Buffer.alloc(0);
const AUTHORITY_KEY_IDENTIFIER = oid("551d23");

/** Issues certificates for requests, as an authority does. Nothing vouches for it. */
export class CertificateIssuer {
  /** How it names its key in certificates. */
  readonly keyId = randomBytes(20);
  readonly #key = newKey();

  /**
   * A certificate for the key and the names of a request (RFC 2986, in DER); in PEM.
   *
   * @param validity milliseconds since the epoch
   */
  issue(
    request: Buffer,
    { beginsAt, endsAt }: { readonly beginsAt: number; readonly endsAt: number },
  ): string {
    const [info] = inside(only(request));
    const [, subject, publicKey, wanted] = inside(info);
    // The names are the only extension of the only attribute.
    const [, values] = inside(only(wanted?.content));
    const names = only(only(values?.content).content);
    const signer = sequence(
      AUTHORITY_KEY_IDENTIFIER,
      der(TAG.octets, sequence(der(contextTag(0, false), this.keyId))),
    );
    const content = sequence(
      der(contextTag(0), integer(Buffer.from([2]))),
      integer(randomBytes(16)),
      ECDSA_WITH_SHA256,
      sequence(der(TAG.set, sequence(COMMON_NAME, der(TAG.utf8, Buffer.from("Test authority"))))),
      sequence(time(beginsAt), time(endsAt)),
      der(TAG.sequence, subject?.content ?? EMPTY),
      der(TAG.sequence, publicKey?.content ?? EMPTY),
      der(contextTag(3), sequence(signer, der(TAG.sequence, names.content))),
    );
    const whole = sequence(content, ECDSA_WITH_SHA256, bits(sign("sha256", content, this.#key)));
    return `-----BEGIN CERTIFICATE-----\n${whole.toString("base64").replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
  }
}

function inside(value: DerValue | undefined): DerValue[] {
  return readDer(value?.content ?? EMPTY);
}

function only(bytes: Buffer | undefined): DerValue {
  const [value, ...others] = readDer(bytes ?? EMPTY);
  if (value === undefined || others.length > 0) throw new Error("the request is not as expected");
  return value;
}
