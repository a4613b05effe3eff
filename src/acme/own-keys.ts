import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type { TlsPair } from "../domain/network/tls-pair.ts";
import { bits, contextTag, der, integer, oid, sequence, TAG, time } from "./der.ts";

const ECDSA_WITH_SHA256 = "2a8648ce3d040302";
const EXTENSION_REQUEST = "2a864886f70d01090e";
const SUBJECT_ALT_NAME = "551d11";
const COMMON_NAME = "550403";
/** Without its highest bit it is positive, and no two are alike. */
const SERIAL_BYTES = 16;

/** A new private key on the curve P-256, which every client and authority knows. */
export function newKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
}

/** A private key in PEM (PKCS #8). Secret. */
export function pemOf(key: KeyObject): string {
  return key.export({ format: "pem", type: "pkcs8" });
}

/** A request for a certificate of a key for host names (PKCS #10, RFC 2986), in DER. */
export function certificateRequest(names: readonly string[], key: KeyObject): Buffer {
  const wanted = der(contextTag(0), sequence(oid(EXTENSION_REQUEST), der(TAG.set, extensions(names))));
  // No subject: the names are what counts.
  const info = sequence(integer(Buffer.from([0])), sequence(), publicKeyOf(key), wanted);
  return signed(info, key);
}

/**
 * A certificate for host names that a new key has signed itself: no client trusts it.
 *
 * @param validity milliseconds since the epoch
 */
export function selfSigned(
  names: readonly string[],
  { beginsAt, endsAt }: { readonly beginsAt: number; readonly endsAt: number },
): TlsPair {
  const key = newKey();
  const serial = randomBytes(SERIAL_BYTES);
  serial.writeUInt8((serial.readUInt8(0) & 0x3f) | 0x40, 0);
  const name = sequence(
    der(TAG.set, sequence(oid(COMMON_NAME), der(TAG.utf8, Buffer.from("Coffer (not trusted)")))),
  );
  const content = sequence(
    der(contextTag(0), integer(Buffer.from([2]))),
    integer(serial),
    sequence(oid(ECDSA_WITH_SHA256)),
    name,
    sequence(time(beginsAt), time(endsAt)),
    name,
    publicKeyOf(key),
    der(contextTag(3), extensions(names)),
  );
  return { cert: pem("CERTIFICATE", signed(content, key)), key: pemOf(key) };
}

/** The host names, as an extension of a certificate (RFC 5280, 4.2.1.6). */
function extensions(names: readonly string[]): Buffer {
  const listed = names.map((name) => der(contextTag(2, false), Buffer.from(name)));
  return sequence(sequence(oid(SUBJECT_ALT_NAME), der(TAG.octets, sequence(...listed))));
}

function publicKeyOf(key: KeyObject): Buffer {
  return createPublicKey(key).export({ format: "der", type: "spki" });
}

function signed(content: Buffer, key: KeyObject): Buffer {
  return sequence(content, sequence(oid(ECDSA_WITH_SHA256)), bits(sign("sha256", content, key)));
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
