import { documentHost } from "../../../src/domain/oauth/consent.ts";
import { Name } from "../../components/name.tsx";
import { folderAddress } from "../../lib/files/place.ts";
import { formatRelative, formatTime } from "../../lib/words/format.ts";
import { Link } from "../../lib/browser/router.tsx";
import type { ApiKey, Drive } from "../../lib/api/types.ts";

/** Shown for a key without a name. */
export const NAMELESS = "Unnamed key";

/** What a key gives access to, in words; `drive` is its one drive, if that still exists. */
export interface Reach {
  readonly text: string;
  readonly drive: Drive | undefined;
}

/** What a key reaches among the account's drives. */
export function reachOf({ drive_id: id }: ApiKey, drives: readonly Drive[]): Reach {
  if (id === null) return { text: "All drives", drive: undefined };
  const drive = drives.find((each) => each.id === id);
  return { text: drive?.name ?? "Deleted drive", drive };
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
          <Name text={key.name === "" ? NAMELESS : key.name} />
        </h2>
        <code class="soft">{key.key_prefix}…</code>
        {key.client_id !== null && <p class="soft key-app">{appOf(key.client_id)}</p>}
        {maker !== undefined && (
          <p class="soft key-app">
            Made by <Name text={maker.name === "" ? maker.key_prefix : maker.name} />
          </p>
        )}
      </div>
      <div class="key-reach">
        <p>
          <span class="hidden-visually">Access: </span>
          <ReachLink {...reach} />
        </p>
        <p class="soft">
          {key.scope === "read-only" ? "Read-only" : "Read and write"}
          {key.path_prefix !== null && (
            <>
              , in <Name text={key.path_prefix} />
            </>
          )}
        </p>
      </div>
      <p class="soft key-times">
        <span title={formatTime(key.created_at)}>Created {formatRelative(key.created_at)}</span>
        <LastUse at={key.last_used_at} />
        {key.expires_at !== null && (
          <span title={formatTime(key.expires_at)}>
            {key.client_id === null ? "Expires" : "Signed out"} {formatRelative(key.expires_at)}
            {key.client_id !== null && " without use"}
          </span>
        )}
      </p>
      <button type="button" class="button" onClick={onRevoke}>
        Revoke
        <span class="hidden-visually">
          {" "}
          <Name text={key.name === "" ? key.key_prefix : key.name} />
        </span>
      </button>
    </li>
  );
}

/** What kind of app has a key: one that a site vouches for, by the address of its id, or any. */
function appOf(clientId: string): string {
  const host = documentHost(clientId);
  return host === null ? "App that you let in" : `App of ${host}`;
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
  if (at === null) return <span>Never used</span>;
  return <span title={formatTime(at)}>Last used {formatRelative(at)}</span>;
}
