/**
 * The languages that are known, and what else they are called: by the extensions of files, by media types, by those
 * who write Markdown. Their highlighting is in `tokenize.ts`, under the same names.
 */
const LANGUAGES = `
  bash: sh zsh shell console shellscript env bashrc zshrc profile
  c: h
  cpp: c++ cc cxx hpp hh hxx
  csharp: cs c# csx
  css
  dart
  diff: patch
  dockerfile: docker containerfile
  go: golang
  graphql: gql
  ini: toml cfg conf properties editorconfig gitconfig
  java
  javascript: js mjs cjs jsx ecmascript
  json: json5 jsonc jsonl ndjson webmanifest ipynb
  kotlin: kt kts
  lua
  makefile: make mk
  markdown: md mdx
  php
  powershell: ps1 psm1 pwsh
  protobuf: proto
  python: py pyi python3 ipython
  r: rscript
  ruby: rb gemfile rakefile
  rust: rs
  scala: sbt
  scss: sass less
  sql: mysql pgsql postgresql sqlite
  swift
  typescript: ts tsx mts cts
  xml: html htm xhtml svg xsl xsd plist rss atom vue svelte
  yaml: yml
`;

const NAMES: ReadonlyMap<string, string> = new Map(
  LANGUAGES.trim()
    .split("\n")
    .flatMap((line) => {
      const [language = "", ...others] = line.trim().split(/:? /);
      return [language, ...others].map((name) => [name, language] as const);
    }),
);

/** The language that somebody named, such as `ts`; null for an unknown one. */
export function languageNamed(name: string): string | null {
  return NAMES.get(name.toLowerCase()) ?? null;
}

/** The language of a file, by its name and else by its type; null where it is none that is known. */
export function languageOf(filename: string, mimeType: string): string | null {
  const name = languageNamed(filename.slice(filename.lastIndexOf(".") + 1));
  const [, subtype = ""] = /^[^/]*\/(?:x-)?(?:[^;]*\+)?([^;+\s]*)/.exec(mimeType) ?? [];
  return name ?? languageNamed(subtype);
}
