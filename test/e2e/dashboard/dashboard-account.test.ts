import { afterAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { accessibilityProblems } from "../../support/browser/axe.ts";
import { borrowBrowser, newWindow, onlyPageOf, signInAt } from "../../support/browser/browser.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { addAccount } from "../../support/server/accounts.ts";
import { provision, serve, type Server, signUp } from "../../support/server/executable.ts";
import { providerSettings, startRealProvider } from "../../support/peers/real-provider.ts";
import { longTest } from "../../support/server/thorough.ts";

const closing = new AsyncDisposableStack();
afterAll(() => closing.disposeAsync());
const { browser } = closing.use(await borrowBrowser());

/** A server, where it is reached by name. */
async function open(env: Record<string, string>) {
  const server = closing.use(await serve({ env }));
  return { server, baseURL: `http://localhost:${server.port}` };
}

/** A server where anybody registers, with Ada, its administrator, and others. */
const shared = await open({ COFFER_SIGNUPS: "open", COFFER_STORAGE_LIMITS: "free=1MB" });
for (const name of ["ada", "bob", "carol"])
  addAccount({ dataDir: shared.server.dataDir, clock: systemClock }, name);

/** The page of a visitor with cookies of their own, whose window is closed at the end of its scope. */
async function newVisitor({ baseURL } = shared): Promise<Page & AsyncDisposable> {
  return onlyPageOf(await newWindow(browser, { baseURL }));
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

/** A drive of an agent's with a file in it; the path of its claim page. */
async function unclaimed(server: Server, name: string): Promise<string> {
  const { client, drive, claim } = await provision(server, name);
  await client.put(drive, "notes.txt", "Hello World!");
  return `/claim/${claim}`;
}

const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });
const shows = (page: Page, language: string) => page.locator(`html[lang=${language}]`).waitFor();

test("the setup link makes an administrator's account, and says why where it cannot", async () => {
  const empty = await open({});
  await using page = await newVisitor(empty);
  const link = await setupLink(empty.server);
  await page.goto("/");
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
  await page.getByRole("link", { name: "Users" }).click();
  await page.getByText("You're the only user.").waitFor();
  await page.goto(link);
  await heading(page, "This link was already used").waitFor();
});

