import type { Config } from "./config.ts";
import type { AcmeSettings, TlsSettings } from "./config/tls.ts";
import { AcmeFiles } from "./data-directory/acme-files.ts";
import { pathsIn } from "./data-directory/data-directory.ts";
import { messageOf } from "./domain/errors.ts";
import type { TlsPair } from "./domain/network/tls-pair.ts";
import { DAY_MS, YEAR_MS } from "./domain/time.ts";
import { readTlsFiles, type TlsCertificate, type TlsFiles, TlsFilesError } from "./network/tls-files.ts";
import type { SteadyClock } from "./process/clock.ts";
import type { Log } from "./process/log.ts";
import { repeat } from "./process/repeat.ts";
import { Certificate } from "./services/upkeep/certificate.ts";

/** How often it is looked whether there is another certificate, or one is to be had, in milliseconds. */
const CERTIFICATE_MS = 60_000;

interface CertificateOptions {
  readonly config: Pick<Config, "dataDir">;
  readonly tls: TlsSettings;
  readonly clock: SteadyClock;
  readonly log: Log;
  /** Overrides `CERTIFICATE_MS`. */
  readonly certificateMs?: number;
}

/** The certificate that a server begins with, and what keeps it. */
interface OwnCertificate {
  readonly certificate: Certificate;
  /** The answer to a challenge of the authority, by its token; null if there is no authority. */
  readonly challengeAnswer: ((token: string) => string | null) | null;
  /** Looks for another certificate from now on, and has `use` serve it. Returns what stops that. */
  readonly keep: (use: (pair: TlsPair) => { readonly ended: Promise<void> }) => () => Promise<void>;
}

/** Reads the certificate that is there, or makes one for the meantime. Rejects with an Error for the operator. */
export async function openOwnCertificate(options: CertificateOptions): Promise<OwnCertificate> {
  const { tls, log, certificateMs = CERTIFICATE_MS } = options;
  const { certificate, files, renewal } = await open(options, tls.certificate);
  return {
    certificate,
    challengeAnswer: renewal === null ? null : (token) => renewal.challenges.answerTo(token),
    keep: (use) => {
      const renew = () => renewal?.runIfDue() ?? Promise.resolve();
      const look = async () => {
        // Before the first one is issued there is nothing to look at.
        if (renewal === null || (await Bun.file(files.cert).exists())) await certificate.look(use);
      };
      const stop = repeat(certificateMs, [renew, look], log, renewal === null ? certificateMs : 0);
      return () => {
        renewal?.stop();
        return stop();
      };
    },
  };
}

async function open({ config, clock, log }: CertificateOptions, source: TlsSettings["certificate"]) {
  if (source.kind === "files") {
    const { files } = source;
    return { certificate: await Certificate.open({ files, clock, log }), files, renewal: null };
  }
  // Few servers need it.
  const { Renewal } = await import("./acme/renewal.ts");
  const acmeFiles = new AcmeFiles(pathsIn(config.dataDir), source.directory);
  const path = acmeFiles.pathOf("certificate.pem");
  const files = { cert: path, key: path };
  const found = (await readFound(files, log)) ?? (await standIn(source, clock.now()));
  const certificate = new Certificate({ files, clock, log, found, isRenewed: true });
  const onFailure = (reason: string | null) => certificate.noteRenewal(reason);
  const renewal = await Renewal.open({ settings: source, files: acmeFiles, clock, log, onFailure });
  return { certificate, files, renewal };
}

/** The certificate that was issued; null if there is none that can be served. */
async function readFound(files: TlsFiles, log: Log): Promise<TlsCertificate | null> {
  if (!(await Bun.file(files.cert).exists())) {
    log.info(
      "there is no certificate yet: one that no client trusts is served until the authority has issued it",
    );
    return null;
  }
  try {
    return await readTlsFiles(files);
  } catch (error) {
    if (!(error instanceof TlsFilesError)) throw error;
    log.warn(
      "the certificate that was issued cannot be used: one that no client trusts is served until there is another",
      { reason: messageOf(error) },
    );
    return null;
  }
}

/** A certificate that no client trusts, so that the server can listen. It is only in memory. */
async function standIn({ names }: AcmeSettings, now: number): Promise<TlsCertificate> {
  const { selfSigned } = await import("./acme/own-keys.ts");
  const [beginsAt, endsAt] = [now - DAY_MS, now + YEAR_MS];
  return { ...selfSigned(names, { beginsAt, endsAt }), beginsAt, endsAt };
}
