import fineIcon from "lucide-static/icons/circle-check.svg" with { type: "text" };
import problemIcon from "lucide-static/icons/triangle-alert.svg" with { type: "text" };
import { Icon } from "../../components/icon.tsx";
import { Visible } from "../../components/name.tsx";
import type { ServerProblem, ServerReport } from "../../lib/api/types.ts";
import { formatTime } from "../../lib/words/format.ts";
import { wordsOfProblem } from "../../lib/words/problem-words.ts";
import { t } from "../../lib/words/text.ts";

/** Without these the server works, if not in everything. */
const LIGHT: readonly ServerProblem["kind"][] = [
  "disk_nearly_full",
  "requests_failed",
  "embeddings_failed",
  "webhooks_disabled",
];

/** What somebody should look at, worst first. */
export function Problems({ server }: { readonly server: ServerReport }) {
  const { problems } = server;
  return (
    <section aria-labelledby="problems" class="server-part">
      <h2 id="problems">{t("What needs attention")}</h2>
      {problems.length === 0 ? (
        <p class="server-fine">
          <Icon svg={fineIcon} /> {t("Nothing: all is well.")}
        </p>
      ) : (
        <ul class="server-problems">
          {problems.map((problem) => (
            <Problem key={problem.kind} problem={problem} server={server} />
          ))}
        </ul>
      )}
    </section>
  );
}

interface ProblemProps {
  readonly problem: ServerProblem;
  readonly server: ServerReport;
}

function Problem({ problem, server }: ProblemProps) {
  const { what, advice } = wordsOfProblem(problem, server);
  return (
    <li class={`notice ${LIGHT.includes(problem.kind) ? "careful" : "bad"}`}>
      <h3>
        <Icon svg={problemIcon} /> {what}
      </h3>
      <p>{advice}</p>
      {problem.reason !== null && problem.reason !== "" && (
        <pre class="server-said">
          <Visible text={problem.reason} />
        </pre>
      )}
      {problem.since !== null && <p class="soft">{t("Since {time}", { time: formatTime(problem.since) })}</p>}
    </li>
  );
}
