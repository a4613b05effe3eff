import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { accessibilityProblems } from "../../support/browser/axe.ts";
import { borrowBrowser, newWindow, onlyPageOf, signInAt } from "../../support/browser/browser.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { addAccount } from "../../support/server/accounts.ts";
import { provision, serve, type Server } from "../../support/server/executable.ts";
import { providerSettings, type RealProvider, startRealProvider } from "../../support/peers/real-provider.ts";
import { isThorough } from "../../support/server/thorough.ts";

// Most have a server of their own, with its own settings and users.

const closing = new AsyncDisposableStack();
let browser: Browser;
/** A server with Ada's account, of those that change nothing of that. */
let ordinary: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  ({ browser } = closing.use(await borrowBrowser()));
  ordinary = closing.use(await open());
});
afterAll(() => closing.disposeAsync());

/** The page of a visitor with cookies of their own, whose window is closed at the end of its scope. */
async function newVisitor(): Promise<Page & AsyncDisposable> {
  return onlyPageOf(await newWindow(browser));
}

/** A server, where it is reached by name, and with Ada, its administrator, unless it is to have none. */
async function open(env: Record<string, string> = {}, users: readonly string[] = ["ada"]) {
  const server = await serve({ env });
  for (const name of users) addAccount({ dataDir: server.dataDir, clock: systemClock }, name);
  const base = `http://localhost:${server.port}`;
  return { server, base, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** A server without accounts that signs people in with a provider. */
async function openBeside(provider: RealProvider) {
  const opened = await open(providerSettings(provider), []);
  provider.open(`${opened.base}/auth/oidc/callback`);
  return opened;
}

/** The link that makes the first account. It is printed beside the log, which may be read sooner. */
async function setupLink({ stderr }: Server): Promise<string> {
  return (await stderr.until(/http:\/\/\S+\/auth\/setup\?token=\S+(?=\s)/))?.[0] ?? "";
}

async function createAccount(page: Page, username: string, password = `${username}'s password`) {
  await page.getByLabel("Username").fill(username);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole("button", { name: "Create account", exact: true }).click();
}

/** Signs in on the provider's own page. */
async function signInThere(page: Page): Promise<void> {
  await page.locator('input[name="login"]').fill("sub-ada");
  await page.locator('input[name="password"]').fill("anything");
  await page.locator('button[type="submit"]').click();
}

/** A drive of an agent's with a file in it; the path of its claim page. */
async function unclaimed(server: Server, name: string): Promise<string> {
  const { client, drive, claim } = await provision(server, name);
  await client.put(drive, "notes.txt", "Hello World!");
  return `/claim/${claim}`;
}

const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });

test("the setup link makes an administrator's account, and says why where it cannot", async () => {
  await using opened = await open({}, []);
  await using page = await newVisitor();
  const link = await setupLink(opened.server);
  await page.goto(`${opened.base}/`);
  await page.getByText("This server has no administrator yet").waitFor();
  await page.goto(`${link}x`);
  await heading(page, "This setup link is not valid").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.goto(link);
  await createAccount(page, "ada", "short");
  expect(await page.getByRole("alert").innerText()).toMatch(/The password must have 8[^]*Request /);
  expect(await accessibilityProblems(page)).toEqual([]);
  await createAccount(page, "ada");
  await heading(page, "Drives").waitFor();
  expect(new URL(page.url()).pathname).toBe("/drives");
  await page.goto(link);
  await heading(page, "This link was already used").waitFor();
});

