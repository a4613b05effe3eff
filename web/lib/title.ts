import { plain } from "./overrides.ts";

const TITLES: Readonly<Record<string, string>> = {
  "/search": "Search",
  "/keys": "Keys",
  "/account": "Account",
  "/people": "People",
  "/auth/setup": "Set up",
};

/** What the browser calls the page where one signs in before one sees any other. */
export const SIGN_IN_TITLE = "Sign in - Coffer";

/** What the browser calls the page at a path: `photos - Coffer`. */
export function titleOf(path: string): string {
  const name = TITLES[path] ?? (path.startsWith("/claim/") ? "Claim a drive" : driveTitle(path));
  return `${name} - Coffer`;
}

/** The folder that an address names, or else its drive. */
function driveTitle(path: string): string {
  const [, , ...places] = path.split("/").filter((part) => part !== "");
  const place = places.at(-1);
  if (place === undefined) return "Drives";
  try {
    return plain(decodeURIComponent(place));
  } catch {
    // Typed in by hand, it may be no percent-encoding at all.
    return place;
  }
}
