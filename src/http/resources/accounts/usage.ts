import { Type } from "@sinclair/typebox";
import {
  type AccountWho,
  isKey,
  isUser,
  type ServerKeyDay,
  type ServerWho,
  type UsageDay,
} from "../../../domain/accounts/usage-day.ts";
import { USAGE_DAYS, USAGE_DRIVES } from "../../../domain/limits.ts";
import { formatDay, formatInstant } from "../../../domain/time.ts";
import type { UsageReport } from "../../../services/accounts/usage.ts";
import type { DriveUse } from "../../../services/accounts/usage-drives.ts";
import type { RequestContext } from "../../gate/request-context.ts";
import { operation, tagged } from "../../operation/route.ts";
import {
  type ServerUsageDayRecord,
  serverUsageDaySchema,
  type UsageDayRecord,
  usageDaySchema,
  type UsageDrivesRecord,
  usageDrivesSchema,
  usageKindSchema,
  type UsageRecord,
  usageSchema,
} from "../../records/usage-schemas.ts";
import * as t from "../../operation/schema.ts";
import type { Parts } from "../parts.ts";

const query = Type.Object({
  days: t.optionalInteger({
    minimum: 1,
    maximum: USAGE_DAYS.kept,
    description: `How many days, up to today. Default 30; ${USAGE_DAYS.kept} are kept.`,
  }),
});

const NOTE = `Oldest first; a day without requests has no entries. Counts are kept in memory and stored once a minute: a crash loses the last minute's.`;

const COUNTED =
  "All are counted: where there are a million files that takes seconds, and the result is given out again for some minutes. Files that have expired count until they are removed.";

function usageRecord({ period: { start, end }, ...figures }: UsageReport): UsageRecord {
  return { ...figures, period: { start: formatInstant(start), end: formatInstant(end) } };
}

function countsOf({
  day,
  requests,
  clientErrors,
  serverErrors,
  received,
  sent,
}: UsageDay<AccountWho | ServerWho | ServerKeyDay["who"]>) {
  return {
    day: formatDay(day),
    requests,
    client_errors: clientErrors,
    server_errors: serverErrors,
    bytes_received: received,
    bytes_sent: sent,
  };
}

function usageDayRecord(day: UsageDay<AccountWho>): UsageDayRecord {
  const { who, name } = day;
  const of = isKey(who) ? { by: "key" as const, key_id: who } : { by: who, key_id: null };
  return { ...of, key_name: name, ...countsOf(day) };
}

function serverUsageDayRecord(day: UsageDay<ServerWho>): ServerUsageDayRecord {
  const { who, name } = day;
  const of = isUser(who) ? { by: "user" as const, user_id: who } : { by: who, user_id: null };
  return { ...of, username: name, key_id: null, key_name: null, ...countsOf(day) };
}

function serverKeyDayRecord(day: ServerKeyDay): ServerUsageDayRecord {
  const { who, name, userId, username } = day;
  const of = isKey(who) ? { by: "key" as const, key_id: who } : { by: who, key_id: null };
  return { ...of, key_name: name, user_id: userId, username, ...countsOf(day) };
}

function usageDriveRecord(drive: DriveUse): UsageDrivesRecord["data"][number] {
  const { id, name, userId, username, files, bytes } = drive;
  return { drive_id: id, drive_name: name, user_id: userId, username, files, bytes };
}

/** What takes as long as there is much to count. */
async function counted<T>(context: RequestContext, count: Promise<T>): Promise<T> {
  context.suspendIdleTimeout();
  const result = await count;
  context.keepAlive();
  return result;
}

