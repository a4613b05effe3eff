import { version } from "../../package.json";

/** What `build.ts` was told of the source, or found: it puts it in the place of this name. */
declare const COFFER_SOURCE: { readonly commit: string; readonly date: string } | undefined;

/** What `build.ts` was told of the release that it is of: it puts it in the place of this name. */
declare const COFFER_RELEASE: Release | undefined;

/** The release that an executable is a part of. */
export interface Release {
  /** The platform, as files of releases are named after it: `linux-x64`. */
  readonly platform: string;
  /** The public key of minisign that the next releases are signed with, in one line; null if it was not signed. */
  readonly key: string | null;
}

/** The release that this executable came with; null if somebody has built it otherwise. */
export const RELEASED: Release | null = typeof COFFER_RELEASE === "undefined" ? null : COFFER_RELEASE;

export const VERSION: string = version;

/** The version, the commit with the day of it if this was built from one, and the runtime; for people. */
export function describeVersion(): string {
  const source = typeof COFFER_SOURCE === "undefined" ? null : COFFER_SOURCE;
  const from = source === null ? "" : `commit ${source.commit} of ${source.date}, `;
  return `${VERSION} (${from}Bun ${Bun.version})`;
}
