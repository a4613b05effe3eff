/** A new key and its access, for the examples to copy. */
export interface NewKey {
  readonly secret: string;
  readonly readOnly: boolean;
  /** Slug or id of the only drive it has access to; null for all drives of the account. */
  readonly drive: string | null;
  /** The only folder of the drive that it has access to, with its slash; empty for all. */
  readonly folder: string;
  /** Where the server is, without a trailing slash. */
  readonly server: string;
}

/** An example to copy. */
export interface Snippet {
  readonly title: string;
  /** What it is, as in "Copy the commands". */
  readonly what: string;
  readonly text: string;
}

export function snippetsFor(key: NewKey): Snippet[] {
  return [
    { title: "Commands for curl", what: "the commands", text: commands(key) },
    { title: "Environment variables", what: "the variables", text: variables(key) },
    { title: "Instructions for an agent", what: "the instructions", text: instructions(key) },
  ];
}

function commands({ secret, readOnly, drive, folder, server }: NewKey): string {
  const authorization = `-H "Authorization: Bearer ${secret}"`;
  if (drive === null) return `# the drives\ncurl "${server}/v0/drives" ${authorization}`;
  const list = `# the files\ncurl "${server}/v0/files?drive_id=${drive}" ${authorization}`;
  const path = encodeURIComponent(`${folder}notes.md`);
  const upload = `# an upload\ncurl -T notes.md "${server}/v0/files?drive_id=${drive}&path=${path}" ${authorization}`;
  return readOnly ? list : `${list}\n\n${upload}`;
}

/** Not named COFFER_...: a server started in the same shell would refuse variables it does not know. */
function variables({ secret, drive, server }: NewKey): string {
  const lines = [`export DRIVE_URL="${server}"`, `export DRIVE_API_KEY="${secret}"`];
  return [...lines, ...(drive === null ? [] : [`export DRIVE_ID="${drive}"`])].join("\n");
}

function instructions({ secret, readOnly, drive, folder, server }: NewKey): string {
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
