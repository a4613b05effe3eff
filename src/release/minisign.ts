import { createHash, createPrivateKey, sign } from "node:crypto";

/** A secret key of minisign that no password protects. */
export interface SecretKey {
  /** 8 bytes, as they stand in the key and in its signatures. */
  readonly id: Uint8Array;
  /** 32 bytes, from which the rest of an Ed25519 key is made. */
  readonly seed: Uint8Array;
  /** The 32 bytes of the public key. */
  readonly point: Uint8Array;
}

/** Bytes of what comes before the seed: three names of algorithms, salt, two limits, the id. */
const ID_AT = 2 + 2 + 2 + 32 + 8 + 8;
const SEED_AT = ID_AT + 8;
const POINT_AT = SEED_AT + 32;
/** The seed, the public key and a checksum follow. */
const KEY_BYTES = POINT_AT + 32 + 32;

/** What an Ed25519 seed has before it in PKCS #8. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

/** Reads the file of a secret key that `minisign -G -W` has made. Throws Error, without the key, if it is none. */
export function readSecretKey(text: string): SecretKey {
  const bytes = Buffer.from(text.trim().split("\n")[1] ?? "", "base64");
  if (bytes.length !== KEY_BYTES || bytes.toString("latin1", 0, 2) !== "Ed")
    throw new Error("This is no secret key of minisign.");
  // Which function a password goes through; none has zeros.
  if (bytes[2] !== 0 || bytes[3] !== 0) throw new Error("The secret key has a password: make one with -W.");
  return {
    id: bytes.subarray(ID_AT, SEED_AT),
    seed: bytes.subarray(SEED_AT, POINT_AT),
    point: bytes.subarray(POINT_AT, POINT_AT + 32),
  };
}

/** The public key, as `minisign -P` and `COFFER_UPGRADE_KEY` take it. */
export function publicKeyOf({ id, point }: Pick<SecretKey, "id" | "point">): string {
  return Buffer.concat([Buffer.from("Ed"), id, point]).toString("base64");
}

/** The signature file of some bytes. @param trusted a comment of one line, which is signed as well */
export function signatureOf(
  content: Uint8Array,
  { id, seed }: Pick<SecretKey, "id" | "seed">,
  trusted: string,
): string {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" });
  // "ED" says that the BLAKE2b hash of the content is signed.
  const signature = sign(null, createHash("blake2b512").update(content).digest(), key);
  const whole = sign(null, Buffer.concat([signature, Buffer.from(trusted)]), key);
  return [
    "untrusted comment: signature of Coffer",
    Buffer.concat([Buffer.from("ED"), id, signature]).toString("base64"),
    `trusted comment: ${trusted}`,
    `${whole.toString("base64")}\n`,
  ].join("\n");
}
