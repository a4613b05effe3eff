import type { TlsPair } from "../domain/network/tls-pair.ts";

/** Where a certificate and its key are: paths. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** What the two files hold. */
export interface TlsCertificate extends TlsPair {
  /** From when on the first certificate of the file is valid, in milliseconds since the epoch. */
  readonly beginsAt: number;
  /** When the first certificate of the file ends, in milliseconds since the epoch. */
  readonly endsAt: number;
}

/** Why files cannot be used. The message tells the operator; it holds nothing of what is in them. */
export class TlsFilesError extends Error {}

/** For everybody but the owner and the group of a file. */
const READ_BY_OTHERS = 0o004;

/**
 * Reads both files, and checks that a server can use them. They are read by name each time: some programs replace
 * files, others symbolic links or the whole directory. Throws TlsFilesError.
 */
export async function readTlsFiles({ cert, key }: TlsFiles): Promise<TlsCertificate> {
  const pair = { cert: await textOf(cert), key: await textOf(key) };
  // They take milliseconds of a start.
  const [crypto, { createSecureContext }] = await Promise.all([import("node:crypto"), import("node:tls")]);
  const certificate = attempt(
    `${cert} holds no certificate in PEM`,
    () => new crypto.X509Certificate(pair.cert),
  );
  const privateKey = attempt(`${key} holds no private key in PEM without a passphrase`, () =>
    crypto.createPrivateKey(pair.key),
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new TlsFilesError(`the key in ${key} is not that of the first certificate in ${cert}`);
  }
  attempt(`${cert} holds something that is no certificate`, () => createSecureContext(pair));
  const { validFromDate, validToDate } = certificate;
  return { ...pair, beginsAt: validFromDate.getTime(), endsAt: validToDate.getTime() };
}

/** Whether any user of the machine can read a file. */
export async function isReadByOthers(path: string): Promise<boolean> {
  return ((await Bun.file(path).stat()).mode & READ_BY_OTHERS) !== 0;
}

async function textOf(path: string): Promise<string> {
  try {
    return await Bun.file(path).text();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TlsFilesError(`${path} cannot be read (${why})`, { cause });
  }
}

/** The library's own words are of no use to people, and might quote what is secret. */
function attempt<T>(failure: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new TlsFilesError(failure, { cause });
  }
}
