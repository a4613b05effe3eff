import { join } from "node:path";
import { temporaryDirectory } from "./support/temporary-directory.ts";

// Runs `bun test` with the arguments it is given, and then names every test that was skipped: among two thousand
// lines nobody sees them. Ends as `bun test` does.

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function attribute(element: string, name: string): string {
  const text = new RegExp(`\\b${name}="([^"]*)"`).exec(element)?.[1] ?? "";
  return text.replaceAll(/&(\w+);/g, (whole, entity: string) => ENTITIES[entity] ?? whole);
}

/** The tests that a JUnit report says were skipped, each with its file and the groups that it is in. */
function skippedIn(report: string): string[] {
  return [...report.matchAll(/<testcase ([^>]*)>\s*<skipped/g)].flatMap(([, element = ""]) => {
    // The inner group comes first.
    const groups = attribute(element, "classname").split(" > ").toReversed();
    const name = attribute(element, "name");
    const path = [...groups, name].filter((part) => part !== "");
    // The hooks of a group that is skipped stand in the report as well.
    return name === "(unnamed)" ? [] : [`${attribute(element, "file")}: ${path.join(" > ")}`];
  });
}

await using place = await temporaryDirectory();
const report = join(place.path, "report.xml");
const tests = Bun.spawn(
  [process.execPath, "test", "--reporter=junit", `--reporter-outfile=${report}`, ...Bun.argv.slice(2)],
  { stdio: ["inherit", "inherit", "inherit"] },
);
process.exitCode = await tests.exited;

const written = Bun.file(report);
if (await written.exists()) {
  const skipped = skippedIn(await written.text());
  const head = skipped.length === 0 ? "No test was skipped." : `Skipped, ${skipped.length} in all:`;
  process.stdout.write(`\n${[head, ...skipped].join("\n  ")}\n`);
}
