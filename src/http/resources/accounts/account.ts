import { Type } from "@sinclair/typebox";
import { formatInstant } from "../../../domain/time.ts";
import type { Account, Accounts } from "../../../services/accounts/users.ts";
import type { UsageMeter, UsageReport } from "../../../services/accounts/usage.ts";
import { operation } from "../../operation/operation.ts";
import {
  type AccountRecord,
  accountSchema,
  type UsageRecord,
  usageSchema,
} from "../../records/account-schemas.ts";
import { userRecord } from "./users.ts";

export function accountRecord({ limits, ...view }: Account): AccountRecord {
  return {
    ...userRecord(view),
    limits: {
      requests_per_minute: limits.requestsPerMinute,
      storage_bytes: limits.storage,
      max_file_size: limits.fileSize,
      keep_days: limits.kept.days,
      keep_versions: limits.kept.versions,
    },
  };
}

function usageRecord({ storage, versions, operations, bandwidth, period }: UsageReport): UsageRecord {
  return {
    storage,
    versions,
    operations,
    bandwidth,
    period: { start: formatInstant(period.start), end: formatInstant(period.end) },
  };
}

export function account(accounts: Accounts, usage: UsageMeter) {
  return [
    operation("GET", "/v0/account", {
      operationId: "getAccount",
      tag: "Account",
      summary: "Get your account",
      description: "Needs an account key or a session.",
      account: true,
      answers: [{ description: "The account.", json: Type.Object({ data: accountSchema }) }],
      errors: ["FORBIDDEN"],
      handle: ({ caller }) => Response.json({ data: accountRecord(accounts.get(caller)) }),
    }),
    operation("GET", "/v0/account/usage", {
      operationId: "getUsage",
      tag: "Account",
      summary: "Get usage",
      description:
        "Returns the usage of the account and all its drives, deleted ones included; with a key that is limited to one drive, of that drive only. A request counts for the drive that its key is limited to, or else for the account. Content counts for its drive, even if it is downloaded with a link. A download counts with its full size, or that of its range, as soon as it starts.",
      answers: [{ description: "The usage.", json: Type.Object({ data: usageSchema }) }],
      handle: async ({ caller }) => Response.json({ data: usageRecord(await usage.report(caller)) }),
    }),
  ];
}
