import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import { describe, expect, test } from "bun:test";
import { abilitiesOf } from "../../web/lib/words/abilities.ts";
import { newWindow, signInAt } from "../support/browser/browser.ts";
import { openDashboard } from "../support/browser/dashboard.ts";
import { factsIn } from "../support/peers/mcp.ts";
import { newSigningIn, type SigningIn, waitForBrowser } from "../support/peers/mcp-sign-in.ts";
import { askToBeLetIn } from "../support/peers/oauth.ts";

// Applications that are let in by a person, in a real browser.

const dashboard = await openDashboard();

/** A request of an application of this computer; the path of the page where it is decided. */
function asked(name = "Some app"): Promise<string> {
  return askToBeLetIn(dashboard.server.url, "http://127.0.0.1/callback", name);
}

/** Connects the official client, which signs in when it is refused. */
function transportFor(authProvider: SigningIn): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(`${dashboard.server.url}/mcp`), { authProvider });
}

async function connect(authProvider: SigningIn) {
  const client = new Client({ name: "test", version: "1" });
  const transport = transportFor(authProvider);
  await client.connect(transport);
  return { client, transport, [Symbol.asyncDispose]: () => client.close() };
}

/** The drives that a client reaches, as the tool lists them. */
async function drivesOf(client: Client): Promise<unknown> {
  return factsIn((await client.callTool({ name: "list_drives", arguments: {} })).content);
}

test("the official MCP client, which knows only the address, gets in and stays in", async () => {
  using waiting = waitForBrowser();
  const signingIn = newSigningIn(waiting.redirectUrl);
  {
    // Its first message sends it to sign in.
    const transport = transportFor(signingIn);
    const client = new Client({ name: "test", version: "1" });
    const refused = await client.connect(transport).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UnauthorizedError);

    const context = await newWindow(dashboard.browser);
    const page = await context.newPage();
    await page.goto(signingIn.asked?.href ?? "");
    await page.getByRole("heading", { name: "Sign in to decide" }).waitFor();
    await signInAt(page, "ada");
    await page.getByRole("heading", { name: "Official client" }).waitFor();
    expect(await page.locator("dl").textContent()).toContain("A program on this computer (127.0.0.1:");
    await page.getByLabel("It gets access to").selectOption("Only Files (ada/files)");
    await page.getByLabel("It may").selectOption("Only read");
    await page.getByRole("button", { name: "Allow" }).click();
    const { searchParams } = await waiting.back;
    await page.getByText("You are signed in.").waitFor();
    await context.close();
    expect(searchParams.get("state")).toBe("the client's state");
    await transport.finishAuth(searchParams);
  }
  const before = signingIn.current;
  if (before === undefined) throw new Error("the client has no tokens");
  await using one = await connect(signingIn);
  expect(await drivesOf(one.client)).toMatchObject({ drives: [{ drive: "ada/files" }] });

  // A token that has ended is refused at once, and the client refreshes without a person.
  signingIn.current = { ...before, access_token: "cof_at_ended" };
  await using later = await connect(signingIn);
  expect(await drivesOf(later.client)).toMatchObject({ drives: [{ drive: "ada/files" }] });
  expect(signingIn.current.access_token).not.toBe(before.access_token);

  // To write it must ask the person for more.
  const writing = later.client.callTool({
    name: "write_file",
    arguments: { drive: "ada/files", path: "a", text: "x" },
  });
  expect(await writing.catch((error: unknown) => error)).toBeInstanceOf(UnauthorizedError);
  expect(signingIn.asked?.searchParams.get("scope")).toBe("read write");

  await using keys = await dashboard.open("/keys");
  const row = keys.locator(".keys > li", { hasText: "Official client" });
  expect(await row.textContent()).toContain("App that you let in");
  await row.getByRole("button", { name: /^Revoke/ }).click();
  await keys.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await row.waitFor({ state: "detached" });
  const ended = await drivesOf(later.client).catch((error: unknown) => error);
  expect(ended).toBeInstanceOf(UnauthorizedError);
});

describe("the page", () => {
  test("sends the browser back with a refusal, by keyboard alone", async () => {
    using waiting = waitForBrowser();
    await using page = await dashboard.open(
      await askToBeLetIn(dashboard.server.url, waiting.redirectUrl, "Some app"),
    );
    await page.getByRole("heading", { name: "Some app" }).waitFor();
    const order: string[] = [];
    for (const _ of ["drives", "permission", "allow", "cancel"]) {
      await page.keyboard.press("Tab");
      order.push(await page.evaluate<string>("document.activeElement.textContent.slice(0, 20)"));
    }
    expect(order.slice(2)).toEqual(["Allow", "Cancel"]);
    await page.keyboard.press("Enter");
    expect((await waiting.back).searchParams.get("error")).toBe("access_denied");
  });

  test("shows what is wrong in what an app asks, and says that it is over when it is", async () => {
    await using unsafe = await dashboard.open(
      "/oauth/authorize?client_id=none&redirect_uri=https://evil.example",
    );
    await unsafe.getByRole("heading", { name: "This app is not known here" }).waitFor();
    await using over = await dashboard.open("/oauth/consent?request=none");
    await over.getByRole("heading", { name: "This request is over" }).waitFor();
  });

  test("shows a name that is markup, or that would reverse what follows, as what is read", async () => {
    await using page = await dashboard.open(await asked("<b>Coffer</b> \u202Egnp\u200B.exe"));
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("<b>Coffer</b> gnp.exe");
  });

  test("says what the app will be able to do, as it is chosen, and what it never will", async () => {
    await using page = await dashboard.open(await asked());
    const list = page.getByRole("region", { name: "It will be able to" });
    const shown = () => list.getByRole("listitem").allTextContents();
    await list.waitFor();
    expect(await shown()).toEqual([...abilitiesOf("read-write", "account")]);
    await page.getByLabel("It gets access to").selectOption("Only Files (ada/files)");
    expect(await shown()).toEqual([...abilitiesOf("read-write", "drive")]);
    await page.getByLabel("It may").selectOption("Only read");
    expect(await shown()).toEqual([...abilitiesOf("read-only", "drive")]);
    expect(await list.textContent()).toContain("It cannot make or revoke other keys");
  });
});
