import { version } from "../../package.json";

/** What `build.ts` was told of the source, or found: it puts it in the place of this name. */
declare const COFFER_SOURCE: { readonly commit: string; readonly date: string } | undefined;

export const VERSION: string = version;

/** The version, the commit with the day of it if this was built from one, and the runtime; for people. */
export function describeVersion(): string {
  const source = typeof COFFER_SOURCE === "undefined" ? null : COFFER_SOURCE;
  const from = source === null ? "" : `commit ${source.commit} of ${source.date}, `;
  return `${VERSION} (${from}Bun ${Bun.version})`;
}
