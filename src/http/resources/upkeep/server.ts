import { Type } from "@sinclair/typebox";
import { formatInstant } from "../../../domain/time.ts";
import type { BackupState } from "../../../services/upkeep/backups.ts";
import type { SettingView } from "../../../services/upkeep/live-settings.ts";
import type { ServerReport } from "../../../services/upkeep/server.ts";
import { operation, tagged } from "../../operation/route.ts";
import * as t from "../../operation/schema.ts";
import { asData, write } from "../../operation/write.ts";
import {
  type BackupsRecord,
  backupsSchema,
  type ServerRecord,
  serverSchema,
  type SettingRecord,
  settingSchema,
} from "../../records/server-schemas.ts";
import type { Parts } from "../parts.ts";

function timeOrNull(time: number | null): string | null {
  return time === null ? null : formatInstant(time);
}

function settingRecord({
  name,
  variable,
  help,
  text,
  fallback,
  source,
  ...view
}: SettingView): SettingRecord {
  return {
    name,
    variable,
    help,
    value: text,
    default_value: fallback,
    source,
    changeable: view.isChangeable && (source === "default" || source === "stored"),
    secret: view.isSecret,
  };
}

function backupsRecord(state: BackupState): BackupsRecord {
  return {
    place: state.place,
    interval_seconds: Math.round(state.interval / 1000),
    last_success_at: timeOrNull(state.lastSuccessAt),
    last_failure_at: timeOrNull(state.lastFailureAt),
    failure: state.failure,
    running: state.isRunning,
    next_at: formatInstant(state.nextAt),
  };
}

function serverRecord(report: ServerReport, version: string): ServerRecord {
  const { contents, sizes, index, backups, scrub } = report;
  return {
    version,
    started_at: formatInstant(report.startedAt),
    problems: report.problems.map(({ since, ...problem }) => ({ ...problem, since: timeOrNull(since) })),
    disk: report.disk,
    disks: report.disks.map(({ root, isFormer, away, ...room }) => {
      return { path: root, former: isFormer, problem: away, ...room };
    }),
    contents: contents && { count: contents.contents, size: contents.bytes },
    sizes: {
      database: sizes.database,
      log: sizes.log,
      search_index: sizes.searchIndex,
      vectors: sizes.vectors,
    },
    index: { waiting: index.waiting, failing_since: timeOrNull(index.failingSince) },
    backups: backups && backupsRecord(backups),
    scrub: scrub && {
      progress: scrub.progress,
      finished_at: timeOrNull(scrub.finishedAt),
      damaged: scrub.damaged,
    },
    refused: report.refused.map(({ day, ...counts }) => ({
      day: formatInstant(day).slice(0, 10),
      ...counts,
    })),
    settings: report.settings.map(settingRecord),
  };
}

const setting = (description: string, example: string) =>
  Type.Optional(t.nullable(t.text(description, example)));

/** The server itself, for its administrators. */
export function server({ serverCare, version }: Parts) {
  return tagged("Server", [
    operation("GET", "/v0/server", {
      operationId: "getServer",
      summary: "See how the server is",
      description:
        "What is wrong with it, how full it is, its backups, and its settings with where each is from. Needs the session of an administrator.",
      signedIn: true,
      administrators: true,
      answers: { description: "The server.", json: Type.Object({ data: serverSchema }) },
      handle: async ({ caller }) =>
        Response.json({ data: serverRecord(await serverCare.report(caller), version) }),
    }),
    write("PATCH", "/v0/server", {
      operationId: "updateServer",
      summary: "Change settings of the server",
      description:
        "They hold at once, and after restarts. Each takes the text that its flag takes; null sets it back to the default. What a flag or the environment says stands: then it is 409. Needs the session of an administrator.",
      signedIn: true,
      body: Type.Object({
        name: setting("What the dashboard calls this server: 1 to 64 characters.", "Our drive"),
        signups: setting("Whether people may register themselves: `open` or `closed`.", "closed"),
        rate_limits: setting(
          "Requests a minute with one key, for each plan. A plan that is left out has its default.",
          "free=60,pro=300,team=1000",
        ),
        storage_limits: setting(
          "Storage of an account, for each plan. A plan that is left out has no limit.",
          "free=10GB,pro=1TB",
        ),
        keep_days: setting(
          "Days for which earlier versions of files, and deleted files, are kept; 0 keeps none. What is older is removed soon, for good.",
          "30",
        ),
        keep_versions: setting("Earlier versions that are kept of one file; 0 keeps none.", "50"),
      }),
      example: { keep_days: "60" },
      administrators: true,
      audited: true,
      answers: { description: "All settings.", json: Type.Object({ data: Type.Array(settingSchema) }) },
      errors: ["CONFLICT"],
      perform: ({ body, caller }, reply) => {
        const wanted = Object.entries(body).flatMap(([name, text]) =>
          text === undefined ? [] : [[name, text] as const],
        );
        const answer = reply.with(asData((views: SettingView[]) => views.map(settingRecord)));
        return serverCare.change(caller, new Map(wanted), answer);
      },
    }),
    operation("POST", "/v0/server/backups", {
      operationId: "startBackup",
      summary: "Make a backup now",
      description:
        "Begins one beside the server; `GET /v0/server` says when it is done. It is 409 while one is made, and if the server has no place for backups. Needs the session of an administrator.",
      signedIn: true,
      administrators: true,
      audited: true,
      answers: { status: 202, description: "It is being made.", json: Type.Object({ data: backupsSchema }) },
      errors: ["CONFLICT"],
      handle: async ({ caller }) =>
        Response.json({ data: backupsRecord(await serverCare.startBackup(caller)) }, { status: 202 }),
    }),
  ]);
}
