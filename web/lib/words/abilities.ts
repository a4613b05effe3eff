import type { Scope } from "../../../src/domain/accounts/roles.ts";
import { t } from "./text.ts";

/**
 * What an application can do once it is let in, for the person who decides: sentences that begin with a verb. Kept true
 * by the tests of who may ask what (`adaApp` and `adaDriveApp`). It reaches all drives of its person, or one.
 */
export function abilitiesOf(scope: Scope, reach: "account" | "drive"): readonly string[] {
  const all = reach === "account";
  const reading = [
    all ? t("See all your drives, and those that others share with you") : t("See this drive"),
    t("Read, search and download all files in there, with earlier versions and deleted files"),
    all ? t("See with whom your drives are shared") : t("See with whom the drive is shared"),
    ...(all ? [t("See your username, email address and plan")] : []),
    t("See how much you store"),
  ];
  if (scope === "read-only") return reading;
  return [
    ...reading,
    t("Add, change and move files and folders, and delete them, also for good"),
    all ? t("Make, rename and delete drives") : t("Rename and delete the drive"),
    t("Make links that show files, or take them, without signing in; they end with its access"),
    ...(all ? [t("In drives that others share with you: what you may do there")] : []),
  ];
}
