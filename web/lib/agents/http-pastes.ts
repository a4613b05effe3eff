import type { NewKey, Paste } from "./pastes.ts";
import { t } from "../words/text.ts";

/** What a program needs that calls the API; `server` is its address, without a trailing slash. */
export function programPastes(server: string, key: NewKey): readonly Paste[] {
  return [
    { how: t("The key, to be sent with every request:"), what: t("copy|the key"), text: key.secret },
    {
      how: t("For the environment of the program:"),
      what: t("copy|the variables"),
      text: variables(server, key),
    },
    {
      how: t("For the prompt of the model, if it calls the API itself:"),
      what: t("copy|the instructions"),
      text: instructions(server, key),
    },
  ];
}

/** What is typed in a terminal to try the key. */
export function curlPastes(server: string, key: NewKey): readonly Paste[] {
  const text = commands(server, key);
  return [{ how: t("Run this in a terminal."), what: t("copy|the commands"), text }];
}

function commands(server: string, { secret, readOnly, drive, folder }: NewKey): string {
  const authorization = `-H "Authorization: Bearer ${secret}"`;
  if (drive === null) return `# the drives\ncurl "${server}/v0/drives" ${authorization}`;
  const list = `# the files\ncurl "${server}/v0/files?drive_id=${drive}" ${authorization}`;
  const path = encodeURIComponent(`${folder}notes.md`);
  const upload = `# an upload\ncurl -T notes.md "${server}/v0/files?drive_id=${drive}&path=${path}" ${authorization}`;
  return readOnly ? list : `${list}\n\n${upload}`;
}

/** Not named COFFER_...: a server started in the same shell would refuse variables it does not know. */
function variables(server: string, { secret, drive }: NewKey): string {
  const lines = [`export DRIVE_URL="${server}"`, `export DRIVE_API_KEY="${secret}"`];
  return [...lines, ...(drive === null ? [] : [`export DRIVE_ID="${drive}"`])].join("\n");
}

function instructions(server: string, { secret, readOnly, drive, folder }: NewKey): string {
  const reach =
    drive === null
      ? `You have ${readOnly ? "read-only " : ""}access to all drives of my account; GET /v0/drives lists them.`
      : `You have ${readOnly ? "read-only " : ""}access to ${folder === "" ? "" : `the folder "${folder}" of `}the drive "${drive}"; give it as drive_id.`;
  const lines = [
    `You can keep files in a cloud drive over a plain HTTP API at ${server}.`,
    `Send the header "Authorization: Bearer ${secret}" with every request, and keep this key to yourself.`,
    reach,
    `- List a folder: GET /v0/files?drive_id=DRIVE&prefix=notes/&delimiter=/`,
    `- Read a file: GET /v0/files/FILE_ID/download`,
    `- Search: GET /v0/search?q=WORDS&drive_id=DRIVE`,
    ...(readOnly
      ? []
      : [`- Upload a file: PUT /v0/files?drive_id=DRIVE&path=notes/plan.md, with its content as the body`]),
    `Before you begin, read ${server}/skill.md, which says how to do the common things.`,
    `Every other call is in ${server}/docs/api.md in short, and in ${server}/docs/openapi.json in full.`,
  ];
  return lines.join("\n");
}
