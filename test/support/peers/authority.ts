import { createHash, createPublicKey, randomUUID, verify } from "node:crypto";
import { DAY_MS } from "../../../src/domain/time.ts";
import type { Clock } from "../../../src/process/clock.ts";
import { CertificateIssuer } from "./certificate-issuer.ts";
import { startTlsServer } from "./tls-server.ts";

/** An order that was placed. */
interface PlacedOrder {
  readonly names: readonly string[];
  /** Which certificate it is said to replace. */
  readonly replaces: string | null;
  /** The token of each name, and whether its answer was found. */
  readonly tokens: readonly string[];
  readonly proved: Set<number>;
  chain: string | null;
}

/** A public key of an account (RFC 7517). */
interface PublicKey {
  readonly crv: string;
  readonly kty: string;
  readonly x: string;
  readonly y: string;
}

/** What a signed request says. */
interface SignedRequest {
  /** The path of the account; null if it gives its key instead. */
  readonly account: string | null;
  readonly key: PublicKey;
  readonly content: Readonly<Record<string, unknown>>;
}

type Server = Awaited<ReturnType<typeof startTlsServer>>;

/**
 * An authority of ACME on this machine. It checks signatures and nonces, looks for answers to its challenges by `look`,
 * and issues certificates that begin when they are asked for, by its clock.
 */
export class TestAuthority implements AsyncDisposable {
  /** What it was asked, such as `POST /order/0`, in order. */
  readonly asked: string[] = [];
  readonly orders: PlacedOrder[] = [];
  /** Where accounts may be written to, by the path of each. */
  readonly contacts = new Map<string, unknown>();
  /** What a request is answered with instead; null for what is right. */
  fault: (asked: string) => Response | null = () => null;
  /** What is found for a token. */
  look: (token: string) => string | null | Promise<string> = () => null;
  /** How long a certificate lives, in milliseconds. */
  lifetimeMs = 90 * DAY_MS;
  /** When certificates should be renewed, in milliseconds since the epoch; null to say nothing of it. */
  window: { readonly start: number; readonly end: number } | null = null;
  readonly issuer = new CertificateIssuer();
  readonly #clock: Clock;
  readonly #accounts: PublicKey[] = [];
  readonly #nonces = new Set<string>();
  #server: Server | null = null;

  private constructor(clock: Clock) {
    this.#clock = clock;
  }

  static async start(clock: Clock): Promise<TestAuthority> {
    const authority = new TestAuthority(clock);
    authority.#server = await startTlsServer((request) => authority.#take(request));
    return authority;
  }

  /** The URL of its directory. */
  get directory(): string {
    return this.#at("/directory");
  }

  /** The certificate to trust when it is asked, in PEM. */
  get ca(): string {
    return this.#server?.ca ?? "";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }

  #at(path: string): string {
    return this.#server?.url(path).href ?? path;
  }

  async #take(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const asked = `${request.method} ${pathname}`;
    this.asked.push(asked);
    const answer = this.fault(asked) ?? (await this.#answer(request, pathname));
    const nonce = randomUUID().replaceAll("-", "");
    this.#nonces.add(nonce);
    answer.headers.set("replay-nonce", nonce);
    return answer;
  }

