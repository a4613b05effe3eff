import { expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Answer, RequestOptions } from "../support/server/client.ts";
import { CookieJar } from "../support/server/cookie-jar.ts";
import { run, serve, type Server } from "../support/server/executable.ts";
import { OAuthTestClient, tokensIn } from "../support/peers/oauth.ts";
import { CLIENT, providerSettings, signInThere, startRealProvider } from "../support/peers/real-provider.ts";
import { sessionIn } from "../support/server/sign-in.ts";

/** Who has a secret, and what it is. */
type Secrets = Map<string, string>;

/** What a secret may look like to somebody who finds it: in text, in hexadecimal or base64, or as the bytes it names. */
function formsOf(secret: string): [name: string, bytes: Buffer][] {
  // Records show the start of a key.
  const heart = secret.replace(/^(cof_sk_live_|cof_at_|cof_rt_|cof_|clm_|lnk_)[0-9a-f]{8}/, "");
  const bytes = Buffer.from(heart);
  const texts: [string, string][] = [
    ["text", heart],
    ["a part of a URL", encodeURIComponent(heart)],
    ["hexadecimal", bytes.toString("hex")],
    ["upper-case hexadecimal", bytes.toString("hex").toUpperCase()],
  ];
  for (const coding of ["base64", "base64url"] as const) {
    for (const before of [0, 1, 2]) {
      const text = Buffer.concat([Buffer.alloc(before), bytes])
        .toString(coding)
        .replaceAll("=", "");
      // Without the characters that also hold bits of what is before or behind.
      const whole = text.slice([0, 2, 3][before], (before + bytes.length) % 3 === 0 ? undefined : -1);
      texts.push([`${coding} behind ${before}`, whole]);
    }
  }
  const forms = texts.map(([name, text]): [string, Buffer] => [name, Buffer.from(text)]);
  forms.push(["UTF-16", Buffer.from(heart, "utf16le")]);
  if (/^([0-9a-f]{2})+$/.test(heart)) forms.push(["bytes", Buffer.from(heart, "hex")]);
  return forms;
}

/** Every file of a directory, whole. */
async function filesOf(directory: string): Promise<[name: string, bytes: Buffer][]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.map(async (name): Promise<[string, Buffer]> => [name, await readFile(name)]));
}

/** Where which secret is found, and how. */
function findings(places: readonly (readonly [name: string, bytes: Buffer])[], secrets: Secrets): string[] {
  return [...secrets].flatMap(([whose, secret]) =>
    formsOf(secret).flatMap(([form, bytes]) =>
      places.filter(([, all]) => all.includes(bytes)).map(([place]) => `${whose} in ${place} as ${form}`),
    ),
  );
}

interface Provisioned {
  readonly data: { readonly api_key: string; readonly drive_id: string; readonly claim_url: string };
}

