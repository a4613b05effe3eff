import { signal } from "@preact/signals-core";
import { plain } from "../contents/overrides.ts";
import { mark, type PlainMessage, t } from "../words/text.ts";

/** What the server is called. The page says it: see `main.tsx`. */
export const placeName = signal("Coffer");

const TITLES: Readonly<Record<string, PlainMessage>> = {
  "/search": mark("Search"),
  "/keys": mark("Keys"),
  "/trash": mark("Trash"),
  "/activity": mark("Activity"),
  "/snapshots": mark("Snapshots"),
  "/members": mark("Members"),
  "/links": mark("Links"),
  "/webhooks": mark("Webhooks"),
  "/account": mark("Account"),
  "/users": mark("Users"),
  "/server": mark("Server"),
  "/audit": mark("Audit log"),
  "/auth/setup": mark("Setup"),
  "/oauth/consent": mark("Let an app in"),
};

/** The document title for a page's name: `photos · Coffer`. */
export function titled(name: string): string {
  return `${plain(name)} · ${plain(placeName.value)}`;
}

export function titleOf(path: string): string {
  const title = TITLES[path];
  if (title !== undefined) return titled(t(title));
  return titled(path.startsWith("/claim/") ? t("Claim a drive") : driveTitle(path));
}

/** The name of the folder in an address, or else of the drive. */
function driveTitle(path: string): string {
  const [, , ...places] = path.split("/").filter((part) => part !== "");
  const place = places.at(-1);
  if (place === undefined) return t("Drives");
  try {
    return decodeURIComponent(place);
  } catch {
    // An address typed by hand may not be valid percent-encoding.
    return place;
  }
}
