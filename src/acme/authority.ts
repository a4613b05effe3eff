import { AcmeError } from "./acme-error.ts";
import type { AccountKey } from "./account-key.ts";
import { type Directory, readDirectory } from "./replies.ts";
import type { AcmeAnswer, Requests } from "./requests.ts";

/** How often a request is sent again because its nonce was used or forgotten (RFC 8555, 6.5). */
const NONCES = 4;

interface AuthorityParts {
  readonly requests: Requests;
  readonly key: AccountKey;
  readonly directory: Directory;
}

/** One authority, as the account of this server: each request is signed, and has a nonce of its own. */
export class Authority {
  readonly #parts: AuthorityParts;
  #nonce: string | null = null;
  /** The URL of the account; null before it is known. */
  #account: string | null = null;

  private constructor(parts: AuthorityParts) {
    this.#parts = parts;
  }

  /**
   * Finds the account of a key, or makes it, by which its terms are agreed to (RFC 8555, 7.3). Rejects with AcmeError.
   *
   * @param email where the authority may write to; null if nowhere
   */
  static async signIn(requests: Requests, key: AccountKey, email: string | null): Promise<Authority> {
    const directory = readDirectory((await requests.send(requests.directory)).text);
    const authority = new Authority({ requests, key, directory });
    const contact = email === null ? {} : { contact: [`mailto:${email}`] };
    const terms = { termsOfServiceAgreed: true, ...contact };
    const { status, headers } = await authority.post(directory.newAccount, terms);
    authority.#account = requests.own(headers.get("location"));
    // One that was there keeps the address that it was made with.
    if (status === 200 && email !== null) await authority.post(authority.#account, contact);
    return authority;
  }

  get directory(): Directory {
    return this.#parts.directory;
  }

  /** What challenges are answered with. */
  get thumbprint(): string {
    return this.#parts.key.thumbprint;
  }

  /** An address that the authority has named. Throws AcmeError. */
  own(named: unknown): string {
    return this.#parts.requests.own(named);
  }

  /** Sends a signed request. Rejects with AcmeError. @param content null to only read what is there */
  async post(named: unknown, content: object | null): Promise<AcmeAnswer> {
    const { requests, key } = this.#parts;
    const url = this.own(named);
    for (let left = NONCES; ; left -= 1) {
      const nonce = this.#nonce ?? (await this.#newNonce());
      this.#nonce = null;
      try {
        const body = key.signed({ url, nonce, kid: this.#account }, content);
        const answer = await requests.send(url, { method: "POST", body });
        this.#nonce = answer.headers.get("replay-nonce");
        return answer;
      } catch (error) {
        if (!(error instanceof AcmeError) || error.type !== "badNonce" || left <= 1) throw error;
      }
    }
  }

  async #newNonce(): Promise<string> {
    const { requests, directory } = this.#parts;
    const { headers } = await requests.send(this.own(directory.newNonce), { method: "HEAD" });
    const nonce = headers.get("replay-nonce");
    if (nonce === null) throw new AcmeError("the authority gives no nonce");
    return nonce;
  }
}