/** Uses every kind of secret; all of them, but for the setup link's, which the server prints. */
async function useSecrets(server: Server): Promise<Secrets> {
  const secrets: Secrets = new Map([["the provider's secret", CLIENT.secret]]);
  const keep = (whose: string, secret: string | null | undefined): string => {
    expect([whose, secret ?? ""]).toEqual([whose, expect.stringMatching(/.{12}/)]);
    secrets.set(whose, secret ?? "");
    return secret ?? "";
  };
  const anyone = server.client();
  const [link = ""] = (await server.stderr.until(/http:\/\/\S+\/auth\/setup\?token=\S+(?=\s)/)) ?? [];
  const token = new URL(link).searchParams.get("token") ?? "";
  const password = keep("Ada's password", "correct horse battery staple");
  const setUp = await anyone.send("POST", "/auth/setup", { body: { token, username: "ada", password } });
  const session = keep("Ada's session", sessionIn(setUp));
  const asAda = { headers: { cookie: `coffer_session=${session}`, origin: server.url } };
  const changed = keep("Ada's next password", "another battery of horses");
  await anyone.json(200, "POST", "/v0/account/password", {
    ...asAda,
    body: { current: password, password: changed },
  });

  const shell = keep("Bob's password", "a password for Bob alone");
  const env = { COFFER_DATA_DIR: server.dataDir };
  expect((await run(["user", "create", "bob", "--password-stdin"], { env, input: shell })).code).toBe(0);
  keep("Bob's key", (await run(["key", "create", "bob"], { env })).stdout.trim());

  const idempotency = { "idempotency-key": keep("an Idempotency-Key", crypto.randomUUID()) };
  const provision = async (headers: Record<string, string> = {}) => {
    const body = { name: "Secret" };
    return (await anyone.json<Provisioned>(201, "POST", "/v0/drives/provision", { body, headers })).data;
  };
  const [claimed, unclaimed] = [await provision(idempotency), await provision()];
  keep("an agent's key", claimed.api_key);
  keep("another agent's key", unclaimed.api_key);
  keep("an unused claim", unclaimed.claim_url.split("/").at(-1));
  const claim = keep("a used claim", claimed.claim_url.split("/").at(-1));
  await anyone.json(200, "POST", "/v0/drives/claim", { ...asAda, body: { token: claim } });

  const agent = server.client(claimed.api_key);
  const file = await agent.put(claimed.drive_id, "found.txt", "found by this test");
  for (const once of [true, false]) {
    const body = { one_time: once };
    const made = await agent.post<{ token: string }>(`/v0/files/${file.id}/presigned-url`, body, 200);
    keep(once ? "a link that is used once" : "a link", made.token);
    expect((await anyone.send("GET", `/v0/presigned/${made.token}`)).status).toBe(200);
  }
  const locked = keep("a shared link's password", "the password of a link");
  const folder = { drive_id: claimed.drive_id, path: "/", password: locked };
  const share = keep("a shared link", (await agent.post<{ token: string }>("/v0/links", folder)).token);
  for (const [given, status] of [
    [`${locked}, wrong`, 401],
    [locked, 200],
  ] as const) {
    const body = { password: given };
    expect(await anyone.status("POST", `/v0/shared/${share}/unlock`, { body })).toBe(status);
  }
  await anyone.send("GET", `/s/${share}`, { headers: { accept: "text/html" } });
  const key = { "idempotency-key": keep("Ada's Idempotency-Key", crypto.randomUUID()) };
  for (const _ of ["first", "repeated"]) {
    const headers = { ...asAda.headers, ...key };
    const made = await anyone.json<{ key: string }>(201, "POST", "/v0/keys", { body: {}, headers });
    keep("Ada's key", made.key);
  }

  const consent = { "idempotency-key": keep("a consent's Idempotency-Key", crypto.randomUUID()) };
  const app = await OAuthTestClient.register(server);
  const person = {
    send: (method: string, path: string, options: RequestOptions = {}) =>
      anyone.send(method, path, { ...options, headers: { ...asAda.headers, ...consent } }),
  };
  const code = keep("an application's code", await app.code(person));
  const first = tokensIn(await app.exchange(code));
  const next = tokensIn(await app.refresh(first.refresh_token));
  for (const [which, tokens] of Object.entries({ first, next })) {
    keep(`the ${which} access token`, tokens.access_token);
    keep(`the ${which} refresh token`, tokens.refresh_token);
  }
  keep("the code verifier", app.pkce.verifier);
  keep("a request that nobody decided", await app.begin());

  const jar = new CookieJar();
  const base = `http://localhost:${server.port}`;
  const back = await signInThere(jar, `${base}/auth/oidc/start`, "sub-nameless");
  keep("the provider's code", back.searchParams.get("code"));
  keep("the state", back.searchParams.get("state"));
  for (const cookie of jar.header(back).split("; "))
    keep(`the cookie ${cookie.split("=")[0]}`, cookie.split("=")[1]);
  expect((await jar.fetch(back)).status).toBe(303);
  keep("a session by the provider", jar.value("coffer_session"));
  return secrets;
}

/** A form, as OAuth clients send it. */
function formOf(fields: Record<string, string>): RequestOptions {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  return { body: new URLSearchParams(fields).toString(), headers };
}

/** A call of an MCP tool with these arguments. */
function callWith(args: Record<string, string>): RequestOptions {
  const params = { name: "list_drives", arguments: args };
  return { body: { jsonrpc: "2.0", id: 1, method: "tools/call", params } };
}

