import { expect, test } from "bun:test";
import { type Block, type Guide, guideOf, MANUAL_PAGES, README } from "../../support/guides/guides.ts";
import { type ManualShell, openManualShell } from "../../support/guides/manual-shell.ts";
import { provision, serve } from "../../support/server/executable.ts";
import { withReason } from "../../support/server/skip.ts";

/** What no test can run as it stands, and why. */
interface NotRun {
  /** The page, from the root of the project. */
  readonly page: string;
  /** How the line begins. */
  readonly begins: string;
  /** Whether the whole block is left out with it. */
  readonly isBlock?: true;
  readonly why: string;
}

const NEEDS_BUCKET = "there is no such bucket; test/e2e/upkeep has tests with one";
const NEEDS_RELEASE = "it needs a release; the tests of upgrades have one";
const docs = (name: string) => `.github/docs/${name}.md`;

const NOT_RUN: readonly NotRun[] = [
  { page: README, begins: "npm ", isBlock: true, why: "these build and test the project" },
  { page: docs("install"), begins: "npm ", isBlock: true, why: "these build and test the project" },
  {
    page: docs("install"),
    begins: "FROM=",
    isBlock: true,
    why: "it needs a release; test/release/first-use.ts has one, but no Fedora",
  },
  { page: docs("install"), begins: "sudo ", why: "it changes the system" },
  { page: docs("install"), begins: "docker ", isBlock: true, why: "it builds an image from other hosts" },
  { page: docs("agents"), begins: "curl -N ", why: "it follows the changes until somebody ends it" },
  {
    page: docs("operate"),
    begins: 'curl "$COFFER/v0/drives/claim"',
    why: "key and token are to be filled in",
  },
  { page: docs("settings"), begins: "ollama ", isBlock: true, why: "it fetches a model" },
  { page: docs("backup"), begins: "coffer backup s3://", why: NEEDS_BUCKET },
  { page: docs("backup"), begins: "COFFER_BLOBS=s3://", isBlock: true, why: NEEDS_BUCKET },
  { page: docs("storage"), begins: "export S3_ENDPOINT=", isBlock: true, why: NEEDS_BUCKET },
  { page: docs("storage"), begins: "coffer blobs migrate --to s3://", isBlock: true, why: NEEDS_BUCKET },
  {
    page: docs("storage"),
    begins: "COFFER_BLOBS=/mnt/a ",
    isBlock: true,
    why: "it is the way back from a bucket",
  },
  { page: docs("network"), begins: "export COFFER_TLS_ACME=", isBlock: true, why: "it asks Let's Encrypt" },
  {
    page: docs("network"),
    begins: "export COFFER_TLS_ACME_DIRECTORY=",
    isBlock: true,
    why: "there is no such authority",
  },
  { page: docs("network"), begins: "tailscale ", isBlock: true, why: "it needs Tailscale" },
  { page: docs("upgrade"), begins: "export COFFER_UPGRADE_URL=", isBlock: true, why: NEEDS_RELEASE },
  { page: docs("upgrade"), begins: "coffer upgrade --check ||", isBlock: true, why: NEEDS_RELEASE },
  { page: docs("upgrade"), begins: "sudo ", isBlock: true, why: NEEDS_RELEASE },
  { page: docs("upgrade"), begins: "mv /usr/local", isBlock: true, why: NEEDS_RELEASE },
  { page: docs("upgrade"), begins: "minisign ", isBlock: true, why: NEEDS_RELEASE },
  { page: docs("upgrade"), begins: "cd /srv/coffer", isBlock: true, why: "there is no older executable" },
];

/** Whose examples change the same disks: each block begins anew. */
const BEGIN_ANEW = new Set([docs("storage")]);

/** Tests that the commands of these pages work, and that their other examples can be read. */
export function testPages(paths: readonly string[]): void {
  const missing = ["bash", "curl", "openssl"].filter((tool) => Bun.which(tool) === null);
  const reason = missing.length > 0 ? `${missing.join(" and ")} not installed` : "";
  test.skipIf(reason !== "").each(paths)(withReason("the commands of %s work", reason), async (path) => {
    const guide = await guideOf(path);
    const blocks = guide.blocks.filter(({ language }) => language === "sh" || language === "bash");
    await runAll(guide, blocks);
  });

  test.each(paths)("examples of %s can be read", async (path) => {
    const { blocks } = await guideOf(path);
    for (const { language, text } of blocks) {
      if (language === "json") expect(() => JSON.parse(text)).not.toThrow();
      else if (language === "yaml") expect(() => Bun.YAML.parse(text)).not.toThrow();
      // A unit of systemd.
      else if (language === "ini") expect(text.trim()).toMatch(/^(?:(?:\[\w+\]|\w+=.*|#.*|)(?:\n|$))+$/);
      // The last two are taken by what they are for, in a test of their own.
      else expect(["", "sh", "bash", "caddyfile", "nginx"]).toContain(language);
    }
  });

  test("every command that is not run is on one of the pages", async () => {
    const guides = await Promise.all([README, ...MANUAL_PAGES].map(guideOf));
    const unused = NOT_RUN.filter(({ page, begins }) => {
      const blocks = guides.find(({ path }) => path === page)?.blocks ?? [];
      return !blocks.some(({ text }) => lineThatBegins(text, begins));
    });
    expect(unused).toEqual([]);
  });
}

function lineThatBegins(text: string, begins: string): boolean {
  return text.split("\n").some((line) => line.startsWith(begins));
}

/** What of a block is run; empty if nothing is. */
function runnable({ path }: Guide, { text }: Block): string {
  const left = NOT_RUN.filter(({ page, begins }) => page === path && lineThatBegins(text, begins));
  if (left.some(({ isBlock }) => isBlock)) return "";
  const lines = text.split("\n").filter((line) => !left.some(({ begins }) => line.startsWith(begins)));
  return lines.join("\n").trim();
}

async function runAll(guide: Guide, blocks: readonly Block[]): Promise<void> {
  const texts = blocks.map((block) => runnable(guide, block)).filter((text) => text !== "");
  if (texts.length === 0) return;
  // The pages for agents go on where the tour ended.
  const isTour = guide.path === README;
  const asks = texts.some((text) => text.includes("$COFFER"));
  await using server = asks ? await serve() : null;
  const open = async () => {
    const shell = await openManualShell(server ?? undefined);
    if (server === null) await storeSomething(shell);
    return shell;
  };
  if (BEGIN_ANEW.has(guide.path)) {
    for (const text of texts) {
      await using shell = await open();
      await shell.run(text);
    }
    return;
  }
  await using shell = await open();
  if (asks && !isTour) await shell.run(await tour());
  for (const text of texts) expect(await shell.run(text)).not.toContain('"error"');
}

async function tour(): Promise<string> {
  const { blocks } = await guideOf(README);
  return blocks.find(({ language }) => language === "bash")?.text ?? "";
}

/** Leaves a store at the data directory, with a content that is a file of its own, and no server. */
async function storeSomething({ dataDir }: ManualShell): Promise<void> {
  await using server = await serve({ dataDir });
  const { drive, client } = await provision(server);
  const body = new TextEncoder().encode("A line.\n".repeat(10_000));
  await client.json(201, "PUT", `/v0/files?drive_id=${drive}&path=large.txt`, { body });
  await server.stop();
}
