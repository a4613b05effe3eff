import type { ApiError } from "../lib/api/api.ts";
import { useLoad } from "../lib/api/load.ts";
import { type Compared, compareVersions } from "../lib/versions.ts";
import { t } from "../lib/words/text.ts";
import { Diff } from "./diff.tsx";
import { Failure } from "./failure.tsx";

interface ComparisonProps {
  /** Of the file. */
  readonly id: string;
  readonly compared: Compared;
  readonly label: string;
}

/** What differs between two contents of a file, or why that is not shown. */
export function Comparison({ id, compared, label }: ComparisonProps) {
  const { loaded, reload } = useLoad("diff", (signal) => compareVersions(id, compared, signal));
  if (loaded.state === "loading") return <p class="soft">{t("Comparing…")}</p>;
  if (loaded.state === "failed") {
    const why = whyNot(loaded.error);
    return why === null ? <Failure error={loaded.error} retry={reload} /> : <p class="notice">{why}</p>;
  }
  const { diff, diff_cut: isCut } = loaded.value;
  if (diff === "") return <p class="soft">{t("Both are the same.")}</p>;
  return <Diff diff={diff} isCut={isCut} label={label} />;
}

/** Why contents are never compared; null for what may pass. */
function whyNot({ status }: ApiError): string | null {
  if (status === 413) return t("These contents are too large to compare.");
  if (status === 415) return t("Only texts can be compared.");
  return status === 404 ? t("What it held then is not kept.") : null;
}
