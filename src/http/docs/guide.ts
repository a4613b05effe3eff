import { type Caller, isManaging } from "../../domain/accounts/caller.ts";
import { ROOT } from "../../domain/files/path.ts";
import {
  PAGE_LIMIT,
  PAGE_LIMIT_DEFAULT,
  SHARED_FACTOR,
  UNCLAIMED_LIFETIME_MS,
  UNCLAIMED_STORAGE_BYTES,
} from "../../domain/limits.ts";
import type { Plan } from "../../domain/accounts/roles.ts";
import { keepsDeleted, keepsVersions, type Retention } from "../../domain/history/history.ts";
import { counted } from "../../domain/contents/texts/text.ts";
import { DAY_MS } from "../../domain/time.ts";
import type { LinkBase } from "../gate/link-base.ts";
import type { RequestContext } from "../gate/request-context.ts";
import limits from "./texts/limits.md" with { type: "text" };
import llms from "./texts/llms.md" with { type: "text" };
import skill from "./texts/skill.md" with { type: "text" };
import tour from "./texts/tour.sh" with { type: "text" };

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

export interface GuideSettings {
  readonly provisioning: "on" | "off";
  /** Per client address. */
  readonly provisionsPerHour: number;
  /** Bytes. */
  readonly maxFileSize: number;
  /** Whether large downloads are sent from elsewhere. */
  readonly blobRedirect: "on" | "off";
}

/** What may change while the server runs. */
interface GuideLimits {
  /** Requests per minute. */
  readonly rateLimits: Readonly<Record<Plan, number>>;
  /** What is kept of what was replaced or deleted. */
  readonly retention: Retention;
}

interface GuideOptions {
  readonly settings: GuideSettings;
  readonly live: GuideLimits;
  readonly links: LinkBase;
  readonly version: string;
}

/** What this server tells agents about itself, with the address at which they reach it. */
export class Guide {
  readonly settings: GuideSettings;
  readonly live: GuideLimits;
  readonly version: string;
  /** The start of links for the sender of a request: a URL without a trailing slash. */
  readonly base: LinkBase;

  constructor({ settings, live, links, version }: GuideOptions) {
    this.settings = settings;
    this.live = live;
    this.version = version;
    this.base = links;
  }

  /** Whether a caller without an account can have a drive. */
  get hasProvisioning(): boolean {
    return this.settings.provisioning === "on";
  }

  /** The start page for programs, in the form of https://llmstxt.org. */
  startPage(context: RequestContext): string {
    return this.#fill(llms, context);
  }

  /**
   * How to use this server, as a skill for agents: Markdown with a name and a description before it. It says what the
   * key can that came with the request, if there is one.
   */
  skill(context: RequestContext): string {
    return this.#fill(skill, context);
  }

  #fill(template: string, context: RequestContext): string {
    const { caller } = context;
    const { maxFileSize, provisionsPerHour, blobRedirect } = this.settings;
    const { rateLimits, retention } = this.live;
    const conditions: Readonly<Record<string, boolean>> = {
      ...abilitiesOf(caller),
      // With a key, the tour begins with that.
      provisioning: this.hasProvisioning && caller === null,
      redirects: blobRedirect === "on",
      trash: keepsDeleted(retention),
      versions: keepsVersions(retention),
    };
    const values: Readonly<Record<string, string>> = {
      base: this.base(context),
      drive: caller?.kind === "drive" ? caller.driveId : "",
      folder: caller?.kind === "drive" ? caller.prefix : "",
      kept: keptText(retention),
      max_file_size: sizeText(maxFileSize),
      page_default: String(PAGE_LIMIT_DEFAULT),
      page_limit: String(PAGE_LIMIT),
      provisions: String(provisionsPerHour),
      rate_limits: Object.entries(rateLimits)
        .map(([plan, limit]) => `${plan} ${limit}`)
        .join(", "),
      shared_factor: String(SHARED_FACTOR),
      unclaimed_days: String(UNCLAIMED_LIFETIME_MS / DAY_MS),
      unclaimed_storage: sizeText(UNCLAIMED_STORAGE_BYTES),
    };
    const whole = template.replace("{{tour}}\n", tour).replace("{{limits}}\n", limits);
    return fill(whole, conditions, values);
  }
}

/** What a text says to whom: conditions of its template. Whoever has no key yet is told of everything. */
function abilitiesOf(caller: Caller | null): Record<string, boolean> {
  const writes = caller === null || caller.scope === "read-write";
  const isInFolder = caller?.kind === "drive" && caller.prefix !== ROOT;
  const ofAccount = writes && caller?.kind !== "drive";
  const manages = writes && (caller === null || isManaging(caller));
  const isApplication = caller !== null && caller.keyId !== null && caller.isApplication;
  return {
    keyed: caller !== null,
    of_account: caller?.kind === "account",
    of_drive: caller?.kind === "drive" && !isInFolder,
    of_folder: isInFolder,
    application: isApplication,
    // Of an account: that of a drive makes keys and webhooks of its drive.
    made_by_key: ofAccount && !manages && !isApplication,
    reads_only: !writes,
    writes,
    tour: writes && !isInFolder,
    forks: ofAccount,
    keys: manages,
    webhooks: manages && !isInFolder,
    members: ofAccount && manages,
  };
}

function keptText({ days, versions }: Retention): string {
  if (days === 0) return "Nothing is kept of what was deleted or replaced, but for what a snapshot has.";
  const time = counted(days, "day");
  if (versions === 0) return `What was deleted is kept for ${time}; earlier contents of files are not.`;
  return `What was deleted is kept for ${time}, and so are up to ${versions} earlier contents of each file.`;
}

/** Lines that no choice begins or ends in. */
const LINES = String.raw`((?:(?!\{\{(?:if \w+|else|end)\}\})[^\n]*\n)*)`;
const CHOICE = new RegExp(
  String.raw`^\{\{if (\w+)\}\}\n${LINES}(?:\{\{else\}\}\n${LINES})?\{\{end\}\}\n`,
  "gm",
);

/** Fills in `{{name}}`, and chooses from `{{if condition}}`, `{{else}}` and `{{end}}`, each on a line of its own. */
function fill(
  template: string,
  conditions: Readonly<Record<string, boolean>>,
  values: Readonly<Record<string, string>>,
): string {
  let text = template;
  // From the inside to the outside.
  for (let chosen = ""; chosen !== text;) {
    chosen = text;
    text = chosen.replaceAll(CHOICE, (_whole, name: string, ifSo: string, ifNot = "") =>
      known(conditions, name) ? ifSo : ifNot,
    );
  }
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_whole, name: string) => known(values, name));
}

function known<T>(all: Readonly<Record<string, T>>, name: string): T {
  const value = all[name];
  if (value === undefined) throw new Error(`nothing stands for {{${name}}}`);
  return value;
}

/** Bytes for people: `5 GiB`, or `1000 bytes` if no larger unit fits exactly. */
function sizeText(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 1024 && size % 1024 === 0 && unit + 1 < UNITS.length) [size, unit] = [size / 1024, unit + 1];
  return `${size} ${UNITS[unit]}`;
}
