import { expect, test } from "bun:test";
import { join } from "node:path";
import { guideOf, MANUAL_PAGES } from "../../support/guides/guides.ts";
import { openManualShell } from "../../support/guides/manual-shell.ts";
import { withReason } from "../../support/server/skip.ts";
import { testPages } from "./manual-pages.ts";

/** Those of the ordinary run. */
const OTHERS = ["agents", "api", "metrics", "security"].map((name) => `.github/docs/${name}.md`);

testPages(MANUAL_PAGES.filter((path) => !OTHERS.includes(path)));

/** The language of its example, the whole of its configuration, and what looks at that. */
type Proxy = readonly [
  language: string,
  wholeOf: (root: string, example: string) => string,
  command: readonly string[],
];

/** What a server with the example needs around it, to be looked at anywhere: it writes nothing elsewhere. */
function wholeNginx(root: string, example: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${root}/${name};`,
  );
  const http = ["access_log off;", ...temporary, example].join("\n");
  return `pid ${root}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\n${http}\n}\n`;
}

for (const [language, wholeOf, command] of [
  ["nginx", wholeNginx, ["nginx", "-e", "stderr", "-t", "-c"]],
  ["caddyfile", (_, example) => example, ["caddy", "validate", "--adapter", "caddyfile", "--config"]],
] as const satisfies readonly Proxy[]) {
  const [program] = command;
  const reason = Bun.which(program) === null ? `${program} not installed` : "";
  test.skipIf(reason !== "")(withReason(`the example for ${program} is taken by it`, reason), async () => {
    const { blocks } = await guideOf(".github/docs/network.md");
    const example = blocks.find((block) => block.language === language)?.text ?? "";
    expect(example).toContain("drive.example.com");
    await using shell = await openManualShell();
    const path = join(shell.root, language);
    await Bun.write(path, wholeOf(shell.root, shell.localised(example)));
    await shell.run([...command, path].join(" "));
  });
}

test("a command that fails fails its block", async () => {
  await using shell = await openManualShell();
  const outcomes = await Promise.allSettled([
    shell.run("coffer verify --backup /mnt/none\ntrue"),
    shell.run("coffer serve --no-such-flag\ntrue"),
  ]);
  expect(outcomes).toMatchObject([
    { status: "rejected", reason: { message: expect.stringContaining("/mnt/none") } },
    { status: "rejected", reason: { message: expect.stringContaining("no-such-flag") } },
  ]);
});
