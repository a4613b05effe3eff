/** What all systems that can run the server are told. One description, so that no form of it differs. */
export interface ServiceDescription {
  readonly name: string;
  readonly summary: string;
  /** The path of the executable. */
  readonly program: string;
  readonly dataDir: string;
  /** Who runs it, and owns the data directory. */
  readonly user: string;
  /** A file of variables, one in each line; it may be missing. */
  readonly settingsFile: string;
  readonly host: string;
  readonly port: number;
  /** The limit of open files. */
  readonly openFiles: number;
  /** How long it may take to stop: running requests are finished first. */
  readonly stopSeconds: number;
  /** After so long without a sign of life it is restarted. */
  readonly watchdogSeconds: number;
  /** The exit codes after which nobody may start it again by itself; see `commands/exit-codes.ts`. */
  readonly finalExitCodes: readonly number[];
}

/** A file of an installation. */
export interface ServiceFile {
  readonly path: string;
  readonly text: string;
  /** As for chmod(2). */
  readonly mode: number;
  /** Whether one that is there is left as it is: it is the operator's. */
  readonly isKept: boolean;
}

/** How a server is installed on one kind of system. */
export interface Installation {
  readonly files: readonly ServiceFile[];
  /** What is run then, in order, as root; not where `unless` succeeds. */
  readonly commands: readonly { readonly run: readonly string[]; readonly unless?: readonly string[] }[];
}

/** What the file of settings begins with. */
export const SETTINGS_TEXT = `# Settings of Coffer, one COFFER_NAME=value in each line; "coffer serve --help" names them.
# Restart the service after a change.
#COFFER_BASE_URL=https://files.example.com
#COFFER_BACKUP=/mnt/backup/coffer
`;
