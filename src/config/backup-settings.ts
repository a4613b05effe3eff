import { resolve } from "node:path";
import { parseBackupAddress } from "../domain/upkeep/backup-address.ts";
import { YEAR_MS } from "../domain/time.ts";
import { setting } from "./setting.ts";
import { choice, duration, integer, Problem } from "./values.ts";

/** The settings of backups, and of S3, where they and contents may be. */
export const BACKUP_SETTINGS = {
  backup: setting({
    flag: "--backup PLACE",
    fallback: "none",
    absent: null,
    help: "Where the server makes backups of itself: a directory, or s3://BUCKET/PREFIX",
    sensitive: "perhaps",
    parse: (text) =>
      parseBackupAddress(text, resolve) ??
      new Problem("must be a directory, or an address such as s3://bucket/prefix"),
  }),
  backupInterval: setting({
    flag: "--backup-interval DURATION",
    fallback: "24h",
    help: "How often the server makes a backup",
    parse: duration(1000, YEAR_MS, "from 1s to 8760h"),
  }),
  backupKeep: setting({
    flag: "--backup-keep NUMBER",
    fallback: "7",
    help: "How many backups are kept; a new one removes the oldest",
    parse: integer(1, 10_000),
  }),
  backupContents: setting({
    flag: "--backup-contents leave|copy",
    fallback: "leave",
    help: "Whether a backup leaves contents that are in a bucket there, and keeps them from being removed, or copies them to its place",
    parse: choice("leave", "copy"),
  }),
  s3Credentials: setting({
    flag: "--s3-credentials PATH",
    fallback: "none",
    absent: null,
    help: "A file with credentials for S3, in the form of AWS; it is read again when it changes. Without it, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY count",
    parse: (text) => resolve(text),
  }),
  s3PathStyle: setting({
    flag: "--s3-path-style on|off",
    fallback: "on with S3_ENDPOINT, else off",
    absent: null,
    help: "Whether a bucket stands in the path of S3's addresses, and not in the name of the server",
    parse: choice("on", "off"),
  }),
};
