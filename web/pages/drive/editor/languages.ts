import type { Extension } from "@codemirror/state";
import type { StreamParser } from "@codemirror/language";

type Load = () => Promise<StreamParser<unknown>>;

const clike = () => import("@codemirror/legacy-modes/mode/clike");
const script = () => import("@codemirror/legacy-modes/mode/javascript");
const style = () => import("@codemirror/legacy-modes/mode/css");

/** By the endings of names, or whole names, the languages that are coloured; each is loaded when it is edited. */
const LANGUAGES: readonly (readonly [names: string, load: Load])[] = [
  ["md markdown", async () => (await import("./markdown-mode.ts")).markdown],
  ["js mjs cjs jsx", async () => (await script()).javascript],
  ["ts mts cts tsx", async () => (await script()).typescript],
  ["json jsonl ndjson ipynb", async () => (await script()).json],
  ["py pyi", async () => (await import("@codemirror/legacy-modes/mode/python")).python],
  ["sh bash zsh", async () => (await import("@codemirror/legacy-modes/mode/shell")).shell],
  ["go", async () => (await import("@codemirror/legacy-modes/mode/go")).go],
  ["rs", async () => (await import("@codemirror/legacy-modes/mode/rust")).rust],
  ["c h", async () => (await clike()).c],
  ["cc cpp cxx hpp", async () => (await clike()).cpp],
  ["cs", async () => (await clike()).csharp],
  ["java", async () => (await clike()).java],
  ["kt kts", async () => (await clike()).kotlin],
  ["swift", async () => (await import("@codemirror/legacy-modes/mode/swift")).swift],
  ["rb", async () => (await import("@codemirror/legacy-modes/mode/ruby")).ruby],
  ["lua", async () => (await import("@codemirror/legacy-modes/mode/lua")).lua],
  ["r", async () => (await import("@codemirror/legacy-modes/mode/r")).r],
  ["css", async () => (await style()).css],
  ["scss", async () => (await style()).sCSS],
  ["html htm", async () => (await import("@codemirror/legacy-modes/mode/xml")).html],
  ["xml svg", async () => (await import("@codemirror/legacy-modes/mode/xml")).xml],
  ["yaml yml", async () => (await import("@codemirror/legacy-modes/mode/yaml")).yaml],
  ["toml", async () => (await import("@codemirror/legacy-modes/mode/toml")).toml],
  [
    "ini conf env properties",
    async () => (await import("@codemirror/legacy-modes/mode/properties")).properties,
  ],
  ["sql", async () => (await import("@codemirror/legacy-modes/mode/sql")).standardSQL],
  ["diff patch", async () => (await import("@codemirror/legacy-modes/mode/diff")).diff],
  ["dockerfile", async () => (await import("@codemirror/legacy-modes/mode/dockerfile")).dockerFile],
];

/** What the editor does for the language of a file, by its name; null for one that it does not know. */
export async function languageOf(filename: string): Promise<Extension | null> {
  const ending = filename.slice(filename.lastIndexOf(".") + 1).toLowerCase();
  const load = LANGUAGES.find(([names]) => names.split(" ").includes(ending))?.[1];
  if (load === undefined) return null;
  const { StreamLanguage } = await import("@codemirror/language");
  return StreamLanguage.define(await load());
}
