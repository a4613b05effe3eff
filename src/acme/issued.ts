import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import type { AcmeFiles } from "../data-directory/acme-files.ts";
import { DAY_MS } from "../domain/time.ts";
import { AcmeError } from "./acme-error.ts";
import { contextTag, readDer, TAG } from "./der.ts";
import { pemOf } from "./own-keys.ts";

/** The key, then the certificate, then those that vouch for it: one file, so that they always belong together. */
const FILE = "certificate.pem";
const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
/** How far the clock of an authority may be before this one, in milliseconds. */
const SKEW_MS = DAY_MS;
const AUTHORITY_KEY_IDENTIFIER = "551d23";

/** A certificate that an authority has issued. */
export interface Issued {
  /** Milliseconds since the epoch, as is `endsAt`. */
  readonly beginsAt: number;
  readonly endsAt: number;
  /** How its authority knows it (RFC 9773, 4.1); null if it does not say which key has signed it. */
  readonly id: string | null;
  /** Whether it is for all of these host names. */
  readonly covers: (names: readonly string[]) => boolean;
}

/** The certificate that was issued last; null if there is none, or none that can be used. */
export async function readIssued(files: AcmeFiles): Promise<Issued | null> {
  const text = await files.read(FILE);
  if (text === null) return null;
  try {
    const certificate = new X509Certificate(text);
    return certificate.checkPrivateKey(createPrivateKey(text)) ? issuedOf(certificate) : null;
  } catch {
    // A start has told that it cannot be used, and the next one replaces it.
    return null;
  }
}

/** Puts the key where the certificate will be: a disk that takes no more is seen before an authority is asked. */
export async function draftIssued(files: AcmeFiles, key: KeyObject): Promise<void> {
  await files.draft(FILE, pemOf(key));
}

/** Keeps a certificate and its key. Only certificates of `chain` are taken. */
export async function writeIssued(files: AcmeFiles, key: KeyObject, chain: readonly string[]): Promise<void> {
  await files.write(FILE, `${pemOf(key)}${chain.join("\n")}\n`);
}

/**
 * The certificates that an authority has sent, in PEM, the server's first. Throws AcmeError if they cannot be served.
 *
 * @param wanted what they should be for
 */
export function checkedChain(
  sent: string,
  wanted: { readonly key: KeyObject; readonly names: readonly string[] },
  now: number,
): { readonly chain: readonly string[]; readonly issued: Issued } {
  const chain = sent.match(BLOCK) ?? [];
  const [certificate] = chain.map(certificateIn);
  if (certificate === undefined) throw new AcmeError("the authority sent no certificate");
  const issued = issuedOf(certificate);
  if (!certificate.checkPrivateKey(wanted.key)) {
    throw new AcmeError("the authority sent a certificate of another key");
  }
  if (!issued.covers(wanted.names)) throw new AcmeError("the authority sent a certificate for other names");
  if (issued.endsAt <= now || issued.beginsAt > now + SKEW_MS) {
    throw new AcmeError("the authority sent a certificate that is not valid now: is the clock right?");
  }
  return { chain, issued };
}

function certificateIn(text: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (cause) {
    throw new AcmeError("the authority sent a certificate that cannot be read", { cause });
  }
}

function issuedOf(certificate: X509Certificate): Issued {
  return {
    beginsAt: certificate.validFromDate.getTime(),
    endsAt: certificate.validToDate.getTime(),
    id: idOf(certificate.raw),
    covers: (names) => names.every((name) => certificate.checkHost(name) !== undefined),
  };
}

/** The key that signed a certificate, and its serial number (RFC 9773, 4.1; RFC 5280, 4.1 and 4.2.1.1). */
function idOf(raw: Buffer): string | null {
  const [whole] = readDer(raw);
  const [content] = readDer(whole?.content ?? Buffer.alloc(0));
  const fields = readDer(content?.content ?? Buffer.alloc(0));
  const serial = fields.find(({ tag }) => tag === TAG.integer);
  const list = fields.find(({ tag }) => tag === contextTag(3));
  const extensions = readDer(readDer(list?.content ?? Buffer.alloc(0))[0]?.content ?? Buffer.alloc(0));
  const signer = extensions
    .map(({ content: one }) => readDer(one))
    .find(([type]) => type?.content.toString("hex") === AUTHORITY_KEY_IDENTIFIER)
    ?.at(-1);
  const [value] = readDer(signer?.content ?? Buffer.alloc(0));
  const key = readDer(value?.content ?? Buffer.alloc(0)).find(({ tag }) => tag === contextTag(0, false));
  return serial === undefined || key === undefined
    ? null
    : `${key.content.toString("base64url")}.${serial.content.toString("base64url")}`;
}
