import { watch } from "node:fs";
import { resolve } from "node:path";

const ROOT = resolve(import.meta.dir, "..");
/** How long to wait after a change, in milliseconds: an editor saves a file in several steps. */
const SETTLE_MS = 100;

/**
 * Serves from source and restarts the server after every change in `src`, `web` or the manual. The dashboard is bundled at each
 * start. `bun --watch` does not work here: it does not watch the dashboard's files, which the server bundles but
 * does not import, and it gives the server no time to close its database.
 */
async function develop(flags: readonly string[]): Promise<void> {
  const stop = new AbortController();
  let change = Promise.withResolvers<void>();
  for (const folder of ["src", "web", ".github/docs"]) {
    watch(resolve(ROOT, folder), { recursive: true }, () => change.resolve());
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      stop.abort();
      change.resolve();
    });
  }
  while (!stop.signal.aborted) {
    const server = Bun.spawn([process.execPath, resolve(ROOT, "src/main.ts"), "serve", ...flags], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    // Also restarts a server that failed to start.
    await change.promise;
    server.kill("SIGTERM");
    await Promise.all([server.exited, Bun.sleep(SETTLE_MS)]);
    change = Promise.withResolvers();
  }
}

await develop(process.argv.slice(2));
process.exit();