/** Sends each secret to where it ends up by mistake; the answers. */
async function slip(server: Server, secrets: Secrets): Promise<Answer[]> {
  const anyone = server.client();
  const asBob = { authorization: `Bearer ${secrets.get("Bob's key")}` };
  const slips = [...secrets.values()].flatMap((secret): [string, string, RequestOptions?][] => {
    const text = encodeURIComponent(secret);
    return [
      ["GET", `/v0/drives?api_key=${text}`],
      ["GET", `/v0/files/${text}`],
      ["GET", `/v0/presigned/${text}x`],
      ["GET", `/v0/drives/claim/${text}x`],
      ["GET", `/v0/shared/${text}x`],
      ["GET", `/claim/${text}`],
      ["GET", `/${text}`, { headers: { accept: "text/html" } }],
      ["GET", `/auth/setup/check?token=${text}`],
      ["GET", `/auth/oidc/callback?code=${text}&state=${text}`],
      ["GET", `/v0/oauth/requests/${text}`],
      ["GET", `/oauth/authorize?client_id=${text}&redirect_uri=${text}&state=${text}`],
      ["POST", "/oauth/token", formOf({ grant_type: "authorization_code", code: secret, client_id: secret })],
      ["POST", "/oauth/token", formOf({ grant_type: secret, client_id: "x", refresh_token: secret })],
      ["POST", "/oauth/register", { body: { redirect_uris: [secret], client_name: secret } }],
      ["GET", "/v0/drives", { headers: { authorization: `Bearer ${secret}x` } }],
      ["GET", "/v0/drives", { headers: { authorization: secret } }],
      ["GET", `/v0/${text}`, { headers: asBob }],
      ["POST", "/v0/folders", { body: `{"token":"${secret}"`, headers: asBob }],
      ["POST", "/v0/drives/claim", { body: { token: secret }, headers: asBob }],
      ["DELETE", `/v0/keys/${text}`, { headers: asBob }],
      ["GET", "/v0/drives", { headers: { authorization: `Basic ${btoa(`x:${secret}`)}` } }],
      ["GET", "/v0/drives", { headers: { cookie: `coffer_session=${secret}x` } }],
      ["POST", "/auth/login", { body: `{"username":"ada","password":"${secret}"` }],
      ["POST", "/auth/setup", { body: { token: secret, username: "ada", password: secret } }],
      ["POST", "/mcp", callWith({ api_key: secret })],
      ["POST", "/mcp", callWith({ [secret]: secret })],
      ["POST", "/v0/drives/provision", { body: { name: [secret] } }],
      ["POST", "/v0/drives/provision", { body: {}, headers: { "idempotency-key": `${secret} x` } }],
    ];
  });
  // Each costs the server a hash.
  const password = secrets.get("Ada's password") ?? "";
  slips.push(["POST", "/auth/login", { body: { username: password, password } }]);
  const answers: Answer[] = [];
  for (const [method, path, options] of slips) answers.push(await anyone.send(method, path, options));
  return answers;
}

test("no secret is in the log, in an error or in any file, in whatever form", async () => {
  await using provider = await startRealProvider();
  await using server = await serve({ env: providerSettings(provider) });
  const { dataDir } = server;
  provider.open(`http://localhost:${server.port}/auth/oidc/callback`);
  const secrets = await useSecrets(server);
  const refusals = (await slip(server, secrets)).filter(({ status }) => status >= 400);
  expect(refusals.length).toBeGreaterThan(secrets.size * 10);
  const errors = Buffer.from(
    refusals.map(({ text, headers }) => text + JSON.stringify([...headers])).join("\n"),
  );
  const output = () => Buffer.from(server.stdout.text + server.stderr.text);
  expect(
    findings([["errors", errors], ["the output", output()], ...(await filesOf(dataDir))], secrets),
  ).toEqual([]);
  // What is stored in the open is found.
  const control = new Map([["a text", "found by this test"]]);
  expect(findings(await filesOf(dataDir), control)).toContainEqual(expect.stringMatching(/coffer\.db/));
  expect(await server.stop()).toBe(0);
  expect(findings([["the output", output()], ...(await filesOf(dataDir))], secrets)).toEqual([]);
});