longTest("beside a provider the setup link works, and others claim a drive through it", async () => {
  const provider = closing.use(await startRealProvider());
  const beside = await open(providerSettings(provider));
  const { server, baseURL } = beside;
  provider.open(`${baseURL}/auth/oidc/callback`);
  await using page = await newVisitor(beside);
  const link = await setupLink(server);
  await page.goto("/");
  await page.getByText("This server has no administrator yet").waitFor();
  await page.getByRole("link", { name: /^Sign in with / }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.goto(link);
  await createAccount(page, "grace");
  await page.getByRole("link", { name: "Users" }).click();
  await heading(page, "Users").waitFor();
  await page.context().clearCookies();
  await page.goto("/");
  await page.getByText("Use a password instead").click();
  expect(await page.getByText("This server has no administrator yet").count()).toBe(0);
  await signInAt(page, "grace");
  await heading(page, "Drives").waitFor();
  await page.context().clearCookies();

  const path = await unclaimed(server, "Research Notes");
  await page.goto(path);
  await heading(page, "Research Notes").waitFor();
  await page.getByText("1 file, 12 bytes").waitFor();
  await page.getByText("in 30 days").waitFor();
  const into = page.getByRole("link", { name: `Sign in with ${new URL(provider.issuer).host}` });
  await into.waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await into.click();
  await page.getByRole("link", { name: "Cancel" }).click();
  // Back with the token, and with nothing else in the address.
  await page.waitForURL(path);
  const told = page.getByRole("alert");
  expect(await told.innerText()).toMatch(/^Sign-in was cancelled[^]*Request [0-9a-f-]{36}$/);
  expect(await accessibilityProblems(page)).toEqual([]);
  await into.click();
  await page.locator('input[name="login"]').fill("sub-ada");
  await page.locator('input[name="password"]').fill("anything");
  await page.locator('button[type="submit"]').click();
  await page.getByRole("button", { name: "Continue" }).click();
  // The token has come along.
  await page.waitForURL(path);
  await page.getByRole("button", { name: "Claim this drive" }).waitFor();
  expect(await told.count()).toBe(0);
  // The focus is where they go on.
  await page.keyboard.press("Enter");
  await heading(page, "Research Notes is now yours").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.waitForURL("/drives/ada/research-notes/");
  await page.goto(path);
  await heading(page, "This drive was already claimed").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  // There is no password to change.
  await page.goto("/account");
  await heading(page, "Ada Lovelace").waitFor();
  await heading(page, "Active sessions").waitFor();
  expect(await heading(page, "Password").count()).toBe(0);
});

longTest(
  "how a sign-in at the provider came to nothing is told once, wherever one comes back to",
  async () => {
    await using page = await newVisitor();
    const told = page.getByRole("alert");
    for (const [query, words, rest] of [
      ["sign_in=expired&request=one", /took too long[^]*Request one$/, ""],
      ["q=tea&sign_in=failed&request=one", /Sign-in failed[^]*Request one$/, "?q=tea"],
    ] as const) {
      await page.goto(`/search?${query}`);
      await told.waitFor();
      expect(await told.innerText()).toMatch(words);
      expect(page.url()).toBe(`${shared.baseURL}/search${rest}`);
      expect(await page.title()).toBe("Sign in · Coffer");
    }
    await page.goto("/search?sign_in=<b>Call</b>&request=Call");
    await heading(page, "Sign in").waitFor();
    await page.getByLabel("Username").waitFor();
    expect(await told.count()).toBe(0);
    // Whoever gets in another way is not told again when they leave.
    await page.goto("/account?sign_in=failed&request=one");
    await signInAt(page, "ada");
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await heading(page, "Sign in").waitFor();
    await page.getByLabel("Username").waitFor();
    expect(await told.count()).toBe(0);
  },
);

test("a claim with a password, by somebody else than was signed in; links that are none are explained", async () => {
  await using page = await newVisitor();
  const path = await unclaimed(shared.server, "For Bob");
  await page.goto(path);
  await signInAt(page, "ada");
  await page.getByRole("button", { name: "Use another account" }).click();
  await signInAt(page, "bob", "wrong");
  expect(await page.getByRole("alert").innerText()).toContain("The username or the password is wrong.");
  await signInAt(page, "bob");
  await page.getByRole("button", { name: "Claim this drive" }).click();
  await page.getByRole("button", { name: "Connect another agent" }).click();
  await page.waitForURL("/drives/bob/for-bob/");
  await page.getByRole("button", { name: "Create key" }).waitFor();
  expect(await page.getByLabel("Access").innerText()).toStartWith("Only For Bob (bob/for-bob)");
  // Only administrators are told which addresses the server has.
  await page.getByText("For others, open this page at an address that leads here from there.").waitFor();
  await page.goBack();
  expect(page.url()).not.toContain("clm_");
  await page.goto("/claim/clm_none");
  await heading(page, "This link is not valid").waitFor();
  const late = await unclaimed(shared.server, "Late");
  // As if 30 days had passed.
  changeDatabase(shared.server.dataDir, "UPDATE claim_token SET expires_at = 1 WHERE used_at IS NULL");
  await page.goto(late);
  await heading(page, "This drive has expired").waitFor();
});

test("where registering is open, somebody new makes an account on the way to their claim", async () => {
  await using page = await newVisitor();
  await page.goto(await unclaimed(shared.server, "Mine"));
  await page.getByRole("button", { name: "Create an account" }).click();
  await createAccount(page, "carl");
  await page.getByRole("button", { name: "Claim this drive" }).click();
  await page.getByRole("button", { name: "Open the drive" }).click();
  await page.waitForURL("/drives/carl/mine/");
  // Only administrators manage users.
  await page.goto("/users");
  await heading(page, "Admins only").waitFor();
  expect(await page.getByRole("link", { name: "Users" }).count()).toBe(0);
});

test("the account page shows what is used, signs out elsewhere, changes the password", async () => {
  await using page = await newVisitor();
  await using there = await newVisitor();
  for (const each of [page, there]) {
    await each.goto("/account");
    await signInAt(each, "carol");
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
  await signInAt(there, "carol");
  await heading(there, "This month").waitFor();

  const fillPasswords = async (current: string, next: string, again = next) => {
    await page.getByLabel("Current password").fill(current);
    await page.getByLabel("New password", { exact: false }).first().fill(next);
    await page.getByLabel("Confirm new password").fill(again);
    await page.getByRole("button", { name: "Change password" }).click();
  };
  await fillPasswords("carol's password", "a new password", "another one");
  await page.getByText("The new passwords don't match").waitFor();
  await fillPasswords("wrong", "a new password");
  await page.getByText("The current password is wrong.").waitFor();
  await fillPasswords("carol's password", "a new password");
  await page.getByText("Password changed.").waitFor();
  await there.reload();
  await signInAt(there, "carol", "a new password");
  await heading(there, "This month").waitFor();

  await page.getByRole("button", { name: "Sign out everywhere" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
  await heading(page, "Sign in").waitFor();
  // Elsewhere it shows with whatever is done next, and one goes on where one was.
  await there.getByRole("link", { name: "Keys" }).click();
  await heading(there, "Sign in again").waitFor();
  await signInAt(there, "carol", "a new password");
  await heading(there, "Keys").waitFor();
  expect(await there.title()).toBe("Keys · Coffer");
  await there.getByRole("link", { name: "carol" }).click();
  await there.getByRole("button", { name: "Sign out", exact: true }).click();
  await heading(there, "Sign in").waitFor();
});

longTest("what each key did on each day, and what takes the storage, is drawn, told and listed", async () => {
  await using page = await newVisitor();
  const erin = await signUp(shared.server, "erin");
  const agent = shared.server.client((await erin.client.makeKey({ name: "Night shift" })).key);
  const { id: drive } = await agent.makeDrive("Photos");
  await agent.put(drive, "a.png", "x".repeat(3000));
  await agent.put(drive, "a.md", "x".repeat(1000));
  await agent.send("GET", "/v0/files/none");
  await page.goto("/account");
  await signInAt(page, "erin");
  const legend = page.getByRole("table").first();
  const rowOf = (name: string) => legend.getByRole("row", { name });
  await rowOf("Night shift").waitFor();
  expect(await rowOf("Night shift").getByRole("cell").allInnerTexts()).toEqual(["4", "4"]);
  // The one who looks is counted too.
  await rowOf("Dashboard").waitFor();
  await page.getByLabel("Show").selectOption("Refused requests");
  expect(await rowOf("Night shift").getByRole("cell").allInnerTexts()).toEqual(["1", "1"]);
  await page.getByLabel("Show").selectOption("Uploaded");
  await page.getByLabel("Period").selectOption("Last 7 days");
  const day = page.locator("input[max='6']").and(page.getByRole("slider", { name: "Day" }));
  await day.focus();
  await page.keyboard.press("Home");
  await page.locator(".day-legend", { hasText: "0 bytes" }).waitFor();
  expect(await rowOf("Night shift").getByRole("cell").allInnerTexts()).toEqual(["0 bytes", "3.9 KiB"]);
  const box = await day.boundingBox();
  await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 3, (box?.y ?? 0) + 9);
  await page.locator(".day-legend td", { hasText: "3.9 KiB" }).nth(1).waitFor();
  expect(await day.getAttribute("aria-valuetext")).toMatch(/^\w+ \d+: 3.9 KiB$/);
  await page.getByText("Show as table").click();
  const all = page.getByRole("region", { name: "Values by day" }).getByRole("row");
  expect(await all.count()).toBe(1 + 7);
  expect(await all.nth(1).getByRole("cell").allInnerTexts()).toEqual(["3.9 KiB", "3.9 KiB"]);
  const shares = page.getByRole("listitem");
  expect(
    await shares
      .filter({ hasText: "KiB" })
      .or(shares.filter({ hasText: "bytes" }))
      .allInnerTexts(),
  ).toEqual(["Photos\n3.9 KiB", "Pictures\n2.9 KiB", "Texts and documents\n1000 bytes"]);
  await using admin = await newVisitor();
  await admin.goto("/server");
  await signInAt(admin, "ada");
  await admin.getByRole("table").getByRole("row", { name: "erin" }).waitFor();
});

longTest(
  "light or dark is chosen for a browser, and stays so until the device is to decide again",
  async () => {
    await using page = await newVisitor();
    await page.emulateMedia({ colorScheme: "light" });
    const isDark = () => page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches");
    const canvas = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    await page.goto("/account");
    await signInAt(page, "ada");
    await heading(page, "Appearance").waitFor();
    const light = await canvas();
    /** What the browser has around the page. */
    const around = () =>
      page.evaluate<string[]>(`Array.from(document.querySelectorAll("meta[name=theme-color]"))
      .filter(({ media }) => matchMedia(media).matches).map(({ content }) => content)`);
    expect(await around()).toEqual(["#ffffff"]);
    await page.getByRole("radio", { name: "Dark" }).check();
    expect(await around()).toEqual(["#171b22"]);
    const dark = await canvas();
    expect([await isDark(), dark === light]).toEqual([false, false]);
    await page.goto("/drives");
    await heading(page, "Drives").waitFor();
    expect(await canvas()).toBe(dark);
    await page.goto("/account");
    await page.getByRole("radio", { name: "System" }).check();
    expect(await canvas()).toBe(light);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await canvas()).toBe(dark);
    expect(await around()).toEqual(["#171b22"]);
  },
);

test("the language that a user chooses is shown at once, in all their browsers and before they sign in", async () => {
  await using page = await newVisitor();
  await using there = await newVisitor();
  await page.goto("/account");
  await signInAt(page, "bob");
  const choice = page.getByRole("combobox", { name: "Language" });
  expect(await choice.inputValue()).toBe("");
  await choice.selectOption("Deutsch");
  await shows(page, "de");
  // The day on which Bob joined.
  await page
    .getByText(/\d\d\.\d\d\.\d{4}/)
    .first()
    .waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);

  await there.goto("/account");
  await shows(there, "en");
  await signInAt(there, "bob");
  await shows(there, "de");
  await page.context().clearCookies();
  await page.reload();
  await page.locator("input[type=password]").waitFor();
  await shows(page, "de");

  await there.locator("select[aria-labelledby=language]").selectOption("");
  await shows(there, "en");
  await there.reload();
  await heading(there, "Language").waitFor();
  await shows(there, "en");
});

test("the browser can install it", async () => {
  await using page = await newVisitor();
  await page.goto("/drives");
  const devtools = await page.context().newCDPSession(page);
  expect(await devtools.send("Page.getAppManifest")).toMatchObject({
    errors: [],
    manifest: { name: "Coffer" },
  });
  expect(await devtools.send("Page.getInstallabilityErrors")).toEqual({ installabilityErrors: [] });
});

/** Chooses an action from the menu of a user. */
async function choose(page: Page, username: string, action: string): Promise<void> {
  await page.getByRole("button", { name: `Actions for ${username}` }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

test("an administrator adds a user, changes their plan, and shuts them out and in", async () => {
  await using page = await newVisitor();
  await using other = await newVisitor();
  await page.goto("/users");
  await signInAt(page, "ada");
  await page.getByRole("button", { name: "Add user" }).click();
  await page.getByLabel("Username").fill("dora");
  const password = await page.getByLabel("Temporary password").inputValue();
  expect(password).toMatch(/^(\w{5}-){3}\w{5}$/);
  await page.getByRole("button", { name: "Create account" }).click();
  await heading(page, "Share sign-in details").waitFor();
  expect(await page.getByRole("dialog").innerText()).toContain(password);
  await page.getByRole("button", { name: "Done" }).click();
  await heading(page, "dora").waitFor();

  await other.goto("/account");
  await signInAt(other, "dora", password);
  await other.getByText("Plan free").waitFor();
  await page.getByLabel("Plan of dora").selectOption("pro");
  await page.getByText("dora is now on the pro plan.").waitFor();
  await other.reload();
  await other.getByText("Plan pro").waitFor();

  await page.getByRole("button", { name: "Actions for ada" }).click();
  expect(await page.getByRole("menuitem").allInnerTexts()).toEqual(["Audit log", "Take administration away"]);
  await page.keyboard.press("Escape");
  await choose(page, "dora", "Disable");
  await page.getByRole("button", { name: "Disable", exact: true }).click();
  await page.getByText("Disabled", { exact: true }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await other.reload();
  await signInAt(other, "dora", password);
  await other.getByRole("alert").waitFor();
  await choose(page, "dora", "Enable");
  await page.getByText("dora can sign in again.").waitFor();
  await signInAt(other, "dora", password);
  await heading(other, "This month").waitFor();
});

longTest(
  "an administrator resets a password, gives and takes administration, and deletes a user",
  async () => {
    addAccount({ dataDir: shared.server.dataDir, clock: systemClock }, "frank");
    await using page = await newVisitor();
    await using other = await newVisitor();
    await page.goto("/users");
    await signInAt(page, "ada");
    await other.goto("/account");
    await signInAt(other, "frank");
    await heading(other, "This month").waitFor();

    await choose(page, "frank", "Reset password");
    const temporary = await page.getByLabel("Temporary password").inputValue();
    await page.getByRole("button", { name: "Reset password" }).click();
    await heading(page, "Share sign-in details").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await other.reload();
    await signInAt(other, "frank", temporary);
    await heading(other, "This month").waitFor();

    await choose(page, "frank", "Make administrator");
    await page.getByRole("button", { name: "Make administrator" }).click();
    await page.getByText("frank is an administrator now.").waitFor();
    await choose(page, "frank", "Take administration away");
    await page.getByRole("button", { name: "Take away" }).click();
    await page.getByText("frank is no longer an administrator.").waitFor();

    await choose(page, "frank", "Delete");
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Delete user" }).click();
    await page.getByText("frank is deleted.").waitFor();
    await heading(page, "frank").waitFor({ state: "detached" });
  },
);
