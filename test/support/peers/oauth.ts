import { ParameterReader } from "../../../src/domain/oauth/oauth-request.ts";
import type { TestAppliance } from "../server/appliance.ts";
import type { Answer, Client } from "../server/client.ts";
import type { SignedInBrowser } from "../server/sign-in.ts";

/** The client's address in most tests. */
export const REDIRECT_URI = "https://app.example/callback";

/** What the token endpoint answers. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

/** A code verifier and its challenge (RFC 7636). */
export function newVerifier(): { verifier: string; challenge: string } {
  const verifier = crypto.randomUUID() + crypto.randomUUID();
  return { verifier, challenge: Bun.SHA256.hash(verifier, "base64url") };
}

/** A right request of a client. */
function requestOf(client_id: string, code_challenge: string, redirect_uri = REDIRECT_URI) {
  return { response_type: "code", client_id, redirect_uri, code_challenge, code_challenge_method: "S256" };
}

/** What is not undefined. */
function formOf(fields: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value);
  return form;
}

/** A request that waits for a person's decision; its ticket. */
export async function pendingRequest(coffer: TestAppliance): Promise<string> {
  return (await begin(coffer)).ticket;
}

/** A client that a person lets in, with its tokens. */
export async function letIn(
  coffer: TestAppliance,
  person: Pick<SignedInBrowser, "token">,
  driveId?: string,
): Promise<{ clientId: string; accessToken: string; refreshToken: string }> {
  const { ticket, clientId, verifier } = await begin(coffer);
  const { services, url: issuer } = coffer.appliance;
  const caller = services.sessions.authenticate(person.token);
  if (caller === null) throw new Error("the person is not signed in");
  const goesTo = await services.authorizations.allow(caller, ticket, { scope: "read-write", driveId });
  const code = new URL(goesTo).searchParams.get("code") ?? "";
  const exchange = { code, clientId, redirectUri: REDIRECT_URI, verifier, issuer };
  const { accessToken, refreshToken } = await services.oauthGrants.redeem(exchange);
  return { clientId, accessToken, refreshToken };
}

/** Registers a client and begins a request, however many there were before. */
async function begin({ appliance }: TestAppliance) {
  const { oauthClients, authorizations } = appliance.services;
  const { id: clientId } = await oauthClients.register({ redirect_uris: [REDIRECT_URI] });
  const { verifier, challenge } = newVerifier();
  const parameters = formOf(requestOf(clientId, challenge));
  const begun = await authorizations.begin(new ParameterReader(parameters), appliance.url);
  if (!("ticket" in begun)) throw new Error(`not begun: ${begun.redirectTo}`);
  return { ticket: begun.ticket, clientId, verifier };
}

/** Registers an app at a server and asks for access; the path of the page where a person decides. */
export async function askToBeLetIn(server: string, redirectUri: string, name: string): Promise<string> {
  const registered = await fetch(`${server}/oauth/register`, {
    method: "POST",
    body: JSON.stringify({ client_name: name, redirect_uris: [redirectUri] }),
  });
  const { client_id }: { client_id: string } = JSON.parse(await registered.text());
  const query = formOf(requestOf(client_id, newVerifier().challenge, redirectUri));
  const { headers } = await fetch(`${server}/oauth/authorize?${query.toString()}`, { redirect: "manual" });
  const { pathname, search } = locationOf(headers);
  return pathname + search;
}

/** A server that lets clients in. */
interface OAuthServer {
  readonly url: string;
  client(): Client;
}

/** Somebody signed in, who lets clients in. */
type Person = Pick<SignedInBrowser, "send">;

/** An OAuth client, as a program would be one. */
export class OAuthTestClient {
  readonly id: string;
  readonly #server: OAuthServer;
  readonly pkce = newVerifier();

  constructor(server: TestAppliance | OAuthServer, id: string) {
    this.#server =
      "appliance" in server ? { url: server.appliance.url, client: () => server.client() } : server;
    this.id = id;
  }

