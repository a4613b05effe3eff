import type { FileKind } from "../../../src/domain/contents/kind.ts";
import { call } from "../../lib/api/api.ts";
import { useLoad } from "../../lib/api/load.ts";
import type { Drive, UsageKind } from "../../lib/api/types.ts";
import { sumOf } from "../../lib/usage.ts";
import { mark, type PlainMessage, plural, t } from "../../lib/words/text.ts";
import { Failure } from "../failure.tsx";
import { Name } from "../name.tsx";
import { type Share, Shares } from "./shares.tsx";

/** How many drives have a bar of their own. */
const NAMED = 7;

const KINDS: Readonly<Record<FileKind, PlainMessage>> = {
  image: mark("Pictures"),
  video: mark("Videos"),
  audio: mark("Music and sound"),
  table: mark("Tables"),
  archive: mark("Archives"),
  code: mark("Code and data"),
  pdf: mark("PDFs"),
  text: mark("Texts and documents"),
  other: mark("Other files"),
};

/** The drives of a user, largest first. */
export function StorageByDrive({ user }: { readonly user: string }) {
  return (
    <Storage
      title={t("By drive")}
      load={async (signal) => {
        const { data } = await call<{ data: Drive[] }>("GET", "/v0/drives", { signal });
        return sharesOf(data.filter(({ user_id: owner }) => owner === user));
      }}
    />
  );
}

/** What the files of the account are, largest kind first. */
export function StorageByKind() {
  return (
    <Storage
      title={t("By kind of file")}
      load={async (signal) => {
        const { data } = await call<{ data: UsageKind[] }>("GET", "/v0/account/usage/kinds", { signal });
        return data
          .filter(({ bytes }) => bytes > 0)
          .map(({ kind, bytes }) => ({ key: kind, name: t(KINDS[kind]), bytes, kind: `kind-${kind}` }));
      }}
    />
  );
}

interface StorageProps {
  readonly title: string;
  readonly load: (signal: AbortSignal) => Promise<readonly Share[]>;
}

function Storage({ title, load }: StorageProps) {
  const { loaded, reload } = useLoad("storage", load);
  return (
    <div class="chart-part">
      <h3>{title}</h3>
      {loaded.state === "loading" && <p class="soft">{t("Loading…")}</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {loaded.state === "ready" && loaded.value.length === 0 && <p class="soft">{t("No files yet.")}</p>}
      {loaded.state === "ready" && <Shares shares={loaded.value} />}
    </div>
  );
}

function sharesOf(drives: readonly Drive[]): readonly Share[] {
  const sorted = drives
    .filter(({ total_size }) => total_size > 0)
    .toSorted((a, b) => b.total_size - a.total_size);
  const rest = sorted.splice(NAMED);
  const named = sorted.map(({ id, name, total_size }) => ({
    key: id,
    name: <Name text={name} />,
    bytes: total_size,
    kind: "kind-folder",
  }));
  if (rest.length === 0) return named;
  const name = plural(rest.length, "{count} more drive", "{count} more drives");
  const bytes = sumOf(rest.map(({ total_size }) => total_size));
  return [...named, { key: "rest", name, bytes, kind: "kind-other" }];
}