  async #answer(request: Request, path: string): Promise<Response> {
    if (request.method === "HEAD") return new Response();
    if (request.method === "GET") return this.#read(path);
    const signed = this.#checked(await request.text(), path);
    if (signed === null) return refusal("badNonce", "this nonce was used");
    if (path === "/account") return this.#account(signed);
    if (path === "/order") return this.#place(signed.content);
    const [, kind, number = "", name = "0"] = path.split("/");
    if (kind === "account") {
      this.contacts.set(path, signed.content["contact"]);
      return Response.json({});
    }
    const order = this.orders[Number(number)];
    if (order === undefined) return refusal("malformed", "there is no such order", 404);
    if (kind === "authorization")
      return Response.json(this.#authorization(order, Number(number), Number(name)));
    if (kind === "challenge") return this.#prove(order, Number(name), signed.key);
    if (kind === "certificate") return new Response(order.chain);
    if (kind === "finalize") this.#finalize(order, signed.content);
    return Response.json(this.#order(order, Number(number)));
  }

  #read(path: string): Response {
    if (path === "/directory") {
      const addresses = { newNonce: "/nonce", newAccount: "/account", newOrder: "/order" };
      const offered = this.window === null ? addresses : { ...addresses, renewalInfo: "/renewal" };
      return Response.json(
        Object.fromEntries(Object.entries(offered).map(([name, at]) => [name, this.#at(at)])),
      );
    }
    if (this.window === null) return refusal("malformed", "there is nothing here", 404);
    const [start, end] = [this.window.start, this.window.end].map((at) => new Date(at).toISOString());
    return Response.json({ suggestedWindow: { start, end } }, { headers: { "retry-after": "3600" } });
  }

  /** What a request says; null if its nonce was used. Throws if it is not signed as it must be. */
  #checked(text: string, path: string): SignedRequest | null {
    const { protected: head, payload, signature }: Record<string, string> = JSON.parse(text);
    const header: { jwk?: PublicKey; kid?: string; nonce: string; url: string } = JSON.parse(
      Buffer.from(head ?? "", "base64url").toString(),
    );
    const account = header.kid === undefined ? null : new URL(header.kid).pathname;
    const key = header.jwk ?? this.#accounts[Number(account?.split("/").at(-1))];
    if (key === undefined || header.url !== this.#at(path))
      throw new Error("this was signed for another place");
    const isSigned = verify(
      "sha256",
      Buffer.from(`${head}.${payload}`),
      { key: createPublicKey({ key, format: "jwk" }), dsaEncoding: "ieee-p1363" },
      Buffer.from(signature ?? "", "base64url"),
    );
    if (!isSigned) throw new Error("the signature is not that of the key");
    const content = payload === "" ? {} : JSON.parse(Buffer.from(payload ?? "", "base64url").toString());
    return this.#nonces.delete(header.nonce) ? { account, key, content } : null;
  }

  #account({ key, content }: SignedRequest): Response {
    if (content["termsOfServiceAgreed"] !== true) return refusal("userActionRequired", "agree to the terms");
    const known = this.#accounts.findIndex(({ x }) => x === key.x);
    const number = known === -1 ? this.#accounts.push(key) - 1 : known;
    const path = `/account/${number}`;
    if (known === -1) this.contacts.set(path, content["contact"]);
    return Response.json({}, { status: known === -1 ? 201 : 200, headers: { location: this.#at(path) } });
  }

  #place({ identifiers, replaces }: Readonly<Record<string, unknown>>): Response {
    const names = Array.isArray(identifiers) ? identifiers.map(({ value }) => String(value)) : [];
    const tokens = names.map(() => randomUUID());
    const order = {
      names,
      replaces: typeof replaces === "string" ? replaces : null,
      tokens,
      proved: new Set<number>(),
      chain: null,
    };
    const number = this.orders.push(order) - 1;
    const headers = { location: this.#at(`/order/${number}`) };
    return Response.json(this.#order(order, number), { status: 201, headers });
  }

  #order({ names, proved, chain }: PlacedOrder, number: number) {
    const isProved = proved.size === names.length;
    return {
      status: chain !== null ? "valid" : isProved ? "ready" : "pending",
      authorizations: names.map((_, at) => this.#at(`/authorization/${number}/${at}`)),
      finalize: this.#at(`/finalize/${number}`),
      certificate: this.#at(`/certificate/${number}`),
    };
  }

  #authorization({ names, tokens, proved }: PlacedOrder, number: number, at: number) {
    const token = tokens[at];
    const url = this.#at(`/challenge/${number}/${at}`);
    return {
      status: proved.has(at) ? "valid" : "pending",
      identifier: { type: "dns", value: names[at] },
      challenges: [
        { type: "dns-01", url, token },
        { type: "http-01", url, token },
      ],
    };
  }

  async #prove(
    { tokens, proved }: PlacedOrder,
    at: number,
    { crv, kty, x, y }: PublicKey,
  ): Promise<Response> {
    const token = tokens[at] ?? "";
    const thumbprint = createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
    if ((await this.look(token)) !== `${token}.${thumbprint}`)
      throw new Error("the answer to a challenge is wrong");
    proved.add(at);
    return Response.json({});
  }

  #finalize(order: PlacedOrder, { csr }: Readonly<Record<string, unknown>>): void {
    const now = this.#clock.now();
    const validity = { beginsAt: now, endsAt: now + this.lifetimeMs };
    order.chain = this.issuer.issue(Buffer.from(String(csr), "base64url"), validity);
  }
}

/** How an authority refuses something (RFC 8555, 6.7). */
export function refusal(
  type: string,
  detail: string,
  status = 400,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ type: `urn:ietf:params:acme:error:${type}`, detail }, { status, headers });
}
