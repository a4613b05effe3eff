import { Type } from "@sinclair/typebox";
import {
  type AccountWho,
  isKey,
  isUser,
  type ServerWho,
  type UsageDay,
} from "../../../domain/accounts/usage-day.ts";
import { USAGE_DAYS } from "../../../domain/limits.ts";
import { formatDay, formatInstant } from "../../../domain/time.ts";
import type { UsageReport } from "../../../services/accounts/usage.ts";
import { operation, tagged } from "../../operation/route.ts";
import {
  type ServerUsageDayRecord,
  serverUsageDaySchema,
  type UsageDayRecord,
  usageDaySchema,
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
}: UsageDay<AccountWho | ServerWho>) {
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
  return { ...of, username: name, ...countsOf(day) };
}

export function usage({ usage: meter, usageDays, usageKinds }: Parts) {
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
        description:
          "Returns what the files in the account's drives are, largest kind first. All files are counted: for an account with a million of them that takes seconds, and the result is given out again for some minutes. Needs an account key or a session.",
        account: true,
        answers: { description: "The kinds.", json: Type.Object({ data: Type.Array(usageKindSchema) }) },
        handle: async ({ caller, context }) => {
          context.suspendIdleTimeout();
          const data = await usageKinds.of(caller);
          context.keepAlive();
          return Response.json({ data });
        },
      }),
    ]),
    ...tagged("Users", [
      operation("GET", "/v0/usage/days", {
        operationId: "listServerUsageDays",
        summary: "List the server's usage by day and user",
        description: `Returns what each user did on each day. ${NOTE} On one day up to ${USAGE_DAYS.rows} users have entries of their own. Needs the session of an administrator.`,
        signedIn: true,
        query,
        answers: { description: "The days.", json: Type.Object({ data: Type.Array(serverUsageDaySchema) }) },
        handle: async ({ caller, query: { days = 30 } }) =>
          Response.json({ data: (await usageDays.ofServer(caller, days)).map(serverUsageDayRecord) }),
      }),
    ]),
  ];
}
