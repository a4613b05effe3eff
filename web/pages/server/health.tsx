import type { ComponentChildren } from "preact";
import { Bar, Meter } from "../../components/meter.tsx";
import type { ServerReport } from "../../lib/api/types.ts";
import { formatBytes, formatTime } from "../../lib/words/format.ts";
import { plural, t } from "../../lib/words/text.ts";

/** Where the server stops to count what is to be indexed. */
const MOST_WAITING = 10_000;

/** How full the server is, and how far its work in the background is. */
export function Health({ server }: { readonly server: ServerReport }) {
  const { contents, sizes } = server;
  return (
    <section aria-labelledby="health" class="card">
      <h2 id="health">{t("Health")}</h2>
      <div class="meters">
        <Disks server={server} />
        {contents === null ? (
          <Fact label={t("Contents of files")} figure="…">
            {t("Being added up")}
          </Fact>
        ) : (
          <Fact label={t("Contents of files")} figure={formatBytes(contents.size)}>
            {plural(contents.count, "{count} content", "{count} different contents")}
          </Fact>
        )}
        <Fact label={t("Database")} figure={formatBytes(sizes.database)}>
          {t("and {size} in its log", { size: formatBytes(sizes.log) })}
        </Fact>
        <Fact label={t("Search index")} figure={formatBytes(sizes.search_index + sizes.vectors)}>
          {stateOfIndex(server)}
        </Fact>
        <Scrub scrub={server.scrub} />
      </div>
    </section>
  );
}

/** How full each disk is, or where the bucket is. A single disk needs no name. */
function Disks({ server: { disk, disks } }: { readonly server: ServerReport }) {
  return disks.map(({ path, former, problem, total, free }) => {
    const isBucket = path.startsWith("s3://");
    const label = disks.length === 1 && !isBucket ? t("Disk") : path;
    if (problem !== null)
      return (
        <Fact key={path} label={label} figure="–">
          {t("Can't be reached")}
        </Fact>
      );
    if (total === null || free === null)
      return (
        <Fact key={path} label={label} figure={t("Bucket")}>
          {former ? t("Gets no new contents") : t("The bucket does not tell how much room it has")}
        </Fact>
      );
    return (
      <div key={path}>
        <Meter label={label} figure={{ used: total - free, limit: total }} format={formatBytes} />
        <p class="soft">
          {former
            ? t("Gets no new contents")
            : t("{free} free, of which uploads leave {reserve}", {
                free: formatBytes(free),
                reserve: formatBytes(disk.reserve),
              })}
        </p>
      </div>
    );
  });
}

interface FactProps {
  readonly label: string;
  readonly figure: string;
  readonly children: ComponentChildren;
}

/** A figure that has no limit. */
function Fact({ label, figure, children }: FactProps) {
  return (
    <div class="meter">
      <p class="meter-label">{label}</p>
      <p class="meter-figure">{figure}</p>
      <p class="soft">{children}</p>
    </div>
  );
}

function stateOfIndex({ index: { waiting } }: ServerReport): string {
  if (waiting === 0) return t("Up to date");
  return waiting < MOST_WAITING
    ? plural(waiting, "{count} text to be read", "{count} texts to be read")
    : t("{count} texts or more to be read", { count: MOST_WAITING });
}

/** The slow check of all contents for damage. */
function Scrub({ scrub }: Pick<ServerReport, "scrub">) {
  const label = t("Check for damage");
  if (scrub === null)
    return (
      <Fact label={label} figure={t("Off")}>
        {t("COFFER_SCRUB_INTERVAL turns it on")}
      </Fact>
    );
  const percent = Math.floor(scrub.progress * 100);
  const figure = t("{percent} %", { percent });
  return (
    <div class="meter">
      <p class="meter-label">{label}</p>
      <p class="meter-figure">{figure}</p>
      <p class="soft">
        {scrub.finished_at === null
          ? t("The first round is under way")
          : t("The last round ended {time}", { time: formatTime(scrub.finished_at) })}
      </p>
      <Bar label={label} share={scrub.progress} text={figure} />
    </div>
  );
}
