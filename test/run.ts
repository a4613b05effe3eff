import { join, resolve } from "node:path";
import { temporaryDirectory } from "./support/server/temporary-directory.ts";

// Runs `bun test` with the arguments it is given, and then names every test that was skipped, and every one that failed
// with its error: among ten thousand lines nobody sees them. Ends as `bun test` does; but in CI (`CI=true`) the files of
// a few tests that failed run once more, and where they pass, so does the run.

const ROOT = resolve(import.meta.dir, "..");

/**
 * The files that a process runs share its modules: to load the whole server for each took a fifth of the time. The
 * timeout, in milliseconds, only ends tests that hang: the preload sets it for the first file of a process alone.
 */
const ALWAYS = ["--no-isolate", "--timeout=300000"];

/**
 * The files that take longest, in seconds: they start first, so that no process runs one alone at the end. What only
 * waits stands here too.
 */
const LONGEST: Readonly<Record<string, number>> = {
  "e2e/crashes/faults.long": 900,
  "e2e/process/long-run.long": 620,
  "e2e/crashes/bucket-requests.long": 500,
  "e2e/crashes/bucket-kill.long": 390,
  "e2e/crashes/log-cuts.long": 390,
  "e2e/crashes/migrate-kill.long": 370,
  "e2e/process/fresh-machine.long": 350,
  "release/systemd.long": 300,
  "e2e/crashes/migrate-kill-ceph.long": 270,
  "e2e/crashes/upgrade-kill.long": 270,
  "e2e/crashes/mixed-kill.long": 200,
  "release/release.long": 180,
  "release/image.long": 170,
  "e2e/slow-reader.long": 160,
  "release/next-version.long": 150,
  "e2e/upkeep/backup-engines.long": 150,
  "api/files/listing-model.long": 110,
  "e2e/generated-requests.long": 100,
  "release/other-systems.long": 80,
  "e2e/million-files.long": 80,
  "e2e/slow-writer.long": 45,
  "e2e/dashboard/dashboard-pages.long": 40,
  "e2e/dashboard-files/dashboard-upload.long": 40,
  "e2e/dashboard-files/dashboard-preview": 20,
  "api/requests/authorisation": 20,
  "e2e/dashboard/dashboard-pages": 20,
  "e2e/dashboard/dashboard-drives": 19,
  "e2e/dashboard/dashboard-account": 16,
  "e2e/dashboard/dashboard-server": 14,
  "e2e/dashboard-files/dashboard-editor": 12,
  "services/folders/folder-works": 11,
  "api/requests/openapi-answers": 10,
  "api/mcp/mcp-access": 10,
  "migration/migrate": 10,
  "blobs/bucket": 10,
  "api/search/search": 10,
  "e2e/crashes/migrate-kill": 10,
  "e2e/oidc": 9,
  "e2e/dashboard/dashboard-sessions": 9,
  "e2e/dashboard/dashboard-patience": 9,
  "e2e/dashboard-files/dashboard-files-work": 9,
};

/** Writes how many milliseconds each file takes, for `--timings` of `bun test`: it knows of no file that is left out. */
async function writeTimings(path: string): Promise<void> {
  const files: Record<string, number> = {};
  for await (const file of new Bun.Glob("test/**/*.test.ts").scan(ROOT))
    files[file] = (LONGEST[file.slice("test/".length, -".test.ts".length)] ?? 1) * 1000;
  await Bun.write(path, JSON.stringify({ version: 1, files }));
}

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

interface FailedTest {
  readonly file: string;
  /** Its name, and its error. */
  readonly text: string;
}

/** The tests that a JUnit report says failed. */
function failedIn(report: string): FailedTest[] {
  const failures = report.matchAll(/<testcase ([^>]*)>\s*<failure ([^>]*?)(?:\/>|>([^<]*)<)/g);
  return [...failures].map(([, testcase = "", failure = "", text = ""]) => {
    const error = text === "" ? attribute(failure, "message") : decoded(text);
    const file = attribute(testcase, "file");
    return { file, text: `${nameOf(testcase)}\n${error.trimEnd().replaceAll(/^/gm, "    ")}` };
  });
}

/**
 * The runtime's last compiler, FTL, is left out: what tests run but a few times does not pay for it. Memory that is
 * freed is kept for what comes next: to give it back to the system took a third of the time.
 */
const RUNTIME = { BUN_JSC_useFTLJIT: "0", MIMALLOC_PURGE_DELAY: "-1" };

/** Runs `bun test`. Resolves to its exit code. */
function runTests(args: readonly string[]): Promise<number> {
  return Bun.spawn([process.execPath, "test", ...ALWAYS, ...args], {
    stdio: ["inherit", "inherit", "inherit"],
    env: { ...process.env, ...RUNTIME },
  }).exited;
}

/** Writes lines under a heading, if there are any. */
function tell(heading: string, lines: readonly string[]): void {
  if (lines.length > 0) {
    process.stdout.write(`\n${[`${heading}, ${lines.length} in all:`, ...lines].join("\n  ")}\n`);
  }
}

/** More files than this fail for a reason: they are not run again. */
const FEW_FILES = 3;

/** Whether what failed passes when its files run again, alone. Asked in CI only, whose machines are uneven. */
async function passesAgain(failed: readonly FailedTest[]): Promise<boolean> {
  const files = [...new Set(failed.map(({ file }) => file))];
  if (process.env["CI"] !== "true" || files.length === 0 || files.length > FEW_FILES) return false;
  process.stdout.write(`\nOnce more, alone: ${files.join(", ")}\n`);
  return (await runTests(files.map((file) => resolve(ROOT, file)))) === 0;
}

await using place = await temporaryDirectory();
const report = join(place.path, "report.xml");
const timings = join(place.path, "timings.json");
await writeTimings(timings);

process.exitCode = await runTests([
  "--reporter=junit",
  `--reporter-outfile=${report}`,
  `--timings=${timings}`,
  ...Bun.argv.slice(2),
]);

const written = Bun.file(report);
if (await written.exists()) {
  const text = await written.text();
  const skipped = skippedIn(text);
  if (skipped.length === 0) process.stdout.write("\nNo test was skipped.\n");
  tell("Skipped", skipped);
  const failed = failedIn(text);
  const isFlaky = process.exitCode === 1 && (await passesAgain(failed));
  if (isFlaky) process.exitCode = 0;
  tell(
    isFlaky ? "Flaky (failed, and passed when run again)" : "Failed",
    failed.map((one) => one.text),
  );
}
