import { afterAll, expect, test } from "bun:test";
import { startWithAda } from "../../support/server/accounts.ts";
import type { Client } from "../../support/server/client.ts";
import { beginSession } from "../../support/server/sign-in.ts";

const coffer = await startWithAda();
const { browser } = beginSession(coffer, "ada");
const { secret } = await coffer.appliance.services.apiKeys.createFor("ada", "", "read-write");
const program = coffer.client(secret);
const { id: drive } = await program.makeDrive("Lists");
for (let n = 0; n < 60; n += 1) await program.put(drive, `many/${n}/${n}.txt`, `word ${n} `.repeat(40));
afterAll(() => coffer[Symbol.asyncDispose]());

/** How a list came, and what is in it. */
async function listBy(client: Client, path: string, encoding = "gzip") {
  const { status, headers, text } = await client.send("GET", `${path}drive_id=${drive}&limit=60`, {
    headers: { "accept-encoding": encoding },
  });
  const { data }: { data: object[] } = JSON.parse(text);
  return { status, data, how: headers.get("content-encoding"), vary: headers.get("vary") };
}

test.each(["/v0/files?", "/v0/folders?path=many/&", "/v0/search?q=word&"])(
  "%s is packed for a person's browser that takes gzip, and for nobody else",
  async (path) => {
    const packed = await listBy(browser, path);
    expect(packed).toMatchObject({ status: 200, how: path.includes("folders") ? null : "gzip" });
    expect(packed.vary).toContain("Accept-Encoding");
    expect(packed.data).toHaveLength(60);
    const plain = await listBy(program, path);
    expect(plain).toMatchObject({ how: null, data: packed.data });
    expect(await listBy(browser, path, "identity")).toMatchObject({ how: null, data: packed.data });
  },
);
