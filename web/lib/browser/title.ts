import { plain } from "../contents/overrides.ts";

const TITLES: Readonly<Record<string, string>> = {
  "/search": "Search",
  "/keys": "Keys",
  "/trash": "Trash",
  "/activity": "Activity",
  "/snapshots": "Snapshots",
  "/members": "Members",
  "/links": "Links",
  "/account": "Account",
  "/users": "Users",
  "/auth/setup": "Setup",
  "/oauth/consent": "Let an app in",
};

/** The document title for a page's name: `photos · Coffer`. */
export function titled(name: string): string {
  return `${plain(name)} · Coffer`;
}

export function titleOf(path: string): string {
  return titled(TITLES[path] ?? (path.startsWith("/claim/") ? "Claim a drive" : driveTitle(path)));
}

/** The name of the folder in an address, or else of the drive. */
function driveTitle(path: string): string {
  const [, , ...places] = path.split("/").filter((part) => part !== "");
  const place = places.at(-1);
  if (place === undefined) return "Drives";
  try {
    return decodeURIComponent(place);
  } catch {
    // An address typed by hand may not be valid percent-encoding.
    return place;
  }
}
