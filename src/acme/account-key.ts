import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import type { AcmeFiles } from "../data-directory/acme-files.ts";
import { messageOf } from "../domain/errors.ts";
import { AcmeError } from "./acme-error.ts";
import { newKey, pemOf } from "./own-keys.ts";

const FILE = "account.pem";

/** What of a request is signed besides its content (RFC 8555, 6.2). `kid` names the account, once it has a URL. */
interface Protected {
  readonly url: string;
  readonly nonce: string;
  readonly kid: string | null;
}

/** The key that an authority knows this server by: ES256 of JSON Web Signatures (RFC 7518, 3.4). */
export class AccountKey {
  readonly #key: KeyObject;
  readonly #jwk: Readonly<Record<"crv" | "kty" | "x" | "y", string>>;

  private constructor(key: KeyObject) {
    const { crv, kty, x, y } = createPublicKey(key).export({ format: "jwk" });
    if (kty !== "EC" || crv !== "P-256" || x === undefined || y === undefined) {
      throw new AcmeError("it is no key on the curve P-256");
    }
    this.#key = key;
    // In the order that the thumbprint needs.
    this.#jwk = { crv, kty, x, y };
  }

  /** Reads the key, or makes it. Rejects with AcmeError or DataDirectoryError. */
  static async open(files: AcmeFiles): Promise<AccountKey> {
    const text = await files.read(FILE);
    if (text === null) {
      const made = newKey();
      await files.write(FILE, pemOf(made));
      return new AccountKey(made);
    }
    try {
      return new AccountKey(createPrivateKey(text));
    } catch (cause) {
      const path = files.pathOf(FILE);
      throw new AcmeError(
        `${path} cannot be used (${messageOf(cause)}): delete it, and another account is made`,
        { cause },
      );
    }
  }

  /** What challenges are answered with, after the token (RFC 7638). */
  get thumbprint(): string {
    return createHash("sha256").update(JSON.stringify(this.#jwk)).digest("base64url");
  }

  /** A signed body. @param content null to only read what is at a URL */
  signed({ url, nonce, kid }: Protected, content: object | null): string {
    const header = { alg: "ES256", ...(kid === null ? { jwk: this.#jwk } : { kid }), nonce, url };
    const [first, payload] = [
      base64(JSON.stringify(header)),
      content === null ? "" : base64(JSON.stringify(content)),
    ];
    const bytes = sign("sha256", Buffer.from(`${first}.${payload}`), {
      key: this.#key,
      dsaEncoding: "ieee-p1363",
    });
    return JSON.stringify({ protected: first, payload, signature: bytes.toString("base64url") });
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64url");
}
