import type { AcmeSettings } from "../config/tls.ts";
import type { AcmeFiles } from "../data-directory/acme-files.ts";
import { messageOf } from "../domain/errors.ts";
import { DAY_MS } from "../domain/time.ts";
import type { Clock } from "../process/clock.ts";
import type { Log } from "../process/log.ts";
import { AccountKey } from "./account-key.ts";
import { AcmeError } from "./acme-error.ts";
import { Attempts } from "./attempts.ts";
import { Authority } from "./authority.ts";
import { Challenges } from "./challenges.ts";
import { checkedChain, draftIssued, type Issued, readIssued, writeIssued } from "./issued.ts";
import { orderCertificate } from "./order.ts";
import { certificateRequest, newKey } from "./own-keys.ts";
import { RenewalInfo } from "./renewal-info.ts";
import { Requests } from "./requests.ts";

/** After which part of its life a certificate is renewed if the authority does not say. */
const USUAL_SHARE = 2 / 3;
/** And whatever the authority says. */
const LATEST_SHARE = 0.9;

interface RenewalParts {
  readonly settings: AcmeSettings;
  readonly files: AcmeFiles;
  readonly clock: Clock;
  readonly log: Log;
  /** Told why no certificate could be issued; null once that is over. */
  readonly onFailure: (reason: string | null) => void;
}

/** Has certificates issued by an authority (ACME, RFC 8555), each before the former ends. */
export class Renewal {
  readonly challenges = new Challenges();
  readonly #parts: RenewalParts;
  readonly #requests: Requests;
  readonly #attempts: Attempts;
  readonly #info: RenewalInfo;
  readonly #stopping: AbortController;
  #failure: string | null = null;

  private constructor(
    parts: RenewalParts,
    own: { readonly requests: Requests; readonly attempts: Attempts; readonly stopping: AbortController },
  ) {
    const { clock, log } = parts;
    this.#parts = parts;
    this.#requests = own.requests;
    this.#attempts = own.attempts;
    this.#stopping = own.stopping;
    this.#info = new RenewalInfo({ requests: own.requests, clock, log });
    if (own.attempts.reason !== null) this.#tell(own.attempts.reason);
  }

  /** Asks nobody yet. Rejects with an Error that tells the operator what to do. */
  static async open(parts: RenewalParts): Promise<Renewal> {
    const { settings, files, clock } = parts;
    const stopping = new AbortController();
    const ca = settings.ca === null ? null : await readCa(settings.ca);
    const requests = new Requests({ directory: settings.directory, ca, clock, signal: stopping.signal });
    return new Renewal(parts, { requests, attempts: await Attempts.open(files, clock), stopping });
  }

  /** Gives up what is under way. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Has a certificate issued if it is time to. What fails is told, and tried again after a pause. */
  async runIfDue(): Promise<void> {
    const { settings, files, clock } = this.#parts;
    const { names } = settings;
    const { signal } = this.#stopping;
    if (signal.aborted) return;
    const former = await readIssued(files);
    if (clock.now() < (await this.#dueAt(former))) return;
    if (clock.now() < this.#attempts.nextAt(names)) {
      this.#tellRest(former);
      return;
    }
    try {
      const issued = await this.#issue(former);
      await this.#attempts.noteIssued(names, issued.endsAt - issued.beginsAt);
      this.#tell(null);
    } catch (error) {
      // The next start begins anew.
      if (signal.aborted) return;
      const reason = messageOf(error);
      this.#tell(reason);
      await this.#attempts.noteFailure(reason, error instanceof AcmeError ? error.retryAt : null);
    }
  }

  /** Milliseconds since the epoch. */
  async #dueAt(former: Issued | null): Promise<number> {
    if (former === null || !former.covers(this.#parts.settings.names)) return 0;
    const { beginsAt, endsAt, id } = former;
    const shareOf = (share: number) => beginsAt + share * (endsAt - beginsAt);
    const suggested = id === null ? null : await this.#info.momentFor(id);
    return Math.min(suggested ?? shareOf(USUAL_SHARE), shareOf(LATEST_SHARE));
  }

  async #issue(former: Issued | null): Promise<Issued> {
    const { settings, files, clock, log } = this.#parts;
    const { names, email, directory } = settings;
    const key = newKey();
    await draftIssued(files, key);
    const accountKey = await AccountKey.open(files);
    log.info("a TLS certificate is ordered", { names, authority: new URL(directory).host });
    const authority = await Authority.signIn(this.#requests, accountKey, email);
    const { challenges } = this;
    const { signal } = this.#stopping;
    const sent = await orderCertificate(
      { authority, challenges, clock, signal },
      // One for other names is no renewal, and an authority may refuse it as one.
      {
        names,
        request: certificateRequest(names, key),
        replaces: former?.covers(names) === true ? former.id : null,
      },
    );
    const { chain, issued } = checkedChain(sent, { key, names }, clock.now());
    await writeIssued(files, key, chain);
    log.info("a TLS certificate was issued", {
      names,
      days: Math.ceil((issued.endsAt - clock.now()) / DAY_MS),
    });
    return issued;
  }

  /** Without a usable certificate somebody waits for one, who should know why none comes. */
  #tellRest(former: Issued | null): void {
    const { settings, clock, files } = this.#parts;
    if (former !== null || clock.now() >= this.#attempts.restsUntil(settings.names)) return;
    const record = files.pathOf("attempts.json");
    this.#tell(
      `a certificate was issued within the last day, and cannot be used; for another one now, delete ${record} and restart`,
    );
  }

  /** Logs each reason once: it may last for days. */
  #tell(reason: string | null): void {
    const { log, onFailure } = this.#parts;
    if (reason !== null && reason !== this.#failure) log.warn("no TLS certificate was issued", { reason });
    this.#failure = reason;
    onFailure(reason);
  }
}

async function readCa(path: string): Promise<string> {
  try {
    return await Bun.file(path).text();
  } catch (cause) {
    throw new Error(
      `HTTPS cannot be served: ${path} cannot be read (${messageOf(cause)}). See COFFER_TLS_ACME_CA.`,
      { cause },
    );
  }
}
