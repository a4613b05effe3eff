import { createHash, createPublicKey, verify } from "node:crypto";
import type { ReleaseKey } from "../domain/upkeep/release-key.ts";
import { UpgradeError } from "./upgrade-error.ts";

/** `ED`, the id of the key, the signature. */
const SIGNATURE_BYTES = 2 + 8 + 64;
const TRUSTED = "trusted comment: ";
const UNTRUSTED = "untrusted comment: ";

/**
 * Throws UpgradeError unless `signature`, the text of a file of minisign, is of `content`, by `key`, with this trusted
 * comment. (minisign, "Signature format"; only the form with a hash, which minisign makes since 2021.)
 */
export function requireSignature(
  content: string,
  signature: string,
  { key, comment }: { readonly key: ReleaseKey; readonly comment: string },
): void {
  const [untrusted = "", first = "", trusted = "", second = ""] = signature.split("\n");
  const named = Buffer.from(first, "base64");
  const isForm = untrusted.startsWith(UNTRUSTED) && trusted.startsWith(TRUSTED);
  if (!isForm || named.length !== SIGNATURE_BYTES || named.toString("latin1", 0, 2) !== "ED")
    throw new UpgradeError("SHA256SUMS.minisig is no signature of minisign.");
  const signer = named.toString("hex", 2, 10);
  if (signer !== key.id)
    throw new UpgradeError("The release is signed with another key than the one that is trusted.");
  const said = trusted.slice(TRUSTED.length);
  const own = named.subarray(10);
  const point = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: key.point }, format: "jwk" });
  const isSigned =
    verify(null, createHash("blake2b512").update(content).digest(), point, own) &&
    verify(null, Buffer.concat([own, Buffer.from(said)]), point, Buffer.from(second, "base64"));
  if (!isSigned) throw new UpgradeError("The signature of the release is wrong: SHA256SUMS was changed.");
  // Else somebody could hand out the sums of an older release, with its faults, as those of the newest.
  if (said !== comment)
    throw new UpgradeError(`latest.json says ${comment}, but the sums are signed as those of ${said}.`);
}

/** The SHA-256 of a file, in hexadecimal digits, in a list that `sha256sum` reads. Throws UpgradeError without it. */
export function sumIn(list: string, name: string): string {
  for (const line of list.split("\n")) {
    const [, sum, of] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
    if (of === name && sum !== undefined) return sum;
  }
  throw new UpgradeError(`The release has no ${name}.`);
}
