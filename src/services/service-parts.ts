import type { Subnet } from "../domain/network/address.ts";
import type { GivenSetting, ReadSettings } from "../domain/upkeep/settings.ts";
import type { PublicNetwork } from "../network/public-network.ts";
import type { BackupPlan } from "./upkeep/backups.ts";
import type { Certificate } from "./upkeep/certificate.ts";
import type { GrepBounds } from "./grep/request.ts";
import type { Parts } from "./parts.ts";
import type { EmbeddingsEndpoint } from "./search/embeddings.ts";
import type { OidcProvider } from "./accounts/oidc-flow.ts";
import type { PasswordCost } from "./accounts/passwords.ts";
import type { SearchTimes } from "./search/search.ts";
import type { ThumbnailStore } from "../thumbnails/thumbnail-store.ts";

/** What the use cases need: stores, clock, log and settings. */
export interface ServiceParts extends Pick<
  Parts,
  "tables" | "blobs" | "clock" | "log" | "tracer" | "storePlaces"
> {
  readonly thumbnailStore: ThumbnailStore;
  /** Of this data directory. */
  readonly secret: Uint8Array;
  readonly keyPrefix: string;
  /** For how many days the audit log is kept. */
  readonly auditDays: number;
  /** How each setting was given, in the order of the help. */
  readonly asGiven: readonly GivenSetting[];
  /** What is in force with texts that were stored for settings. */
  readonly readSettings: (stored: ReadonlyMap<string, string>) => ReadSettings;
  /** Bytes. */
  readonly maxFileSize: number;
  /** Whether clients are sent to the bucket for large contents. */
  readonly blobRedirect: "on" | "off";
  /** How long a check of all contents takes, in milliseconds; 0 for none. */
  readonly scrubIntervalMs: number;
  /** Overrides `ORPHAN_GRACE_MS`. */
  readonly blobGraceMs?: number | undefined;
  /** Null if people sign in only with passwords. */
  readonly oidc: OidcProvider | null;
  /** The start of a command line of this program, for processes of its own. */
  readonly program: readonly string[];
  /** Null if the server makes no backups. */
  readonly backupPlan: BackupPlan | null;
  /** Null if the server speaks plain HTTP. */
  readonly certificate: Certificate | null;
  /** Where webhooks may be beside the public internet. */
  readonly webhookAddresses: readonly Subnet[];
  /** Where texts get their vectors; null if search goes by words alone. */
  readonly embeddings: EmbeddingsEndpoint | null;
  /** Overrides the default timeouts of search. */
  readonly searchTimes?: SearchTimes | undefined;
  /** Overrides `PIECE_ROWS` for changes of whole folders. */
  readonly pieceRows?: number | undefined;
  /** Overrides `GREP_BOUNDS`. */
  readonly grepBounds?: GrepBounds | undefined;
  /** Where the metadata of OAuth clients is fetched, and webhooks are; the public internet by default. */
  readonly publicNetwork?: PublicNetwork | undefined;
  /** Overrides `STREAM_COMMENT_MS`. */
  readonly streamCommentMs?: number | undefined;
  /** Overrides `PASSWORD_COST`. */
  readonly passwordCost?: PasswordCost | undefined;
}
