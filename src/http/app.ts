import type { AnyElysia } from "elysia";
import type { Clock } from "../clock.ts";
import type { Plan } from "../domain/caller.ts";
import type { Subnet } from "../domain/subnet.ts";
import type { Log } from "../log.ts";
import type { Idempotency } from "../services/idempotency.ts";
import type { Services } from "../services/services.ts";
import { dashboard } from "./dashboard/dashboard.ts";
import { linkBase } from "./gate/link-base.ts";
import { ownOrigin } from "./gate/own-origin.ts";
import type { Handler } from "./gate/pipeline.ts";
import { cookiesFor } from "./gate/session-cookie.ts";
import { createHandler } from "./handler.ts";
import { account } from "./resources/account.ts";
import { apiKeys } from "./resources/api-keys.ts";
import { archives } from "./resources/archives.ts";
import { claims } from "./resources/claims.ts";
import { downloads } from "./resources/downloads.ts";
import { drives } from "./resources/drives.ts";
import { extract } from "./resources/extract.ts";
import { files } from "./resources/files.ts";
import { folderTransfers } from "./resources/folder-transfers.ts";
import { folders } from "./resources/folders.ts";
import { listings } from "./resources/listings.ts";
import { presigned } from "./resources/presigned.ts";
import { provision } from "./resources/provision.ts";
import { search } from "./resources/search.ts";
import { uploads } from "./resources/uploads.ts";
import { users } from "./resources/users.ts";
import { auth } from "./sign-in/auth.ts";
import { oidc } from "./sign-in/oidc.ts";
import { password } from "./sign-in/password.ts";
import { sessions } from "./sign-in/sessions.ts";

/** The settings that HTTP goes by; see `SETTINGS` for what each means. */
export interface AppSettings {
  /** A URL without a trailing slash; null where none is configured. */
  readonly baseUrl: string | null;
  /** What claim links begin with, where it is not `baseUrl`. */
  readonly claimBaseUrl: string | null;
  readonly provisioning: "on" | "off";
  /** From one address. */
  readonly provisionsPerHour: number;
  /** Bytes. */
  readonly maxFileSize: number;
  /** Requests per minute. */
  readonly rateLimits: Readonly<Record<Plan, number>>;
  readonly trustedProxies: readonly Subnet[];
}

/** What HTTP asks of the database by itself. */
interface AskedDatabase {
  /** See `Database.holdSnapshot`. */
  holdSnapshot(): void;
  /** Throws where the database does not answer. */
  ping(): void;
}

/** What stands below HTTP. */
export interface AppOptions {
  readonly settings: AppSettings;
  readonly services: Services;
  readonly idempotency: Idempotency;
  readonly database: AskedDatabase;
  readonly clock: Clock;
  readonly log: Log;
  /** Where this server is reached when no address is configured: a URL without a trailing slash. */
  readonly ownUrl: () => string;
  readonly version: string;
  /** Overrides `ARCHIVE_STALL_MS`, in milliseconds. */
  readonly archiveStallMs?: number;
}

/** All of HTTP over the services. */
export async function createApp(options: AppOptions): Promise<Handler> {
  const { settings, services, idempotency, database, clock, log } = options;
  return createHandler({
    clock,
    log,
    authenticate: (key) => services.apiKeys.authenticate(key),
    authenticateSession: (token) => services.sessions.authenticate(token),
    originOf: ownOrigin(settings.baseUrl),
    holdSnapshot: () => database.holdSnapshot(),
    beginAttempt: (scope, key) => idempotency.begin(scope, key),
    countOperation: (caller) => services.usage.countOperation(caller),
    ready: () => {
      database.ping();
      return services.health.problems();
    },
    rateLimits: settings.rateLimits,
    // Relative where nothing is configured, so that the page works under whatever name it was opened.
    baseUrl: settings.baseUrl ?? "/",
    version: options.version,
    trustedProxies: settings.trustedProxies,
    api: resources(options),
    pages: await pages(options),
  });
}

/** The routes of `/v0`, one plugin a resource. */
function resources({ settings, services, clock, log, ownUrl, archiveStallMs }: AppOptions): AnyElysia[] {
  const { rateLimits, maxFileSize, provisionsPerHour } = settings;
  const links = linkBase(settings.baseUrl, ownUrl);
  const claimBase = linkBase(settings.claimBaseUrl ?? settings.baseUrl, ownUrl);
  return [
    provision({
      drives: services.drives,
      clock,
      provisioning: settings.provisioning === "on",
      provisionsPerHour,
      claimBase,
    }),
    drives(services.drives),
    listings(services.listings),
    files(services.files),
    claims(services.claims),
    uploads(services.uploads, maxFileSize),
    downloads(services.files),
    archives({ archives: services.archives, log, stallMs: archiveStallMs }),
    extract(services.extracts),
    presigned({ links: services.presignedLinks, files: services.files, linkBase: links }),
    search(services.search),
    folders(services.folders),
    folderTransfers(services.folders),
    apiKeys({ apiKeys: services.apiKeys, clock, rateLimits }),
    account(services.accounts, services.usage),
    password(services, clock),
    sessions(services.sessions),
    users(services.users),
  ];
}

/** The routes outside `/v0`. `/docs`, `/healthz` and `/readyz` come with the handler. */
async function pages({ settings, services, clock, log, ownUrl }: AppOptions): Promise<AnyElysia[]> {
  const originOf = ownOrigin(settings.baseUrl);
  const cookies = cookiesFor(settings.baseUrl);
  const signingIn = { ...services, originOf, cookies, clock, baseUrl: ownUrl };
  return [
    await dashboard(),
    auth(signingIn),
    ...(services.oidc === null ? [] : [oidc({ ...signingIn, oidc: services.oidc, log })]),
  ];
}
