import { type Static, Type } from "@sinclair/typebox";
import { UNCLAIMED_LIFETIME_MS, UNCLAIMED_STORAGE_BYTES } from "../../domain/limits.ts";
import { once } from "../../domain/once.ts";
import { DAY_MS } from "../../domain/time.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { operation, type Route } from "../operation/route.ts";
import { count, nullableText, text } from "../operation/schema.ts";
import type { Guide } from "./guide.ts";
import { operationsIn } from "./describe.ts";

const startSchema = Type.Object({
  name: Type.String(),
  version: Type.String(),
  about: Type.String(),
  begin: Type.Array(Type.String(), { description: "What to do first, in order." }),
  links: Type.Object({
    openapi: text("The API description, as OpenAPI."),
    api: text("The same in short, in Markdown: one line for each operation."),
    llms: text("The start page for agents."),
    skill: text("How to use this server, as a skill for agents."),
    mcp: text("Where MCP clients connect, over Streamable HTTP."),
    docs: text("The API description, for people."),
    dashboard: text("Where people sign in."),
    provision: nullableText("Send `POST` here for a drive; null if that needs an account on this server."),
  }),
  limits: Type.Object({
    max_file_size: count("Bytes."),
    requests_per_minute: Type.Object(
      { free: Type.Integer(), pro: Type.Integer(), team: Type.Integer() },
      { description: "With one key, by the plan of its owner." },
    ),
    provisions_per_hour: count("Drives without an account, for each client address; 0 if there are none."),
    unclaimed_drive_bytes: count("What a drive without an account holds."),
    unclaimed_drive_days: count("After how many days it is deleted, unless it is claimed."),
    keep_days: count("How long deleted files and earlier contents are kept; 0 if nothing is kept."),
    keep_versions: count("How many earlier contents of a file are kept."),
  }),
  without_key: Type.Array(
    Type.Object({ method: Type.String(), path: Type.String(), summary: Type.String() }),
    { description: "The operations that need no key." },
  ),
});

type Start = Static<typeof startSchema>;

/** `GET /v0`: what there is, for a program that knows only the address. @param api the other routes of `/v0` */
export function start(guide: Guide, api: readonly Route[], canSignIn: () => boolean) {
  const described = once(() => publicOperations(api));
  const withoutKey = () => {
    const keyed = [
      ...(guide.hasProvisioning ? [] : ["/v0/drives/provision", "/mcp"]),
      ...(canSignIn() ? ["/mcp"] : []),
    ];
    return described().filter(({ path }) => !keyed.includes(path));
  };
  return operation("GET", "/v0", {
    operationId: "getStart",
    tag: "Start",
    public: true,
    summary: "See where to begin",
    answers: { description: "Addresses and limits of this server, and what to do first.", json: startSchema },
    handle: ({ context }) => Response.json({ ...startOf(guide, context), without_key: withoutKey() }),
  });
}

function startOf(guide: Guide, context: RequestContext): Omit<Start, "without_key"> {
  const base = guide.base(context);
  const { hasProvisioning, version } = guide;
  const { maxFileSize, provisionsPerHour } = guide.settings;
  const { rateLimits, retention } = guide.live;
  return {
    name: "Coffer",
    version,
    about: "A cloud drive for software agents and the people who own them.",
    begin: [
      hasProvisioning
        ? `POST ${base}/v0/drives/provision with {"name": "My drive"}: it returns a drive, its API key, and a claim link for your human. Keep the key.`
        : `Ask your human for an API key: people make keys at ${base}/keys, after they sign in.`,
      "Send the key with each request, as `Authorization: Bearer <key>`.",
      `Read ${base}/skill.md for the common things (files, search, undo, snapshots, changes, webhooks, links, members), and ${base}/docs/api.md for all operations.`,
    ],
    links: {
      openapi: `${base}/docs/openapi.json`,
      api: `${base}/docs/api.md`,
      llms: `${base}/llms.txt`,
      skill: `${base}/skill.md`,
      mcp: `${base}/mcp`,
      docs: `${base}/docs`,
      dashboard: `${base}/`,
      provision: hasProvisioning ? `${base}/v0/drives/provision` : null,
    },
    limits: {
      max_file_size: maxFileSize,
      requests_per_minute: { ...rateLimits },
      provisions_per_hour: hasProvisioning ? provisionsPerHour : 0,
      unclaimed_drive_bytes: UNCLAIMED_STORAGE_BYTES,
      unclaimed_drive_days: UNCLAIMED_LIFETIME_MS / DAY_MS,
      keep_days: retention.days,
      keep_versions: retention.versions,
    },
  };
}

function publicOperations(api: readonly Route[]): Start["without_key"] {
  return operationsIn(api)
    .filter(({ spec }) => spec.public === true)
    .map(({ method, path, spec: { summary } }) => ({ method, path, summary }));
}
