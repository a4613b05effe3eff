import { join } from "node:path";
import { temporaryDirectory } from "./support/server/temporary-directory.ts";

// Runs `bun test` with the arguments it is given, and then names every test that was skipped, and every one that failed
// with its error: among ten thousand lines nobody sees them. Ends as `bun test` does.

/**
 * The files that a process runs share its modules: to load the whole server for each took a fifth of the time. The
 * timeout, in milliseconds, only ends tests that hang: the preload sets it for the first file of a process alone.
 */
const ALWAYS = ["--no-isolate", "--timeout=300000"];

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function decoded(text: string): string {
  return text
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(/&(\w+);/g, (whole, entity: string) => ENTITIES[entity] ?? whole);
}

function attribute(element: string, name: string): string {
  return decoded(new RegExp(`\\b${name}="([^"]*)"`).exec(element)?.[1] ?? "");
}

/** A test's file, its groups and its name. `testcase` is the start of its element in a JUnit report. */
function nameOf(testcase: string): string {
  // The inner group comes first.
  const groups = attribute(testcase, "classname").split(" > ").toReversed();
  const path = [...groups, attribute(testcase, "name")].filter((part) => part !== "");
  return `${attribute(testcase, "file")}: ${path.join(" > ")}`;
}

/** The tests that a JUnit report says were skipped. */
function skippedIn(report: string): string[] {
  return (
    [...report.matchAll(/<testcase ([^>]*)>\s*<skipped/g)]
      .map(([, testcase = ""]) => testcase)
      // The hooks of a group that is skipped stand in the report as well.
      .filter((testcase) => attribute(testcase, "name") !== "(unnamed)")
      .map(nameOf)
  );
}

/** The tests that a JUnit report says failed, each with its error. */
function failedIn(report: string): string[] {
  const failures = report.matchAll(/<testcase ([^>]*)>\s*<failure ([^>]*?)(?:\/>|>([^<]*)<)/g);
  return [...failures].map(([, testcase = "", failure = "", text = ""]) => {
    const error = text === "" ? attribute(failure, "message") : decoded(text);
    return `${nameOf(testcase)}\n${error.trimEnd().replaceAll(/^/gm, "    ")}`;
  });
}

await using place = await temporaryDirectory();
const report = join(place.path, "report.xml");
const tests = Bun.spawn(
  [
    process.execPath,
    "test",
    ...ALWAYS,
    "--reporter=junit",
    `--reporter-outfile=${report}`,
    ...Bun.argv.slice(2),
  ],
  { stdio: ["inherit", "inherit", "inherit"] },
);
process.exitCode = await tests.exited;

const written = Bun.file(report);
if (await written.exists()) {
  const text = await written.text();
  const skipped = skippedIn(text);
  const head = skipped.length === 0 ? "No test was skipped." : `Skipped, ${skipped.length} in all:`;
  process.stdout.write(`\n${[head, ...skipped].join("\n  ")}\n`);
  const failed = failedIn(text);
  if (failed.length > 0) {
    process.stdout.write(`\n${[`Failed, ${failed.length} in all:`, ...failed].join("\n  ")}\n`);
  }
}
