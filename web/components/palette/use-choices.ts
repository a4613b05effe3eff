import manualIcon from "lucide-static/icons/book-open.svg" with { type: "text" };
import agentIcon from "lucide-static/icons/bot.svg" with { type: "text" };
import keyboardIcon from "lucide-static/icons/keyboard.svg" with { type: "text" };
import leaveIcon from "lucide-static/icons/log-out.svg" with { type: "text" };
import { useEffect, useMemo, useState } from "preact/hooks";
import { type ApiError, call } from "../../lib/api/api.ts";
import { useLoad } from "../../lib/api/load.ts";
import { useSession } from "../../lib/api/session.tsx";
import type { FoundFile, SearchAnswer } from "../../lib/api/types.ts";
import { inBrowser } from "../../lib/browser/base-path.ts";
import { navigate } from "../../lib/browser/router.tsx";
import { drivePlaces } from "../../lib/drive-places.ts";
import { listDrives } from "../../lib/drives.ts";
import {
  type ActionChoice,
  type Choice,
  type ChoiceGroup,
  driveAt,
  driveChoice,
  fitting,
  foundChoices,
  keyOf,
  type LinkChoice,
  morePages,
  searchChoices,
  wordsOf,
} from "../../lib/palette/choices.ts";
import { recentChoices } from "../../lib/palette/recent.ts";
import { t } from "../../lib/words/text.ts";
import type { PageAction } from "../actions.ts";
import { CONNECT } from "../connect.tsx";
import { mainPlaces } from "../shell/places.ts";

/** How long typing must rest before the server is asked: it allows so many requests a minute. */
const REST_MS = 250;
/** Files that are asked for. */
const MOST_FILES = 8;

interface Asked {
  readonly typed: string;
  /** What the page offers to be done. */
  readonly actions: readonly PageAction[];
  readonly onShortcuts: () => void;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** What there is to choose from for what was typed, and what became of asking the server for it. */
export function useChoices({ typed, actions, onShortcuts, path, query }: Asked): {
  readonly groups: readonly ChoiceGroup[];
  readonly isAsking: boolean;
  readonly failed: ApiError | null;
} {
  const { account, signOut } = useSession();
  const { loaded } = useLoad("drives", listDrives);
  const drives = loaded.state === "ready" ? loaded.value : [];
  const drive = driveAt(path, query, drives);
  const wanted = typed.trim();
  const { files, isAsking, ...found } = useFound(wanted, drive?.id ?? null);
  const failed = loaded.state === "failed" ? loaded.error : found.failed;
  const done: readonly ActionChoice[] = [
    ...actions.map(asAction),
    {
      kind: "action",
      name: t("Connect an agent"),
      svg: agentIcon,
      onChoose: () => navigate(`/keys${CONNECT}`),
    },
    { kind: "action", name: t("Keyboard shortcuts"), svg: keyboardIcon, onChoose: onShortcuts },
    {
      kind: "action",
      name: t("Manual"),
      svg: manualIcon,
      onChoose: () => location.assign(inBrowser("/manual")),
    },
    { kind: "action", name: t("Sign out"), svg: leaveIcon, onChoose: () => void signOut() },
  ];
  const pages: readonly LinkChoice[] = [
    ...(drive === undefined
      ? []
      : drivePlaces(drive).map(({ name, to }) => ({ kind: "page" as const, name, where: drive.name, to }))),
    ...mainPlaces(account).map(({ name, to }) => ({ kind: "page" as const, name, where: "", to })),
    ...morePages(account),
  ];
  const recent = useMemo(() => recentChoices(account.id, [...done, ...pages]), []);
  const known: readonly ChoiceGroup[] = [
    { title: t("Recent"), choices: recent },
    { title: t("Actions"), choices: done },
    { title: t("Drives"), choices: drives.map(driveChoice) },
    { title: t("Pages"), choices: pages },
  ];
  if (wanted === "") return { groups: once(known), isAsking: false, failed };
  const groups = once([
    ...known.map(({ title, choices }) => ({ title, choices: fitting(wanted, choices) })),
    { title: t("Files and folders"), choices: foundChoices(wanted, files, drives) },
    { title: t("Search"), choices: searchChoices(wanted, drive) },
  ]);
  return { groups, isAsking, failed };
}

/** Files that have what was typed, the last answer until there is another. */
function useFound(wanted: string, drive: string | null) {
  const [asked, setAsked] = useState("");
  useEffect(() => {
    const timer = setTimeout(setAsked, REST_MS, wanted);
    return () => clearTimeout(timer);
  }, [wanted]);
  const { loaded } = useLoad(`${drive} ${asked}`, async (signal) => {
    const answer = { asked, files: [] as readonly FoundFile[] };
    if (wordsOf(asked).length === 0) return answer;
    const query = new URLSearchParams({ q: asked, limit: String(MOST_FILES) });
    if (drive !== null) query.set("drive_id", drive);
    const { data } = await call<SearchAnswer>("GET", `/v0/search?${query}`, { signal });
    return { asked, files: data };
  });
  return {
    files: loaded.state === "ready" && wanted !== "" ? loaded.value.files : [],
    isAsking: loaded.state !== "failed" && (loaded.state === "loading" || loaded.value.asked !== wanted),
    failed: loaded.state === "failed" && asked === wanted ? loaded.error : null,
  };
}

function asAction({ name, title = name, svg, href, onChoose }: PageAction): ActionChoice {
  // A download: its answer leaves the page where it is.
  const follow = () => location.assign(inBrowser(href ?? location.href));
  return { kind: "action", name: title, svg, onChoose: onChoose ?? follow };
}

/** Each choice where it comes first, and no group without any. */
function once(groups: readonly ChoiceGroup[]): readonly ChoiceGroup[] {
  const seen = new Set<string>();
  const isNew = (choice: Choice) => {
    const key = keyOf(choice);
    return !seen.has(key) && seen.add(key) !== null;
  };
  return groups
    .map(({ title, choices }) => ({ title, choices: choices.filter(isNew) }))
    .filter(({ choices }) => choices.length > 0);
}
