import { Type } from "@sinclair/typebox";
import * as t from "../../operation/schema.ts";
import { parseName } from "../../../domain/contents/texts/text.ts";
import type { SeenDrive } from "../../../domain/drives/drive.ts";
import { formatInstant } from "../../../domain/time.ts";
import { claimAdvice, provisionedRecord } from "../../resources/drives/drives.ts";
import * as shown from "../shown.ts";
import { KEY_ARGUMENT, tool } from "../tool.ts";

export const driveTools = [
  tool(
    {
      name: "provision_drive",
      title: "Make a drive without an account",
      description:
        "Makes a new, empty drive and answers with its API key and a claim link. Needs no key: use it if you have none. Store the key where your later sessions find it; message says how to send it. Give claim_url to your human: unless a human claims the drive, it is deleted on expires_at. Both are secrets, and shown only now. drive_id is what the other tools take.",
      needs: "nothing",
      input: Type.Object({
        name: t.text("What the drive is for: 1 to 64 characters.", "Research notes"),
      }),
    },
    async ({ input, context, services, throttle, claimBase }) => {
      throttle.requireOn();
      const name = parseName("name", input.name);
      throttle.take(context);
      const base = claimBase(context);
      const record = provisionedRecord(await services.drives.provision(name), base);
      const use =
        context.caller === null
          ? `Pass it to every other tool as ${KEY_ARGUMENT}.`
          : "The key of this connection does not reach the new drive: connect again with the new one, as `Authorization: Bearer <key>`.";
      const message = `Store api_key now: it is not shown again. ${use} ${claimAdvice(base, record.expires_at)}`;
      return { ...record, message };
    },
  ),
  tool(
    {
      name: "list_drives",
      title: "List drives",
      description:
        "Lists the drives that your key reaches: your own, then those that others share with you. Call it first if you do not know what to pass as `drive_id`: it is `drive`. role is owner, editor (changes what is in it) or reader.",
      needs: "reading",
      input: Type.Object({ cursor: shown.cursorArgument }),
    },
    async ({ input, caller, services }) => {
      const all = services.drives.list(caller, null);
      // The id of the last drive of the page before. If that is gone, the list starts again.
      const rest = all.slice(all.findIndex(({ id }) => id === input.cursor) + 1);
      const page = shown.fitting(rest.map(driveShown));
      const last = page.at(-1);
      const more = page.length < rest.length && last !== undefined ? { next_cursor: last.id } : {};
      return { drives: [...page], ...more };
    },
  ),
];

function driveShown(drive: SeenDrive) {
  return {
    drive: shown.nameOf(drive),
    id: drive.id,
    name: drive.name,
    ...(drive.description === "" ? {} : { description: drive.description }),
    role: drive.role,
    file_count: drive.fileCount,
    total_size: drive.totalSize,
    ...(drive.expiresAt === null ? {} : { expires_at: formatInstant(drive.expiresAt) }),
  };
}
