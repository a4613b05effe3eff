import { CLIENT } from "./real-provider.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** How the provider misbehaves; what is omitted is correct. */
export interface Misdeeds {
  /** What is otherwise in the ID token, and in its header; undefined is left out. */
  readonly claims?: Claims;
  readonly header?: Claims;
  /** Signs the ID token; by default with the published key. */
  readonly sign?: "none" | "unpublished" | "clientSecret" | "broken";
  /** Replaces the ID token; null for none. */
  readonly idToken?: string | null;
  /** Replaces the response of the token endpoint, which is JSON otherwise. */
  readonly tokenAnswer?: string;
  /** Replaces the user info. */
  readonly userInfo?: Claims;
  /** What is otherwise in the provider's metadata. */
  readonly metadata?: Claims;
}

const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

/** Of all providers: to make them takes longer than most tests. */
let keys: Promise<[CryptoKeyPair, CryptoKeyPair]> | undefined;

/** A malicious provider: real HTTP and real signatures, with the faults that a test asks for. */
export class EvilProvider implements AsyncDisposable {
  misdeeds: Misdeeds = {};
  /** Codes sent to the token endpoint, with their verifiers. */
  readonly trades: URLSearchParams[] = [];
  nonce = "";
  readonly #server;
  /** The published one, and another. */
  readonly #keys: readonly [CryptoKeyPair, CryptoKeyPair];

  private constructor(pairs: readonly [CryptoKeyPair, CryptoKeyPair]) {
    this.#keys = pairs;
    this.#server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.#answer(request) });
  }

  static async start(): Promise<EvilProvider> {
    keys ??= Promise.all([newKey(), newKey()]);
    return new EvilProvider(await keys);
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return Response.json(this.#metadata());
      case "/jwks":
        return Response.json({ keys: [await this.#published()] });
      case "/token":
        return this.#token(new URLSearchParams(await request.text()));
      case "/userinfo":
        return Response.json(this.misdeeds.userInfo ?? { sub: "mallory", preferred_username: "mallory" });
      default:
        return new Response(null, { status: 404 });
    }
  }

  async #published(): Promise<object> {
    const key = await crypto.subtle.exportKey("jwk", this.#keys[0].publicKey);
    return { ...key, kid: "1", alg: "RS256", use: "sig" };
  }

  #metadata(): Claims {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      jwks_uri: `${this.issuer}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      // Claims to support every algorithm, so that only our checks can refuse one.
      id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
      token_endpoint_auth_methods_supported: ["client_secret_basic"],
      authorization_response_iss_parameter_supported: true,
      ...this.misdeeds.metadata,
    };
  }

  async #token(trade: URLSearchParams): Promise<Response> {
    this.trades.push(trade);
    const { idToken, tokenAnswer } = this.misdeeds;
    if (tokenAnswer !== undefined) {
      return new Response(tokenAnswer, { headers: { "content-type": "application/json" } });
    }
    const tokens = { access_token: "an access token", token_type: "Bearer", expires_in: 60 };
    if (idToken === null) return Response.json(tokens);
    return Response.json({ ...tokens, id_token: idToken ?? (await this.#idToken()) });
  }

  async #idToken(): Promise<string> {
    const { claims, header, sign } = this.misdeeds;
    const now = Math.floor(Date.now() / 1000);
    const algorithms = { none: "none", unpublished: "RS256", clientSecret: "HS256", broken: "RS256" };
    const alg = sign === undefined ? "RS256" : algorithms[sign];
    const parts = [
      { alg, kid: "1", typ: "JWT", ...header },
      {
        iss: this.issuer,
        sub: "mallory",
        aud: CLIENT.id,
        nonce: this.nonce,
        iat: now,
        exp: now + 60,
        ...claims,
      },
    ].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
    const signed = Buffer.from(parts.join("."));
    return [...parts, (await this.#signature(signed)).toString("base64url")].join(".");
  }

  async #signature(signed: Uint8Array<ArrayBuffer>): Promise<Buffer> {
    const { sign } = this.misdeeds;
    if (sign === "none") return Buffer.alloc(0);
    if (sign === "broken") return Buffer.alloc(256);
    if (sign === "clientSecret") {
      const hmac = { name: "HMAC", hash: "SHA-256" };
      const key = await crypto.subtle.importKey("raw", Buffer.from(CLIENT.secret), hmac, false, ["sign"]);
      return Buffer.from(await crypto.subtle.sign(hmac, key, signed));
    }
    const { privateKey } = this.#keys[sign === "unpublished" ? 1 : 0];
    return Buffer.from(await crypto.subtle.sign(RSA, privateKey, signed));
  }
}

async function newKey(): Promise<CryptoKeyPair> {
  const algorithm = { ...RSA, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };
  return crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}
