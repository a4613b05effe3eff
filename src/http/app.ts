import type { AllowedOrigins, Subnet } from "../domain/network/address.ts";
import { basePathOf } from "../domain/network/base-path.ts";
import type { Idempotency } from "../services/idempotency.ts";
import type { Services } from "../services/services.ts";
import { dashboard } from "./dashboard/dashboard.ts";
import { Guide, type GuideSettings } from "./docs/guide.ts";
import { guidePages, programAnswers } from "./docs/pages.ts";
import { start } from "./docs/start.ts";
import { auditedRefusals } from "./gate/audited-refusals.ts";
import { createChallenge } from "./gate/gate.ts";
import { linkBase } from "./gate/link-base.ts";
import { NewKeyThrottle, ProvisionThrottle } from "./limits/creation-throttles.ts";
import { ownOrigin, surelyOwnOrigin } from "./gate/origins.ts";
import type { Handler } from "./gate/pipeline.ts";
import { cookiesFor } from "./gate/session-cookie.ts";
import { strictTransport } from "./gate/strict-transport.ts";
import { createHandler } from "./handler.ts";
import type { Route } from "./operation/route.ts";
import { manual } from "./manual/manual.ts";
import { mcp } from "./mcp/mcp.ts";
import { authorize, consent } from "./oauth/authorize.ts";
import { metadata } from "./oauth/metadata.ts";
import { register, tokens } from "./oauth/clients.ts";
import { auditEvents } from "./resources/audit/audit-events.ts";
import { account, users } from "./resources/accounts/users.ts";
import { usage } from "./resources/accounts/usage.ts";
import { apiKeys } from "./resources/accounts/api-keys.ts";
import { archives, downloads } from "./resources/contents/downloads.ts";
import { changes } from "./resources/changes/changes.ts";
import { visits } from "./resources/changes/visits.ts";
import { comments } from "./resources/comments/comments.ts";
import { claims } from "./resources/accounts/claims.ts";
import { drives, provision } from "./resources/drives/drives.ts";
import { edits } from "./resources/contents/edits.ts";
import { extract, texts } from "./resources/contents/texts.ts";
import { thumbnails } from "./resources/contents/thumbnails.ts";
import { files } from "./resources/files/files.ts";
import { paths } from "./resources/files/paths.ts";
import { pathTransfers } from "./resources/files/path-transfers.ts";
import { listings } from "./resources/files/listings.ts";
import { manyTexts } from "./resources/contents/many-texts.ts";
import { batches } from "./resources/contents/batches.ts";
import { bulkDeletion } from "./resources/files/bulk.ts";
import { folders, folderTransfers, works } from "./resources/folders/folders.ts";
import { grep } from "./resources/grep/grep.ts";
import { fileLinks } from "./resources/links/file-links.ts";
import { links } from "./resources/links/links.ts";
import { members } from "./resources/accounts/members.ts";
import type { Parts } from "./resources/parts.ts";
import { search } from "./resources/search/search.ts";
import { server } from "./resources/upkeep/server.ts";
import { snapshots, snapshotUses } from "./resources/snapshots/snapshots.ts";
import { shared, sharedContents } from "./resources/links/shared.ts";
import { trash } from "./resources/history/trash.ts";
import { versions } from "./resources/history/versions.ts";
import { undo } from "./resources/history/undo.ts";
import { uploads } from "./resources/contents/uploads.ts";
import { webhooks } from "./resources/webhooks/webhooks.ts";
import { auth } from "./sign-in/auth.ts";
import { oidc } from "./sign-in/oidc.ts";
import { password, sessions } from "./sign-in/sessions.ts";

/** The settings for HTTP; see `SETTINGS` for their meaning. */
interface AppSettings extends GuideSettings {
  /** A URL without a trailing slash; null if none is configured. */
  readonly baseUrl: string | null;
  /** The start of claim links, if it differs from `baseUrl`. */
  readonly claimBaseUrl: string | null;
  /** Null if the server speaks plain HTTP. */
  readonly tls: object | null;
  /** Bytes in a second; 0 for no limit. */
  readonly minUploadSpeed: number;
  readonly trustedProxies: readonly Subnet[];
  /** What Prometheus sends; null if it is on this machine. */
  readonly metricsToken: { reveal(): string } | null;
  readonly corsOrigins: AllowedOrigins;
}

/** The part of the database that HTTP uses itself. */
interface RequestDatabase {
  /** See `Database.holdSnapshot`. */
  holdSnapshot(): void;
  /** Throws if the database does not answer. */
  ping(): void;
}

interface AppOptions extends Pick<Parts, "clock" | "log" | "tracer" | "version"> {
  readonly settings: AppSettings;
  readonly services: Services;
  readonly idempotency: Idempotency;
  /** See `ownerTokenOf`. */
  readonly ownerToken: () => string;
  readonly database: RequestDatabase;
  /** The address of this server if none is configured: a URL without a trailing slash. */
  readonly ownUrl: () => string;
  /** Where other machines may reach it if none is configured: URLs without trailing slashes. */
  readonly addresses: () => readonly string[];
  /** Overrides `ARCHIVE_STALL_MS`, in milliseconds. */
  readonly archiveStallMs?: number;
}

