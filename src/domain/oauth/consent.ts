import type { Scope } from "../accounts/roles.ts";

/**
 * What an application can do once it is let in, for the person who decides: sentences that begin with a verb. Kept true
 * by the tests of who may ask what (`adaApp` and `adaDriveApp`). It reaches all drives of its person, or one.
 */
export function abilitiesOf(scope: Scope, reach: "account" | "drive"): readonly string[] {
  const all = reach === "account";
  const reading = [
    all ? "See all your drives, and those that others share with you" : "See this drive",
    "Read, search and download all files in there, with earlier versions and deleted files",
    all ? "See with whom your drives are shared" : "See with whom the drive is shared",
    ...(all ? ["See your username, email address and plan"] : []),
    "See how much you store",
  ];
  if (scope === "read-only") return reading;
  return [
    ...reading,
    "Add, change and move files and folders, and delete them, also for good",
    all ? "Make, rename and delete drives" : "Rename and delete the drive",
    "Make links that show files, or take them, without signing in; they end with its access",
    ...(all ? ["In drives that others share with you: what you may do there"] : []),
  ];
}

/** What no application can do, whatever a person allows: see `requireManaging`. */
export const NO_APPLICATION =
  "It cannot make or revoke other keys, see or end your sessions, set up webhooks, claim drives, share your drives with people, change your password, or let other apps in.";

const ID_CHARACTERS = 512;

/** The host of the metadata document that a client's id leads to; null for a client that registered. */
export function documentHost(clientId: string): string | null {
  return clientId.startsWith("https:") ? new URL(clientId).host : null;
}

/** An https URL in normal form, with a path, without credentials (draft-ietf-oauth-client-id-metadata-document, 3). */
export function isDocumentUrl(clientId: string): boolean {
  if (!clientId.startsWith("https://") || clientId.length > ID_CHARACTERS) return false;
  if (!URL.canParse(clientId)) return false;
  const { href, pathname, username, password, hash } = new URL(clientId);
  return (
    href === clientId && pathname !== "/" && username + password + hash === "" && !clientId.includes("#")
  );
}