test("beside a provider the setup link makes an administrator, who signs in with a password", async () => {
  await using provider = await startRealProvider();
  await using opened = await openBeside(provider);
  await using page = await newVisitor();
  const link = await setupLink(opened.server);
  await page.goto(`${opened.base}/`);
  await page.getByText("This server has no administrator yet").waitFor();
  await page.getByRole("link", { name: /^Sign in with / }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.goto(link);
  await createAccount(page, "ada");
  await heading(page, "Drives").waitFor();
  await page.goto(`${opened.base}/users`);
  await heading(page, "Users").waitFor();
  await page.context().clearCookies();
  await page.goto(`${opened.base}/`);
  await page.getByText("Use a password instead").click();
  expect(await page.getByText("This server has no administrator yet").count()).toBe(0);
  await signInAt(page, "ada");
  await heading(page, "Drives").waitFor();
});

test("a signed-out person claims a drive through the provider", async () => {
  await using provider = await startRealProvider();
  await using opened = await openBeside(provider);
  const path = await unclaimed(opened.server, "Research Notes");
  await using page = await newVisitor();
  await page.goto(opened.base + path);
  await heading(page, "Research Notes").waitFor();
  await page.getByText("1 file, 12 bytes").waitFor();
  await page.getByText("in 30 days").waitFor();
  const into = page.getByRole("link", { name: `Sign in with ${new URL(provider.issuer).host}` });
  await into.waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await into.click();
  await page.getByRole("link", { name: "Cancel" }).click();
  // Back with the token, and with nothing else in the address.
  await page.waitForURL(opened.base + path);
  const told = page.getByRole("alert");
  expect(await told.innerText()).toMatch(/^Sign-in was cancelled[^]*Request [0-9a-f-]{36}$/);
  expect(await accessibilityProblems(page)).toEqual([]);
  await into.click();
  await signInThere(page);
  await page.getByRole("button", { name: "Continue" }).click();
  // The token has come along.
  await page.waitForURL(opened.base + path);
  const claim = page.getByRole("button", { name: "Claim this drive" });
  await claim.waitFor();
  expect(await told.count()).toBe(0);
  // The focus is where they go on.
  await page.keyboard.press("Enter");
  await page.waitForURL(`${opened.base}/drives/ada/research-notes/`);
  await page.getByText("Research Notes is now yours.").waitFor();
  await page.goto(opened.base + path);
  await heading(page, "This drive was already claimed").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  // There is no password to change.
  await page.goto(`${opened.base}/account`);
  await heading(page, "Ada Lovelace").waitFor();
  await heading(page, "Active sessions").waitFor();
  expect(await heading(page, "Password").count()).toBe(0);
});

if (isThorough()) {
  test("two tabs that are both on the provider's page both end where they were to, signed in", async () => {
    await using provider = await startRealProvider();
    await using opened = await openBeside(provider);
    await using first = await newVisitor();
    const second = await first.context().newPage();
    const tabs = [
      { page: first, path: await unclaimed(opened.server, "One") },
      { page: second, path: await unclaimed(opened.server, "Two") },
    ];
    for (const { page, path } of tabs) {
      await page.goto(opened.base + path);
      await page.getByRole("link", { name: /^Sign in with / }).click();
      await page.locator('input[name="login"]').waitFor();
    }
    for (const { page, path } of tabs) {
      await signInThere(page);
      // The provider asks only once for consent.
      if (page === first) await page.getByRole("button", { name: "Continue" }).click();
      await page.waitForURL(opened.base + path);
      await page.getByRole("button", { name: "Claim this drive" }).waitFor();
    }
  });
}

test("how a sign-in at the provider came to nothing is told once, wherever one comes back to", async () => {
  await using page = await newVisitor();
  const told = page.getByRole("alert");
  for (const [query, words, rest] of [
    ["sign_in=expired&request=one", /took too long[^]*Request one$/, ""],
    ["q=tea&sign_in=failed&request=one", /Sign-in failed[^]*Request one$/, "?q=tea"],
  ] as const) {
    await page.goto(`${ordinary.base}/search?${query}`);
    await told.waitFor();
    expect(await told.innerText()).toMatch(words);
    expect(page.url()).toBe(`${ordinary.base}/search${rest}`);
    expect(await page.title()).toBe("Sign in · Coffer");
  }
  await page.goto(`${ordinary.base}/search?sign_in=<b>Call</b>&request=Call`);
  await heading(page, "Sign in").waitFor();
  await page.getByLabel("Username").waitFor();
  expect(await told.count()).toBe(0);
  // Whoever gets in another way is not told again when they leave.
  await page.goto(`${ordinary.base}/account?sign_in=failed&request=one`);
  await signInAt(page, "ada");
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await heading(page, "Sign in").waitFor();
  await page.getByLabel("Username").waitFor();
  expect(await told.count()).toBe(0);
});

test("a claim with a password, by somebody else than was signed in; links that are none are explained", async () => {
  await using opened = await open({}, ["ada", "bob"]);
  await using page = await newVisitor();
  const path = await unclaimed(opened.server, "For Bob");
  await page.goto(opened.base + path);
  await signInAt(page, "ada");
  await page.getByRole("button", { name: "Use another account" }).click();
  await signInAt(page, "bob", "wrong");
  expect(await page.getByRole("alert").innerText()).toContain("The username or the password is wrong.");
  await signInAt(page, "bob");
  await page.getByRole("button", { name: "Claim this drive" }).click();
  await page.waitForURL(`${opened.base}/drives/bob/for-bob/`);
  await page.goBack();
  expect(page.url()).not.toContain("clm_");
  await page.goto(`${opened.base}/claim/clm_none`);
  await heading(page, "This link is not valid").waitFor();
  const late = await unclaimed(opened.server, "Late");
  // As if 30 days had passed.
  changeDatabase(opened.server.dataDir, "UPDATE claim_token SET expires_at = 1 WHERE used_at IS NULL");
  await page.goto(opened.base + late);
  await heading(page, "This drive has expired").waitFor();
});

test("where registering is open, somebody new makes an account on the way to their claim", async () => {
  await using opened = await open({ COFFER_SIGNUPS: "open" });
  await using page = await newVisitor();
  await page.goto(opened.base + (await unclaimed(opened.server, "Mine")));
  await page.getByRole("button", { name: "Create an account" }).click();
  await createAccount(page, "carl");
  await page.getByRole("button", { name: "Claim this drive" }).click();
  await page.waitForURL(`${opened.base}/drives/carl/mine/`);
  // Only administrators manage users.
  await page.goto(`${opened.base}/users`);
  await heading(page, "Admins only").waitFor();
  expect(await page.getByRole("link", { name: "Users" }).count()).toBe(0);
});

test("the account page shows what is used, signs out elsewhere, changes the password", async () => {
  await using opened = await open({ COFFER_STORAGE_LIMITS: "team=1MB" });
  await using page = await newVisitor();
  await using there = await newVisitor();
  for (const each of [page, there]) {
    await each.goto(`${opened.base}/account`);
    await signInAt(each, "ada");
    await heading(each, "This month").waitFor();
  }
  await page.reload();
  await page.getByRole("meter", { name: "Storage" }).waitFor();
  await page.getByText("This browser").waitFor();
  const elsewhere = page.getByRole("button", { name: "Sign out of Chrome on Linux" });
  await elsewhere.waitFor();
  await elsewhere.click();
  await elsewhere.waitFor({ state: "detached" });
  expect(await page.locator(":focus").innerText()).toBe("Active sessions");
  await there.reload();
  await signInAt(there, "ada");
  await heading(there, "This month").waitFor();

  const fillPasswords = async (current: string, next: string, again = next) => {
    await page.getByLabel("Current password").fill(current);
    await page.getByLabel("New password", { exact: false }).first().fill(next);
    await page.getByLabel("Confirm new password").fill(again);
    await page.getByRole("button", { name: "Change password" }).click();
  };
  await fillPasswords("ada's password", "a new password", "another one");
  await page.getByText("The new passwords don't match").waitFor();
  await fillPasswords("wrong", "a new password");
  await page.getByText("The current password is wrong.").waitFor();
  await fillPasswords("ada's password", "a new password");
  await page.getByText("Password changed.").waitFor();
  await there.reload();
  await signInAt(there, "ada", "a new password");
  await heading(there, "This month").waitFor();

  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
  await heading(page, "Sign in").waitFor();
  // Elsewhere it shows with whatever is done next, and one goes on where one was.
  await there.getByRole("link", { name: "Keys" }).click();
  await heading(there, "Sign in").waitFor();
  await there.keyboard.type("ada");
  await signInAt(there, "ada", "a new password");
  await heading(there, "Keys").waitFor();
  expect(await there.title()).toBe("Keys · Coffer");
  await there.getByRole("link", { name: "ada" }).click();
  await there.getByRole("button", { name: "Sign out", exact: true }).click();
  await heading(there, "Sign in").waitFor();
});

test("light or dark is chosen for a browser, and stays so until the device is to decide again", async () => {
  await using page = await newVisitor();
  await page.emulateMedia({ colorScheme: "light" });
  const isDark = () => page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches");
  const canvas = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  await page.goto(`${ordinary.base}/account`);
  await signInAt(page, "ada");
  await heading(page, "Appearance").waitFor();
  const light = await canvas();
  await page.getByRole("radio", { name: "Dark" }).check();
  const dark = await canvas();
  expect([await isDark(), dark === light]).toEqual([false, false]);
  await page.goto(`${ordinary.base}/drives`);
  await heading(page, "Drives").waitFor();
  expect(await canvas()).toBe(dark);
  await page.goto(`${ordinary.base}/account`);
  await page.getByRole("radio", { name: "System" }).check();
  expect(await canvas()).toBe(light);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await canvas()).toBe(dark);
});

