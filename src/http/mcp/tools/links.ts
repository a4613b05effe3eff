import { Type } from "@sinclair/typebox";
import { formatInstant } from "../../../domain/time.ts";
import { linkUrl } from "../../gate/link-base.ts";
import { linkSeconds } from "../../resources/links/file-links.ts";
import * as t from "../../operation/schema.ts";
import * as shown from "../shown.ts";
import { tool } from "../tool.ts";

/** Links for contents that a model should not carry. */
export const linkTools = [
  tool(
    {
      name: "share_file",
      title: "Share a file with a link",
      description:
        "Makes a URL from which anyone can download the file with a plain GET, without a key, until it expires. Use it to hand a file to somebody, or to fetch a large or binary file with another program.",
      needs: "writing",
      input: Type.Object({
        ...shown.fileArguments,
        expires_in: linkSeconds,
        one_time: t.optionalFlag("Whether the URL works only once. Default false."),
      }),
      output: Type.Object({ url: Type.String(), expires_at: Type.String(), ...shown.shownFile }),
    },
    async ({ input, caller, drive, context, services, linkBase }) => {
      const file = services.files.get(caller, { drive: drive.id, path: input.path });
      const wanted = { expiresIn: input.expires_in, oneTime: input.one_time };
      const made = await services.links.createPresigned(caller, { id: file.id }, wanted);
      return {
        url: linkUrl(linkBase(context), made),
        expires_at: formatInstant(made.link.expiresAt),
        ...shown.fileShown(drive, file),
      };
    },
  ),
  tool(
    {
      name: "create_upload_link",
      title: "Make a URL to upload a file to",
      description:
        "Makes a URL that takes one file by a plain PUT of its bytes, without a key, such as `curl -T report.pdf <url>`. Use it to store a large or binary file that another program has, without carrying it yourself. The file appears at the path, or replaces the one there; then the URL is used up.",
      needs: "writing",
      isDestructive: true,
      input: Type.Object({
        ...shown.fileArguments,
        max_size: t.optionalInteger({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: "The most bytes of the file. Default: as much as the server takes.",
        }),
        expires_in: linkSeconds,
      }),
      output: Type.Object({
        url: Type.String(),
        expires_at: Type.String(),
        drive: Type.String(),
        path: t.text("As it was sent."),
      }),
    },
    async ({ input, caller, drive, context, services, linkBase }) => {
      const { path, max_size: maxSize, expires_in: expiresIn } = input;
      const wanted = { drive: drive.id, path, maxSize, expiresIn };
      const made = await services.links.createUpload(caller, wanted);
      return {
        url: linkUrl(linkBase(context), made),
        expires_at: formatInstant(made.link.expiresAt),
        drive: shown.nameOf(drive),
        path,
      };
    },
  ),
];
