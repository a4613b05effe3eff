import { mkdir, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type BuildSource, buildSource } from "./build-source.ts";
import type { Release } from "./process/version.ts";

/** What to build other than an executable for this machine. */
export interface BuildOptions {
  /** For which system, and the Bun of it that the executable is made from. */
  readonly platform?: { readonly target: Bun.Build.CompileTarget; readonly executablePath: string };
  /** What `coffer version` says that it was built from; nothing if left out. */
  readonly source?: BuildSource | null | undefined;
  /** The release that it is a part of; without one, `coffer upgrade` never replaces it. */
  readonly release?: Release | null;
}

/**
 * Builds the executable `outfile` from an entry point. Both are paths, relative to the working directory. It may
 * replace an executable that is running. Throws AggregateError with the bundler's errors.
 */
export async function build(
  entryPoint: string,
  outfile: string,
  { platform, source = null, release = null }: BuildOptions = {},
): Promise<void> {
  await mkdir(dirname(outfile), { recursive: true });
  // Loaded by name, from next to the executable's main module.
  const workers = new Bun.Glob("**/*worker.ts").scanSync({ cwd: import.meta.dir, absolute: true });
  const { outputs } = await Bun.build({
    entrypoints: [entryPoint, ...[...workers].toSorted()],
    naming: { entry: "[name].[ext]" },
    target: "bun",
    // What is imported later is loaded later, and the workers share the modules of the main program.
    splitting: true,
    // With `bytecode` the modules are not parsed at start, which halves the start time.
    format: "esm",
    bytecode: true,
    // Identifiers keep their names, and the source map is in the executable, so stack traces in the log name our
    // functions, files and lines.
    minify: { whitespace: true, syntax: true, identifiers: false },
    sourcemap: "linked",
    define: {
      ...(source === null ? {} : { COFFER_SOURCE: JSON.stringify(shownOf(source)) }),
      ...(release === null ? {} : { COFFER_RELEASE: JSON.stringify(release) }),
    },
    compile: {
      ...platform,
      outfile,
      // What a start does is done once: to compile it takes longer than to interpret it. `commands/` ends this.
      jitPolicy: 64,
      // Longer than what the server takes (`http/gate/pipeline.ts`), which refuses the rest with a body of its own.
      execArgv: ["--max-http-header-size=65536"],
      // Files in the working directory must not change how the executable behaves.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  });
  // The executable has its own copy of the map.
  for (const { kind, path } of outputs) if (kind === "sourcemap") await rm(path);
}

/** What `process/version.ts` shows of a source. */
function shownOf({ commit, seconds }: BuildSource): { commit: string; date: string } {
  return { commit, date: new Date(seconds * 1000).toISOString().slice(0, "YYYY-MM-DD".length) };
}

if (import.meta.main) {
  const root = resolve(import.meta.dir, "..");
  const { values } = parseArgs({ options: { commit: { type: "string" }, epoch: { type: "string" } } });
  const source = await buildSource(values);
  await build(resolve(root, "src/main.ts"), resolve(root, "dist/coffer"), { source });
}
