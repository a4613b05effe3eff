import { parseReleaseKey } from "../domain/upkeep/release-key.ts";
import { releasesUrl } from "./addresses.ts";
import { setting } from "./setting.ts";
import { Problem } from "./values.ts";

/** The settings of `coffer upgrade`. A server does not use them. */
export const UPGRADE_SETTINGS = {
  upgradeUrl: setting({
    flag: "--upgrade-url URL",
    fallback: "none",
    absent: null,
    help: "Where coffer upgrade finds the files of the newest release; nothing else ever asks there",
    sensitive: "perhaps",
    parse: releasesUrl,
  }),
  upgradeKey: setting({
    flag: "--upgrade-key TEXT",
    fallback: "that of this release, if it has one",
    absent: null,
    help: "The public key of minisign that a release must be signed with to be installed",
    parse: (text) => parseReleaseKey(text) ?? new Problem("must be a public key of minisign, such as RWQ..."),
  }),
};
