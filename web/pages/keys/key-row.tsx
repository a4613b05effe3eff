import { documentHost } from "../../../src/domain/oauth/client-id.ts";
import { Name } from "../../components/name.tsx";
import { folderAddress } from "../../lib/files/place.ts";
import { formatRelative, formatTime } from "../../lib/words/format.ts";
import { Link } from "../../lib/browser/router.tsx";
import type { ApiKey, Drive } from "../../lib/api/types.ts";
import { rich, t } from "../../lib/words/text.ts";

/** How a key is called: by its name, if it has one. */
export function nameOfKey({ name }: ApiKey): string {
  return name === "" ? t("Unnamed key") : name;
}

/** What a key gives access to, in words; `drive` is its one drive, if that still exists. */
export interface Reach {
  readonly text: string;
  readonly drive: Drive | undefined;
}

/** What a key reaches among the account's drives. */
export function reachOf({ drive_id: id }: ApiKey, drives: readonly Drive[]): Reach {
  if (id === null) return { text: t("All drives"), drive: undefined };
  const drive = drives.find((each) => each.id === id);
  return { text: drive?.name ?? t("Deleted drive"), drive };
}

interface Props {
  readonly apiKey: ApiKey;
  readonly reach: Reach;
  /** The key that made it; undefined if none did, or it is not in the list. */
  readonly maker: ApiKey | undefined;
  readonly onRevoke: () => void;
}

/** A key: its name, its access, when it was last used and when it expires. */
export function KeyRow({ apiKey: key, reach, maker, onRevoke }: Props) {
  return (
    <li class="key">
      <div class="key-name">
        <h2>
          <Name text={nameOfKey(key)} />
        </h2>
        <code class="soft">{key.key_prefix}…</code>
        {key.client_id !== null && <p class="soft key-app">{appOf(key.client_id)}</p>}
        {maker !== undefined && (
          <p class="soft key-app">
            {rich("Made by {who}", {
              who: <Name text={maker.name === "" ? maker.key_prefix : maker.name} />,
            })}
          </p>
        )}
      </div>
      <div class="key-reach">
        <p>
          <span class="hidden-visually">{t("Access:")} </span>
          <ReachLink {...reach} />
        </p>
        <p class="soft">
          <Scope apiKey={key} />
        </p>
      </div>
      <p class="soft key-times">
        <span title={formatTime(key.created_at)}>
          {t("Created {when}", { when: formatRelative(key.created_at) })}
        </span>
        <LastUse at={key.last_used_at} />
        {key.expires_at !== null && (
          <span title={formatTime(key.expires_at)}>
            {key.client_id === null
              ? t("Expires {when}", { when: formatRelative(key.expires_at) })
              : t("Signed out {when} without use", { when: formatRelative(key.expires_at) })}
          </span>
        )}
      </p>
      <button type="button" class="button" onClick={onRevoke}>
        {t("Revoke")}
        <span class="hidden-visually">
          {" "}
          <Name text={key.name === "" ? key.key_prefix : key.name} />
        </span>
      </button>
    </li>
  );
}

/** What a key may do, and where. */
function Scope({ apiKey: { scope, path_prefix: folder } }: Pick<Props, "apiKey">) {
  const isReading = scope === "read-only";
  if (folder === null) return <>{isReading ? t("Read-only") : t("Read and write")}</>;
  const shown = { folder: <Name text={folder} /> };
  return (
    <>{isReading ? rich("Read-only, in {folder}", shown) : rich("Read and write, in {folder}", shown)}</>
  );
}

/** What kind of app has a key: one that a site vouches for, by the address of its id, or any. */
function appOf(clientId: string): string {
  const host = documentHost(clientId);
  return host === null ? t("App that you let in") : t("App of {host}", { host });
}

function ReachLink({ text, drive }: Reach) {
  if (drive === undefined) return <span>{text}</span>;
  return (
    <Link to={folderAddress(drive.slug ?? drive.id, "")}>
      <Name text={text} />
    </Link>
  );
}

function LastUse({ at }: { readonly at: string | null }) {
  if (at === null) return <span>{t("Never used")}</span>;
  return <span title={formatTime(at)}>{t("Last used {when}", { when: formatRelative(at) })}</span>;
}
