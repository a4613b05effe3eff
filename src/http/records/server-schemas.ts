import { Type } from "@sinclair/typebox";
import * as t from "../operation/schema.ts";
import { PROBLEM_KINDS } from "../../domain/upkeep/problem.ts";
import { SETTING_SOURCES } from "../../domain/upkeep/settings.ts";

// As in `record-schemas.ts`, nothing that uses the runtime may be imported.

export const settingSchema = t.record(
  "Setting",
  {
    name: t.text("As in `PATCH /v0/server`.", "keep_days"),
    variable: t.text("Its environment variable. The flag is made from the same words.", "COFFER_KEEP_DAYS"),
    help: t.text("What it is for."),
    value: t.nullableText("The text that its flag takes; null for a secret, and for what has no value."),
    default_value: t.text("The default, in words where it is no value.", "30"),
    source: t.oneOf(SETTING_SOURCES, {
      description: "Where the value is from. `stored`: an administrator changed it while a server ran.",
      examples: ["default"],
    }),
    changeable: Type.Boolean({
      description: "Whether `PATCH /v0/server` changes it: what a flag or the environment says stands.",
      examples: [true],
    }),
    secret: Type.Boolean({ examples: [false] }),
  },
  {
    help: "Days for which earlier versions of files, and deleted files, are kept; 0 keeps none",
    value: "30",
  },
);

export type SettingRecord = t.RecordOf<typeof settingSchema>;

export const backupsSchema = t.record(
  "Backups",
  {
    place: t.text("Where they are made.", "/mnt/backup/coffer"),
    interval_seconds: t.count("How often."),
    last_success_at: t.nullable(t.time("When the last whole one was made; null if there was none.")),
    last_failure_at: t.nullable(
      t.time("When the last one failed since the server started, unless one succeeded after it."),
    ),
    failure: t.nullableText("Why it failed."),
    running: Type.Boolean({ description: "Whether one is being made now.", examples: [false] }),
    next_at: t.time("When the server makes the next one."),
  },
  { interval_seconds: 86_400, last_failure_at: null, failure: null },
);

export type BackupsRecord = t.RecordOf<typeof backupsSchema>;

const problemSchema = Type.Object({
  kind: t.oneOf(PROBLEM_KINDS),
  since: t.nullable(t.time("Since when, as far as it is known.")),
  count: t.nullable(t.count("Of how many things, where it is of some.")),
  reason: t.nullableText("What another program, or the system, said of it."),
});

const refusedSchema = Type.Object({
  day: t.text("In UTC.", "2030-01-31"),
  unauthorized: t.count("Without a valid key or session."),
  forbidden: t.count("Not allowed, or over a storage limit."),
  rate_limited: t.count("Too many in a minute."),
  no_space: t.count("For lack of disk space."),
  failed: t.count("By a fault of the server, which its log has."),
});

const bytes = (description: string) => t.count(`${description}, in bytes.`);

/** The server, as its administrators see it. */
export const serverSchema = t.record(
  "Server",
  {
    version: t.text("Of Coffer.", "1.0.0"),
    started_at: t.time("When this process started."),
    problems: Type.Array(problemSchema, {
      description: "What somebody should look at, worst first. What is over is not in it any more.",
    }),
    disk: Type.Object({
      total: bytes("The size of all disks of contents that can be reached"),
      free: bytes("What of it is free"),
      reserve: bytes("What uploads leave free on each"),
    }),
    disks: Type.Array(
      Type.Object({
        path: t.text("The directory: one of `COFFER_BLOBS`, or the data directory.", "/mnt/a"),
        former: t.flag(
          "Whether it is no longer in `COFFER_BLOBS`: it holds contents that `coffer blobs migrate` moves, and gets no " +
            "new ones.",
        ),
        problem: t.nullableText("Why it cannot be reached now; null if it can."),
        total: t.nullable(bytes("Its size; null while it cannot be reached")),
        free: t.nullable(bytes("What of it is free; null while it cannot be reached")),
      }),
      { description: "Where the contents of files are." },
    ),
    contents: t.nullable(
      Type.Object(
        {
          count: t.count("How many there are. Files with equal contents share one."),
          size: bytes("All of them, with those of versions, the trash and snapshots"),
        },
        { description: "As of the last minutes; null while many are added up for the first time." },
      ),
    ),
    sizes: Type.Object({
      database: bytes("The database"),
      log: bytes("Its log, which is copied into it from time to time"),
      search_index: bytes("The index of names and texts"),
      vectors: bytes("The vectors of search by meaning"),
    }),
    index: Type.Object({
      waiting: t.count("How many names and texts are to be indexed; at most 10,000 are counted."),
      failing_since: t.nullable(t.time("Since when that fails; null if it does not.")),
    }),
    backups: t.nullable(backupsSchema),
    scrub: t.nullable(
      Type.Object(
        {
          progress: Type.Number({ description: "How much of this round is done, from 0 to 1." }),
          finished_at: t.nullable(t.time("When all contents had been checked the last time.")),
          damaged: t.count("How many contents of files are damaged, as far as is known."),
        },
        { description: "The slow check of all contents for damage; null if it is off." },
      ),
    ),
    refused: Type.Array(refusedSchema, {
      description:
        "How many requests were refused, for each day since the server started, the newest first. 14 days are kept.",
    }),
    settings: Type.Array(settingSchema),
  },
  {
    problems: [],
    disk: { total: 64_000_000_000, free: 48_000_000_000, reserve: 1_073_741_824 },
    disks: [
      { path: "/var/lib/coffer", former: false, problem: null, total: 64_000_000_000, free: 48_000_000_000 },
      { path: "/mnt/b", former: true, problem: "it is missing, or not mounted", total: null, free: null },
    ],
    contents: { count: 1200, size: 3_400_000_000 },
    sizes: { database: 5_200_000, log: 410_000, search_index: 2_100_000, vectors: 0 },
    index: { waiting: 0, failing_since: null },
    backups: null,
    scrub: { progress: 0.25, finished_at: null, damaged: 0 },
    refused: [{ day: "2030-01-31", unauthorized: 3, forbidden: 1, rate_limited: 12, no_space: 0, failed: 0 }],
    settings: [t.exampleOf(settingSchema)],
  },
);

export type ServerRecord = t.RecordOf<typeof serverSchema>;