test("an administrator adds a user, changes their plan, and shuts them out and in", async () => {
  await using page = await newVisitor();
  await using other = await newVisitor();
  await page.goto(`${ordinary.base}/users`);
  await signInAt(page, "ada");
  await page.getByText("You're the only user.").waitFor();
  await page.getByRole("button", { name: "Add user" }).click();
  await page.getByLabel("Username").fill("bob");
  const password = await page.getByLabel("Temporary password").inputValue();
  expect(password).toMatch(/^(\w{5}-){3}\w{5}$/);
  await page.getByRole("button", { name: "Create account" }).click();
  await heading(page, "Share sign-in details").waitFor();
  expect(await page.getByRole("dialog").innerText()).toContain(password);
  await page.getByRole("button", { name: "Done" }).click();
  await heading(page, "bob").waitFor();

  await other.goto(`${ordinary.base}/account`);
  await signInAt(other, "bob", password);
  await other.getByText("Plan free").waitFor();
  await page.getByLabel("Plan of bob").selectOption("pro");
  await page.getByText("bob is now on the pro plan.").waitFor();
  await other.reload();
  await other.getByText("Plan pro").waitFor();

  expect(await page.getByRole("button", { name: "Disable ada" }).count()).toBe(0);
  await page.getByRole("button", { name: "Disable bob" }).click();
  await page.getByRole("button", { name: "Disable", exact: true }).click();
  await page.getByText("Disabled", { exact: true }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await other.reload();
  await signInAt(other, "bob", password);
  await other.getByRole("alert").waitFor();
  await page.getByRole("button", { name: "Enable bob" }).click();
  await page.getByText("bob can sign in again.").waitFor();
  await signInAt(other, "bob", password);
  await heading(other, "This month").waitFor();
});
