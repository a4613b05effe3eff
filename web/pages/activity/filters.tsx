import { useEffect, useRef } from "preact/hooks";
import { Choice } from "../../components/forms/choice.tsx";
import { type ActivityFilter, activityAddress, KINDS } from "../../lib/activity.ts";
import { call } from "../../lib/api/api.ts";
import { useLoad } from "../../lib/api/load.ts";
import { useSession } from "../../lib/api/session.tsx";
import type { ApiKey, Drive, Member } from "../../lib/api/types.ts";
import { navigate } from "../../lib/browser/router.tsx";
import { plain } from "../../lib/contents/overrides.ts";
import { asFolder } from "../../lib/files/place.ts";
import { optionsOf } from "../../lib/words/options.ts";
import { t } from "../../lib/words/text.ts";

interface FiltersProps {
  readonly drive: Drive;
  readonly filter: ActivityFilter;
}

/** Which of a drive's activity is shown: each choice takes effect at once, and stands in the address. */
export function Filters({ drive, filter }: FiltersProps) {
  const { account, visits } = useSession();
  const people = useLoad("people", (signal) => whoMayAct(drive, signal)).loaded;
  const known = people.state === "ready" ? people.value : [];
  const news = visits.of(drive.id);
  const since = news.before.value?.since;
  useEffect(() => {
    const abort = new AbortController();
    // Without an answer, it is just not offered.
    if (news.before.value === null) news.load(abort.signal).catch(() => {});
    return () => abort.abort();
  }, [news]);
  const choose = (part: Partial<ActivityFilter>) =>
    navigate(activityAddress(drive.id, { ...filter, ...part }));
  const folder = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (folder.current !== null) folder.current.value = filter.folder;
  }, [filter.folder]);
  const who = [{ value: "", text: t("Everybody") }, { value: account.id, text: t("You") }, ...known];
  const isKnown = who.some(({ value }) => value === filter.by);
  return (
    <search>
      <form
        class="filter-fields activity-filters"
        onSubmit={(event) => {
          event.preventDefault();
          choose({ folder: asFolder(folder.current?.value ?? "") });
        }}
      >
        <Choice
          label={t("Who")}
          name="by"
          value={filter.by}
          options={isKnown ? who : [...who, { value: filter.by, text: t("Somebody else") }]}
          onChoose={(by) => choose({ by })}
        />
        <Choice
          label={t("What")}
          name="what"
          value={filter.what}
          options={optionsOf(KINDS)}
          onChoose={(what) => choose({ what: KINDS.find(({ value }) => value === what)?.value ?? "" })}
        />
        <label class="field">
          <span>{t("Folder")}</span>
          <input
            ref={folder}
            class="input"
            type="text"
            name="folder"
            autocomplete="off"
            placeholder={t("All folders")}
            onChange={(event) => choose({ folder: asFolder(event.currentTarget.value) })}
          />
        </label>
        <Choice
          label={t("When")}
          name="when"
          value={filter.when}
          options={timesFor(filter.when, since)}
          onChoose={(when) => choose({ when })}
        />
      </form>
    </search>
  );
}

/** @param since when one was there last, if anything has happened since */
function timesFor(chosen: string, since: string | undefined) {
  const visit = since ?? (/^\d{4}-/.test(chosen) ? chosen : undefined);
  return [
    { value: "", text: t("Any time") },
    { value: "today", text: t("Today") },
    { value: "7d", text: t("Last 7 days") },
    { value: "30d", text: t("Last 30 days") },
    ...(visit === undefined ? [] : [{ value: visit, text: t("Since your last visit") }]),
  ];
}

/** Keys and people that may have done something in a drive, by name. */
async function whoMayAct(drive: Drive, signal: AbortSignal) {
  const [keys, members] = await Promise.all([
    call<ApiKey[]>("GET", "/v0/keys", { signal }),
    call<{ data: Member[] }>("GET", `/v0/drives/${drive.id}/members`, { signal }),
  ]);
  return [
    ...members.data.map(({ user_id: value, username }) => ({ value, text: plain(username) })),
    ...keys
      .filter(({ drive_id: limit }) => limit === null || limit === drive.id)
      .map(({ id: value, name }) => ({ value, text: name === "" ? t("Unnamed key") : plain(name) })),
  ];
}