  /** Registers a client. */
  static async register(
    server: TestAppliance | OAuthServer,
    metadata: Record<string, string | string[]> = {},
  ): Promise<OAuthTestClient> {
    const body = { client_name: "Example App", redirect_uris: [REDIRECT_URI], ...metadata };
    const { client_id } = await server.client().post<{ client_id: string }>("/oauth/register", body);
    return new OAuthTestClient(server, client_id);
  }

  /** The parameters of a right request, with changes; undefined takes one out. */
  parameters(changes: Record<string, string | undefined> = {}): URLSearchParams {
    const right = requestOf(this.id, this.pkce.challenge);
    return formOf({ ...right, state: "a state", resource: `${this.#server.url}/mcp`, ...changes });
  }

  /** Asks at the authorization endpoint. */
  ask(
    changes: Record<string, string | undefined> = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const query = this.parameters(changes).toString();
    return this.#server.client().send("GET", `/oauth/authorize?${query}`, { headers });
  }

  /** Asks; the ticket for our page. */
  async begin(changes: Record<string, string | undefined> = {}): Promise<string> {
    const { status, headers, text } = await this.ask(changes);
    const ticket = locationOf(headers).searchParams.get("request");
    if (status !== 303 || ticket === null) throw new Error(`not begun: ${status} ${text}`);
    return ticket;
  }

  /** Asks, and a person allows it; where the browser goes. */
  async allowed(
    person: Person,
    consent: Record<string, string> = {},
    changes: Record<string, string | undefined> = {},
  ): Promise<URL> {
    const ticket = await this.begin(changes);
    const body = { allow: true, ...consent };
    const { status, text } = await person.send("POST", `/v0/oauth/requests/${ticket}`, { body });
    if (status !== 200) throw new Error(`not allowed: ${status} ${text}`);
    const { data }: { data: { redirect_to: string } } = JSON.parse(text);
    return new URL(data.redirect_to);
  }

  /** The same; the code. */
  async code(...given: Parameters<OAuthTestClient["allowed"]>): Promise<string> {
    return (await this.allowed(...given)).searchParams.get("code") ?? "";
  }

  /** Exchanges a code, with changes to what is sent, or at another `host` of the server. */
  exchange(code: string, { host, ...changes }: Record<string, string | undefined> = {}): Promise<Answer> {
    const right = { client_id: this.id, redirect_uri: REDIRECT_URI, code_verifier: this.pkce.verifier };
    const form = { grant_type: "authorization_code", code, ...right, ...changes };
    return this.post("/oauth/token", form, host === undefined ? {} : { host });
  }

  /** Signs in, by all of this. */
  async signIn(person: Person, consent: Record<string, string> = {}): Promise<TokenAnswer> {
    return tokensIn(await this.exchange(await this.code(person, consent)));
  }

  refresh(token: string, changes: Record<string, string | undefined> = {}): Promise<Answer> {
    const form = { grant_type: "refresh_token", refresh_token: token, client_id: this.id };
    return this.post("/oauth/token", { ...form, ...changes });
  }

  /** Sends a form. */
  post(
    path: string,
    form: Record<string, string | undefined>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.#server.client().send("POST", path, {
      body: formOf(form).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    });
  }
}

/** The tokens of an answer, which must be right. */
export function tokensIn({ status, text }: Answer): TokenAnswer {
  if (status !== 200) throw new Error(`no tokens: ${status} ${text}`);
  return JSON.parse(text);
}

/** The status of an answer, and its error as OAuth has it. */
export function oauthErrorIn({ status, text }: Answer): [status: number, error: string] {
  const { error }: { error: string } = JSON.parse(text);
  return [status, error];
}

/** Where an answer sends the browser. */
export function locationOf(headers: Headers): URL {
  return new URL(headers.get("location") ?? "http://nowhere.invalid");
}
