import { type Static, Type } from "@sinclair/typebox";
import type { SeenLink } from "../../../domain/links/link.ts";
import { formatInstant } from "../../../domain/time.ts";
import type { CreatedLink } from "../../../services/links/links.ts";
import { linkUrl } from "../../gate/link-base.ts";
import { linkCursor } from "../../operation/cursor.ts";
import * as t from "../../operation/schema.ts";
import { linkSeconds } from "../../resources/links/file-links.ts";
import { sharePassword, shareExpiry } from "../../resources/links/links.ts";
import * as shown from "../shown.ts";
import { type Call, tool } from "../tool.ts";

const ACTIONS = ["download", "upload", "page", "list", "revoke"] as const;

const input = Type.Object({
  drive_id: shown.driveArgument,
  action: t.oneOf(ACTIONS),
  path: t.optionalText("The file; of a page also a folder, which ends with `/`.", "reports/2030.pdf"),
  expires_in: linkSeconds,
  one_time: t.optionalFlag("Of a download: whether the URL works only once. Default false."),
  max_size: t.optionalNumber(1, "Of an upload: the most bytes. Default: as much as the server takes."),
  password: sharePassword,
  expires_at: shareExpiry,
  link_id: Type.Optional(Type.String({ minLength: 1, description: "Which one to revoke, from list." })),
  cursor: shown.cursorArgument,
});

export const linkTools = [
  tool(
    {
      name: "share",
      title: "Share by links",
      description:
        "Makes URLs that work without a key, until they expire. `download`: of one file, for a plain GET; use it to hand a file to a program, or to fetch a large or binary one. `upload`: takes one file by a plain PUT of its bytes, such as `curl -T report.pdf <url>`, which then appears at the path; use it for large or binary files that another program has. `page`: for people, a page that shows a file or folder, with downloads and, if you like, a password. `list` shows the links of the drive that work, `revoke` ends one.",
      needs: "writing",
      reading: ["list"],
      formerly: { share_file: { action: "download" }, create_upload_link: { action: "upload" } },
      isDestructive: true,
      input,
    },
    act,
  ),
];

/** Does what is asked. */
async function act(call: Call<Static<typeof input>>): Promise<object> {
  const { input: given, caller, drive, services } = call;
  const { links, linkLists, files } = services;
  const { expires_in: expiresIn } = given;
  switch (given.action) {
    case "download": {
      const { id } = files.get(caller, { drive: drive.id, path: shown.needed(given, "path") });
      return madeShown(
        call,
        await links.createPresigned(caller, { id }, { expiresIn, oneTime: given.one_time }),
      );
    }
    case "upload": {
      const wanted = {
        drive: drive.id,
        path: shown.needed(given, "path"),
        maxSize: given.max_size,
        expiresIn,
      };
      return madeShown(call, await links.createUpload(caller, wanted));
    }
    case "page": {
      const { password, expires_at: expiresAt } = given;
      const wanted = { drive: drive.id, path: shown.needed(given, "path"), password, expiresAt };
      return madeShown(call, await links.createShare(caller, wanted));
    }
    case "list": {
      const after = linkCursor.read(given.cursor);
      const page = await linkLists.list(caller, { drive: drive.id, limit: shown.PAGE_RECORDS, after });
      return { links: page.links.map(linkShown), ...shown.nextCursor(linkCursor.write(page.nextAfter)) };
    }
    case "revoke":
      return { revoked: await links.revoke(caller, shown.needed(given, "link_id")) };
  }
}

function madeShown({ context, linkBase }: Call<unknown>, made: CreatedLink) {
  const { id, path, expiresAt } = made.link;
  return { id, path, url: linkUrl(linkBase(context), made), expires_at: formatInstant(expiresAt) };
}

function linkShown({ id, kind, path, expiresAt, passwordHash, uses }: SeenLink) {
  return {
    id,
    kind,
    path,
    expires_at: formatInstant(expiresAt),
    uses,
    ...(passwordHash === null ? {} : { has_password: true }),
  };
}
