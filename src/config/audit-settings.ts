import { setting } from "./setting.ts";
import { integer } from "./values.ts";

/** Not changeable on the dashboard: who has an administrator's password must not shorten what tells of that. */
export const AUDIT_SETTINGS = {
  auditDays: setting({
    flag: "--audit-days NUMBER",
    fallback: "365",
    help: "Days for which the audit log is kept: who signed in, was refused, made keys, shared, changed settings or deleted for good",
    parse: integer(1, 3650),
  }),
};