export function usage({ usage: meter, usageDays, usageDrives, usageKinds }: Parts) {
  return [
    ...tagged("Account", [
      operation("GET", "/v0/account/usage", {
        operationId: "getUsage",
        summary: "Get usage",
        description:
          "Returns the usage of the account and all its drives, deleted ones included; with a key that is limited to one drive, of that drive only. A request counts for the drive that its key is limited to, or else for the account. Content counts for its drive, even if it is downloaded with a link. A download counts with its full size, or that of its range, as soon as it starts.",
        answers: { description: "The usage.", json: Type.Object({ data: usageSchema }) },
        handle: async ({ caller }) => Response.json({ data: usageRecord(await meter.report(caller)) }),
      }),
      operation("GET", "/v0/account/usage/days", {
        operationId: "listUsageDays",
        summary: "List usage by day and key",
        description: `Returns what each key of the account did on each day. Content counts for the key that sent or read it, also in the drives of others. ${NOTE} On one day up to ${USAGE_DAYS.rows} keys have entries of their own. Needs a session, or an account key that a person made.`,
        person: true,
        query,
        answers: { description: "The days.", json: Type.Object({ data: Type.Array(usageDaySchema) }) },
        handle: async ({ caller, query: { days = 30 } }) =>
          Response.json({ data: (await usageDays.ofAccount(caller, days)).map(usageDayRecord) }),
      }),
      operation("GET", "/v0/account/usage/kinds", {
        operationId: "listUsageKinds",
        summary: "List storage by kind of file",
        description: `Returns what the files in the account's drives are, largest kind first. ${COUNTED} Needs an account key or a session.`,
        account: true,
        answers: { description: "The kinds.", json: Type.Object({ data: Type.Array(usageKindSchema) }) },
        handle: async ({ caller, context }) =>
          Response.json({ data: await counted(context, usageKinds.ofAccount(caller)) }),
      }),
    ]),
    ...tagged("Users", [
      operation("GET", "/v0/usage/days", {
        operationId: "listServerUsageDays",
        summary: "List the server's usage by day and user or key",
        description: `Returns what each user or each key did on each day. ${NOTE} On one day up to ${USAGE_DAYS.rows} users have entries of their own, or the keys of users that did most: ${USAGE_DAYS.most} for each of the counts. Needs the session of an administrator.`,
        signedIn: true,
        query: Type.Object({
          ...query.properties,
          by: Type.Optional(
            t.oneOf(["user", "key"], { description: "Whose entries there are.", default: "user" }),
          ),
        }),
        administrators: true,
        answers: { description: "The days.", json: Type.Object({ data: Type.Array(serverUsageDaySchema) }) },
        handle: async ({ caller, context, query: { days = 30, by } }) => {
          const data =
            by === "key"
              ? (await counted(context, usageDays.ofServerByKey(caller, days))).map(serverKeyDayRecord)
              : (await usageDays.ofServer(caller, days)).map(serverUsageDayRecord);
          return Response.json({ data });
        },
      }),
      operation("GET", "/v0/usage/drives", {
        operationId: "listServerUsageDrives",
        summary: "List the server's largest drives",
        description: `Returns the ${USAGE_DRIVES} drives whose files take most, largest first, and what all others take together. Deleted drives are left out, and so are empty ones. ${COUNTED} Needs the session of an administrator, who is told what drives are called only of those that they see anyway.`,
        signedIn: true,
        administrators: true,
        answers: { description: "The drives.", json: usageDrivesSchema },
        handle: async ({ caller, context }) => {
          const { largest, others } = await counted(context, usageDrives.ofServer(caller));
          return Response.json({ data: largest.map(usageDriveRecord), others });
        },
      }),
      operation("GET", "/v0/usage/kinds", {
        operationId: "listServerUsageKinds",
        summary: "List the server's storage by kind of file",
        description: `Returns what the files in all drives are, largest kind first. ${COUNTED} Needs the session of an administrator.`,
        signedIn: true,
        administrators: true,
        answers: { description: "The kinds.", json: Type.Object({ data: Type.Array(usageKindSchema) }) },
        handle: async ({ caller, context }) =>
          Response.json({ data: await counted(context, usageKinds.ofServer(caller)) }),
      }),
    ]),
  ];
}
