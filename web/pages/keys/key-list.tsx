import keyIcon from "lucide-static/icons/key-round.svg" with { type: "text" };
import { Empty } from "../../components/empty.tsx";
import { useState } from "preact/hooks";
import { Finder, isWanted, MANY } from "../../components/forms/finder.tsx";
import { First } from "../../components/first.tsx";
import { compareKeys, KEY_SORTS, type KeySort } from "../../lib/key-sort.ts";
import type { ApiKey, Drive } from "../../lib/api/types.ts";
import { plural, t } from "../../lib/words/text.ts";
import { KeyRow, reachOf } from "./key-row.tsx";

interface Props {
  readonly keys: readonly ApiKey[];
  readonly drives: readonly Drive[];
  readonly onRevoke: (key: ApiKey) => void;
}

/** All keys, with a filter and a sort order where there are many. */
export function KeyList({ keys, drives, onRevoke }: Props) {
  const [wanted, setWanted] = useState("");
  const [sort, setSort] = useState<KeySort>(KEY_SORTS[0].value);
  if (keys.length === 0) return <NoKeys />;
  const shown = keys
    .map((key) => ({ key, reach: reachOf(key, drives) }))
    .filter(({ key, reach }) => isWanted(wanted, [key.name, key.key_prefix, reach.text]))
    .toSorted((one, other) => compareKeys(sort, one.key, other.key));
  return (
    <>
      {keys.length >= MANY && (
        <div class="list-tools">
          <Finder label={t("Find a key")} wanted={wanted} onWant={setWanted}>
            {plural(shown.length, "{count} key", "{count} keys")}
          </Finder>
          <Sorts sort={sort} onSort={setSort} />
        </div>
      )}
      {shown.length === 0 && <p class="soft">{t("No matching keys.")}</p>}
      {shown.length > 0 && (
        <First of={shown}>
          {(some) => (
            <ul class="list keys">
              {some.map(({ key, reach }) => (
                <KeyRow
                  key={key.id}
                  apiKey={key}
                  reach={reach}
                  maker={keys.find(({ id }) => id === key.made_by)}
                  onRevoke={() => onRevoke(key)}
                />
              ))}
            </ul>
          )}
        </First>
      )}
    </>
  );
}

function NoKeys() {
  return (
    <Empty svg={keyIcon} title={t("No keys yet")}>
      <p class="soft">
        {t("Connect each agent with a key of its own, so that you can revoke each on its own.")}
      </p>
    </Empty>
  );
}

function Sorts({ sort, onSort }: { readonly sort: KeySort; readonly onSort: (sort: KeySort) => void }) {
  const choose = (value: string) => {
    const chosen = KEY_SORTS.find((each) => each.value === value);
    if (chosen !== undefined) onSort(chosen.value);
  };
  return (
    <select
      class="input list-sort"
      aria-label={t("Sort keys")}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {KEY_SORTS.map(({ value, text }) => (
        <option key={value} value={value} selected={value === sort}>
          {t(text)}
        </option>
      ))}
    </select>
  );
}
