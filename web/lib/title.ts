import { plain } from "./overrides.ts";

const TITLES: Readonly<Record<string, string>> = {
  "/search": "Search",
  "/keys": "Keys",
  "/account": "Account",
  "/users": "Users",
  "/auth/setup": "Setup",
};

/** What the browser calls a page of a name: `photos · Coffer`. */
export function titled(name: string): string {
  return `${plain(name)} · Coffer`;
}

/** What the browser calls the page at a path. */
export function titleOf(path: string): string {
  return titled(TITLES[path] ?? (path.startsWith("/claim/") ? "Claim a drive" : driveTitle(path)));
}

/** The folder that an address names, or else its drive. */
function driveTitle(path: string): string {
  const [, , ...places] = path.split("/").filter((part) => part !== "");
  const place = places.at(-1);
  if (place === undefined) return "Drives";
  try {
    return decodeURIComponent(place);
  } catch {
    // Typed in by hand, it may be no percent-encoding at all.
    return place;
  }
}
