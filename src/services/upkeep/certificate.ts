import type { TlsPair } from "../../domain/network/tls-pair.ts";
import { DAY_MS } from "../../domain/time.ts";
import {
  isReadByOthers,
  readTlsFiles,
  type TlsCertificate,
  type TlsFiles,
  TlsFilesError,
} from "../../network/tls-files.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";

/** From so many days before its end on, a certificate is a problem. */
const ENDING_DAYS = 14;

/** One that the server renews itself lives shorter, perhaps: it is a problem in this share of its life. */
const ENDING_SHARE = 1 / 6;

interface CertificateParts extends Pick<Parts, "clock" | "log"> {
  readonly files: TlsFiles;
  /** What they held at the start. */
  readonly found: TlsCertificate;
  /** Whether the server renews it itself; by default its operator does. */
  readonly isRenewed?: boolean;
}

/** The certificate that the server has, and what its files hold meanwhile. */
export class Certificate extends Service<CertificateParts> {
  #current = this.parts.found;
  /** Why what the files hold now is not used; null if it is. */
  #failure: { readonly reason: string; readonly since: number } | null = null;
  /** Why no other one could be issued; null if nothing is wrong. */
  #renewalFailure: { readonly reason: string; readonly since: number } | null = null;

  /** Reads the files. Throws an Error that tells the operator what to do. */
  static async open(parts: Omit<CertificateParts, "found" | "isRenewed">): Promise<Certificate> {
    const { files, log } = parts;
    try {
      const certificate = new Certificate({ ...parts, found: await readTlsFiles(files) });
      const days = certificate.daysLeft();
      if (days <= ENDING_DAYS) log.warn("the TLS certificate has ended, or ends soon: renew it", { days });
      if (await isReadByOthers(files.key)) {
        log.warn(`all users of this machine can read the TLS key. Take it from them: chmod o= ${files.key}`);
      }
      return certificate;
    } catch (error) {
      if (!(error instanceof TlsFilesError)) throw error;
      throw new Error(`HTTPS cannot be served: ${error.message}. See COFFER_TLS_CERT and COFFER_TLS_KEY.`, {
        cause: error,
      });
    }
  }

  /** What new connections are served with. */
  get pair(): TlsPair {
    return this.#current;
  }

  /** Whole days until it ends; 0 or less once it has. */
  daysLeft(): number {
    return Math.ceil((this.#current.endsAt - this.parts.clock.now()) / DAY_MS);
  }

  /** Why the changed files are not used, and since when; null if they are. */
  get failure() {
    return this.#failure;
  }

  /** Why an authority issues no other one, and since when; null if nothing is wrong. */
  get renewalFailure() {
    return this.#renewalFailure;
  }

  /** Keeps why an authority issues no other one; null once that is over. */
  noteRenewal(reason: string | null): void {
    const since = this.#renewalFailure?.since ?? this.parts.clock.now();
    this.#renewalFailure = reason === null ? null : { reason, since };
  }

  /** Whether it ends so soon that somebody should look. */
  isEnding(): boolean {
    const { beginsAt, endsAt } = this.#current;
    const share = this.parts.isRenewed === true ? ENDING_SHARE : 1;
    return this.daysLeft() <= Math.min(ENDING_DAYS, Math.ceil((share * (endsAt - beginsAt)) / DAY_MS));
  }

  /**
   * Looks whether the files have changed, and has `use` serve what they hold. If that cannot be, the former stays.
   * Resolves when the former is not served any more.
   *
   * @param use throws if it cannot be served
   */
  async look(use: (pair: TlsPair) => { readonly ended: Promise<void> }): Promise<void> {
    const { files, log } = this.parts;
    try {
      const found = await readTlsFiles(files);
      const isChanged = found.cert !== this.#current.cert || found.key !== this.#current.key;
      const ended = isChanged ? use(found).ended : null;
      this.#current = found;
      this.#failure = null;
      if (isChanged) log.info("new connections have the changed TLS certificate", { days: this.daysLeft() });
      await ended;
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    }
  }

  /** Logs each reason once: it may last for days. */
  #fail(reason: string): void {
    if (reason === this.#failure?.reason) return;
    this.#failure = { reason, since: this.parts.clock.now() };
    this.parts.log.warn("the changed TLS files are not used: the former certificate stays", { reason });
  }
}
