import { dirname, join, normalize, resolve } from "node:path";

const ROOT = resolve(import.meta.dir, "../..");

/** A source file, for the tests of the layers. */
export interface Source {
  /** From the root of the project, such as `src/db/files/files.ts`. */
  readonly path: string;
  readonly text: string;
}

/** Every file with one of some endings in a folder of the project and below it, by path. */
export function sourcesIn(folder: string, endings: readonly string[] = ["ts", "tsx"]): Promise<Source[]> {
  const paths = [...new Bun.Glob(`${folder}/**/*.{${endings.join()}}`).scanSync(ROOT)].toSorted();
  return Promise.all(paths.map(async (path) => ({ path, text: await Bun.file(join(ROOT, path)).text() })));
}

/** The modules that a source imports, including type imports, which the runtime's scanner omits. */
export function importsOf({ text }: Source): string[] {
  const named = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g);
  return [...named].map((match) => match[1] ?? "");
}

/** A source without type-only imports, which do not exist in compiled code. */
export function withoutTypeImports({ path, text }: Source): Source {
  return { path, text: text.replaceAll(/^import type [^;"]*\bfrom "[^"]+";$/gm, "") };
}

/** The files of the project that a source imports, each from the root of the project. */
export function ownImportsOf(source: Source): string[] {
  return importsOf(source)
    .filter((name) => name.startsWith("."))
    .map((name) => placeOf(source, name));
}

/** From the root of the project. */
function placeOf({ path }: Source, name: string): string {
  return normalize(join(dirname(path), name));
}

/** The sources that import each other in a circle, type imports included; the paths of each circle, sorted. */
export function circlesIn(sources: readonly Source[]): string[][] {
  const imports = new Map(sources.map((source) => [source.path, ownImportsOf(source)]));
  const reach = new Map(Array.from(imports.keys(), (path) => [path, reachOf(path, imports)]));
  const circles = Array.from(reach, ([path, reached]) =>
    [...reached].filter((other) => reach.get(other)?.has(path) === true).toSorted(),
  ).filter((circle) => circle.length > 0);
  return [...new Map(circles.map((circle) => [circle.join(), circle])).values()];
}

const NO_MODULES = /^import [^;]* with \{[^;]*;$/gm;

/** What is loaded with a source: what it and its imports import at their tops, but for types, macros and files. */
export function loadedWith(path: string, sources: readonly Source[]): string[] {
  const scanner = new Bun.Transpiler({ loader: "ts" });
  const loads = sources.map((source): [string, string[]] => {
    const atTop = scanner
      .scanImports(source.text.replaceAll(NO_MODULES, ""))
      .filter(({ kind }) => kind === "import-statement");
    return [
      source.path,
      atTop.map(({ path: name }) => (name.startsWith(".") ? placeOf(source, name) : name)),
    ];
  });
  return [...reachOf(path, new Map(loads))].toSorted();
}

/** Everything that a source imports, directly or indirectly. */
function reachOf(path: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>();
  const left = [...(imports.get(path) ?? [])];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    left.push(...(imports.get(next) ?? []));
  }
  return reached;
}

const VARIABLE = /^(?:export )?(?:let|var) (\w+|[{[].*[}\]])/gm;
const COLLECTION =
  /^(?:export )?const (\w+)(?:: (.*?))? =\s+(?:new (?:Weak)?(?:Map|Set)\b|new Array\b|\[\]|\{\})/gm;
const CONSTANT = /^(?:export )?const (\w+)/gm;
const CHANGES = "(?:push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|set|add|delete|clear)";

/**
 * The names of mutable state at the top level of a module: variables, collections whose type is not read-only, and
 * whatever else it changes in place. The `lastIndex` of a pattern does not count.
 */
export function stateIn({ text }: Source): string[] {
  const variables = Array.from(text.matchAll(VARIABLE), ([, name = ""]) => name);
  const collections = [...text.matchAll(COLLECTION)]
    .filter(([, , type = ""]) => !/^[Rr]eadonly\b|^Readonly(?:Map|Set|Array)</.test(type))
    .map(([, name = ""]) => name);
  const changed = Array.from(text.matchAll(CONSTANT), ([, name = ""]) => name).filter((name) =>
    new RegExp(
      `(?<![.\\w])${name}(?:\\.${CHANGES}\\(|(?:\\.(?!lastIndex)\\w+|\\[[^\\]]*\\]) [-+*/|&?]*= )`,
    ).test(text),
  );
  return [...new Set([...variables, ...collections, ...changed])].toSorted();
}

/** The lines at the top level of a module that have an effect when it is imported. */
export function effectsIn({ text }: Source): string[] {
  const effects = text.matchAll(
    /^(?:import "|(?:if|for|while|switch) \(|try \{|throw |await [\w.]+\(|[\w.]+\(|[\w.]+ [-+*/|&?]*= ).*/gm,
  );
  return Array.from(effects, ([line]) => line);
}
