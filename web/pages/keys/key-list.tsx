import { formatRelative, formatTime } from "../../lib/format.ts";
import type { ApiKey } from "../../lib/types.ts";

/** What a key without a name is called. */
export const NAMELESS = "Without a name";

export function KeyList(props: {
  readonly keys: readonly ApiKey[];
  readonly onRevoke: (key: ApiKey) => void;
}) {
  const { keys, onRevoke } = props;
  if (keys.length === 0) {
    return (
      <div class="empty">
        <h2>No keys yet</h2>
        <p class="soft">
          Make one for each agent, so that you can revoke one without the others. What to do with it is shown
          along with it.
        </p>
      </div>
    );
  }
  return (
    <ul class="list keys">
      {keys.map((key) => (
        <li key={key.id} class="key">
          <div class="key-name">
            <h2>
              <bdi>{key.name === "" ? NAMELESS : key.name}</bdi>
            </h2>
            <code class="soft">{key.key_prefix}…</code>
          </div>
          <span class={`pill ${key.scope === "read-only" ? "" : "strong"}`}>
            {key.scope === "read-only" ? "Only reads" : "Reads and writes"}
          </span>
          <p class="soft key-times">
            <span title={formatTime(key.created_at)}>Made {formatRelative(key.created_at)}</span>
            <LastUse at={key.last_used_at} />
          </p>
          <button type="button" class="button" onClick={() => onRevoke(key)}>
            Revoke
            <span class="hidden-visually">
              {" "}
              <bdi>{key.name === "" ? key.key_prefix : key.name}</bdi>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function LastUse({ at }: { readonly at: string | null }) {
  if (at === null) return <span>Never used</span>;
  return <span title={formatTime(at)}>Last used {formatRelative(at)}</span>;
}
