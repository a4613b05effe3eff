import type { Reader } from "./reader.ts";
import { variableOf } from "./setting.ts";
import { SETTINGS } from "./settings.ts";

/** Where the server has its certificate from: from files of the operator. */
interface CertificateInFiles {
  readonly kind: "files";
  /** Paths. */
  readonly files: { readonly cert: string; readonly key: string };
}

/** Where the server has its certificate from: from an authority, by ACME (RFC 8555). */
export interface AcmeSettings {
  readonly kind: "acme";
  /** The host names that the certificate is for, in small letters; at least one. */
  readonly names: readonly string[];
  /** Where the authority may write to; null if nowhere. */
  readonly email: string | null;
  /** The URL of the authority's directory; https. */
  readonly directory: string;
  /** The path of the certificates to trust when the authority is asked; null for those of the system. */
  readonly ca: string | null;
}

/** How the server speaks HTTPS. */
export interface TlsSettings {
  readonly certificate: CertificateInFiles | AcmeSettings;
  /** Where plain HTTP is redirected; null if nowhere. */
  readonly redirectPort: number | null;
}

const CERT = variableOf(SETTINGS.tlsCert);
const KEY = variableOf(SETTINGS.tlsKey);
const ACME = variableOf(SETTINGS.tlsAcme);
const REDIRECT = variableOf(SETTINGS.tlsRedirectPort);

/** How the server speaks HTTPS; null if it speaks plain HTTP. */
export function readTls(reader: Reader): TlsSettings | null {
  const redirectPort = reader.read(SETTINGS.tlsRedirectPort);
  const files = readFiles(reader);
  const acme = readAcme(reader);
  const sources = [SETTINGS.tlsCert, SETTINGS.tlsKey, SETTINGS.tlsAcme];
  const isGiven = sources.some((one) => reader.textOf(one) !== null);
  if (redirectPort !== null && !isGiven) {
    reader.problems.push(`${REDIRECT} needs ${CERT} and ${KEY}, or ${ACME}.`);
  }
  if (redirectPort !== null && redirectPort === reader.read(SETTINGS.port)) {
    reader.problems.push(`${REDIRECT} must be another port than ${variableOf(SETTINGS.port)}.`);
  }
  if (files !== null && acme !== null) {
    reader.problems.push(
      `${ACME} has an authority issue a certificate, so ${CERT} and ${KEY} must not be set.`,
    );
  }
  const certificate = acme ?? files;
  return certificate === null ? null : { certificate, redirectPort };
}

function readFiles(reader: Reader): CertificateInFiles | null {
  const cert = reader.read(SETTINGS.tlsCert);
  const key = reader.read(SETTINGS.tlsKey);
  if ((cert === null) !== (key === null)) {
    reader.problems.push(`HTTPS needs both ${CERT} and ${KEY}; not set: ${cert === null ? CERT : KEY}.`);
  }
  return cert === null || key === null ? null : { kind: "files", files: { cert, key } };
}

function readAcme(reader: Reader): AcmeSettings | null {
  const names = reader.read(SETTINGS.tlsAcme);
  const email = reader.read(SETTINGS.tlsAcmeEmail);
  const directory = reader.read(SETTINGS.tlsAcmeDirectory);
  const ca = reader.read(SETTINGS.tlsAcmeCa);
  if (reader.textOf(SETTINGS.tlsAcme) === null) {
    for (const other of [SETTINGS.tlsAcmeEmail, SETTINGS.tlsAcmeDirectory, SETTINGS.tlsAcmeCa]) {
      if (reader.textOf(other) !== null) {
        reader.problems.push(`${variableOf(other)} is of no use without ${ACME}.`);
      }
    }
  } else if (reader.textOf(SETTINGS.tlsRedirectPort) === null) {
    reader.problems.push(
      `${ACME} needs ${REDIRECT}: the authority looks there, from port 80 of each name, whether it leads to this server.`,
    );
  }
  return names === null ? null : { kind: "acme", names, email, directory, ca };
}

/** Adds a problem for a base URL that this server's certificate is not for. */
export function refuseForeignBase(
  { tls, baseUrl }: { readonly tls: TlsSettings | null; readonly baseUrl: string | null },
  reader: Reader,
): void {
  if (tls === null || baseUrl === null) return;
  const variable = variableOf(SETTINGS.baseUrl);
  const { certificate } = tls;
  if (!baseUrl.startsWith("https:")) {
    const why = certificate.kind === "files" ? CERT : ACME;
    reader.problems.push(`${variable} must begin with https://, as the server speaks HTTPS with ${why}.`);
  } else if (certificate.kind === "acme" && !certificate.names.includes(new URL(baseUrl).hostname)) {
    reader.problems.push(`${variable} must have one of the names in ${ACME}: the certificate is for these.`);
  }
}