export async function createApp(options: AppOptions): Promise<Handler> {
  const { settings, services, idempotency, database, clock, log, version } = options;
  const parts = partsOf(options);
  const guide = new Guide({ settings, live: services.settings, links: parts.linkBase, version });
  const api = resources(parts);
  const canSignIn = () => services.authorizations.isPossible();
  const isTls = settings.tls !== null;
  return createHandler({
    clock,
    log,
    tracer: options.tracer,
    authenticate: (key) => services.apiKeys.authenticate(key),
    authenticateSession: (token) => services.sessions.authenticate(token),
    originOf: ownOrigin(settings.baseUrl, isTls),
    mcpOriginOf: surelyOwnOrigin(settings.baseUrl, isTls),
    challenge: createChallenge({
      isPossible: canSignIn,
      isGrant: (keyId) => services.oauthGrants.isGrant(keyId),
      linkBase: parts.linkBase,
    }),
    holdSnapshot: () => database.holdSnapshot(),
    beginAttempt: (scope, key, caller) => idempotency.begin(scope, key, caller),
    countRequest: (caller, status) => services.usage.countRequest(caller, status),
    countRefusal: (refusal) => services.refusals.count(refusal),
    auditRefusal: auditedRefusals(services.refusedAttempts),
    ready: () => {
      database.ping();
      return services.health.problems();
    },
    backup: () => services.backups.state(),
    unavailableDisks: () => services.health.unavailableDisks,
    scrub: () => services.scrub.status(),
    figures: () => services.serverFigures.now(),
    metricsToken: settings.metricsToken,
    ownerToken: options.ownerToken,
    rateLimits: services.settings.rateLimits,
    // Relative if nothing is configured, so that the page works under any host name.
    baseUrl: settings.baseUrl ?? "/",
    basePath: basePathOf(settings.baseUrl),
    strictTransport: isTls ? strictTransport(settings.baseUrl) : null,
    provisioning: guide.hasProvisioning,
    version,
    trustedProxies: settings.trustedProxies,
    corsOrigins: settings.corsOrigins,
    routes: [start(guide, api, canSignIn), ...api, ...(await pages(parts, options, guide))],
  });
}

function partsOf(options: AppOptions): Parts {
  const { settings, services, clock, log, tracer, version, ownUrl, addresses, archiveStallMs } = options;
  return {
    ...services,
    log,
    tracer,
    clock,
    version,
    retention: services.settings.retention,
    cookies: cookiesFor(settings.baseUrl ?? ownUrl()),
    addresses,
    linkBase: linkBase(settings.baseUrl, ownUrl),
    claimBase: linkBase(settings.claimBaseUrl ?? settings.baseUrl, ownUrl),
    throttle: new ProvisionThrottle(clock, {
      isOn: settings.provisioning === "on",
      perHour: settings.provisionsPerHour,
    }),
    keyThrottle: new NewKeyThrottle(clock, services.settings.rateLimits),
    maxFileSize: settings.maxFileSize,
    pace: { clock, least: settings.minUploadSpeed },
    stallMs: archiveStallMs,
  };
}

/** The routes of `/v0` and `/mcp`. */
function resources(parts: Parts): Route[] {
  return [
    provision(parts),
    mcp({ ...parts, services: parts }),
    drives(parts),
    snapshots(parts),
    works(parts),
    versions(parts),
    comments(parts),
    snapshotUses(parts),
    listings(parts),
    members(parts),
    changes(parts),
    visits(parts),
    webhooks(parts),
    files(parts),
    paths(parts),
    pathTransfers(parts),
    bulkDeletion(parts),
    claims(parts),
    uploads(parts),
    batches(parts),
    downloads(parts),
    archives(parts),
    extract(parts),
    thumbnails(parts),
    texts(parts),
    manyTexts(parts),
    edits(parts),
    links(parts),
    shared(parts),
    sharedContents(parts),
    fileLinks(parts),
    search(parts),
    grep(parts),
    folders(parts),
    trash(parts),
    undo(parts),
    folderTransfers(parts),
    apiKeys(parts),
    consent(parts.authorizations),
    account(parts),
    usage(parts),
    password(parts, parts.clock),
    sessions(parts.sessions),
    users(parts),
    server(parts),
    auditEvents(parts),
  ].flat();
}

/** The routes outside `/v0`. `/docs`, `/healthz`, `/readyz` and `/metrics` come with the handler. */
async function pages(
  parts: Parts,
  { settings: { baseUrl, tls }, ownUrl }: AppOptions,
  guide: Guide,
): Promise<Route[]> {
  const signingIn = { ...parts, originOf: ownOrigin(baseUrl, tls !== null), baseUrl: ownUrl };
  const oauth = { ...parts, baseUrl };
  return [
    await dashboard(programAnswers(guide), {
      nameOf: () => parts.settings.name,
      basePath: basePathOf(baseUrl),
    }),
    guidePages(guide),
    manual(),
    auth(signingIn),
    metadata(oauth),
    authorize(oauth),
    tokens(oauth),
    register(oauth),
    parts.oidc === null ? [] : oidc({ ...signingIn, oidc: parts.oidc }),
  ].flat();
}
