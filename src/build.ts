import { mkdir, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/**
 * Builds the executable `outfile` from an entry point; both are paths, relative ones to the working
 * directory. It may replace an executable that is running.
 *
 * @throws AggregateError with what the bundler found wrong
 */
export async function build(entryPoint: string, outfile: string): Promise<void> {
  await mkdir(dirname(outfile), { recursive: true });
  const { outputs } = await Bun.build({
    // The worker is loaded by its name, from beside the executable's own module.
    entrypoints: [entryPoint, resolve(import.meta.dir, "db/search/worker.ts")],
    naming: { entry: "[name].[ext]" },
    target: "bun",
    // Together with `bytecode` the modules need not be parsed at the start, which halves its time.
    format: "esm",
    bytecode: true,
    // Identifiers keep their names, and the map is in the executable, so that stack traces in the log
    // name our functions, files and lines.
    minify: { whitespace: true, syntax: true, identifiers: false },
    sourcemap: "linked",
    compile: {
      outfile,
      // What lies in the working directory must not change how the executable behaves.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  });
  // The executable has its own copy of the map.
  for (const { kind, path } of outputs) if (kind === "sourcemap") await rm(path);
}

if (import.meta.main) {
  const root = resolve(import.meta.dir, "..");
  await build(resolve(root, "src/main.ts"), resolve(root, "dist/coffer"));
}
