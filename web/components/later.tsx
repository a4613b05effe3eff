import type { ComponentChildren, FunctionComponent } from "preact";
import { useLoad } from "../lib/api/load.ts";
import { t } from "../lib/words/text.ts";
import { Failure } from "./failure.tsx";

function Loading() {
  return <p class="soft">{t("Loading…")}</p>;
}

/**
 * A page, or a part of one, whose script comes when it is first shown: most visits do without it.
 *
 * @param load imports it
 * @param meanwhile shown until it is there
 */
export function later<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
  meanwhile: ComponentChildren = <Loading />,
): FunctionComponent<Props> {
  let Known: FunctionComponent<Props> | null = null;
  return function Later(props) {
    const { loaded, reload } = useLoad("script", async () => (Known ??= await load()));
    if (Known !== null) return <Known {...props} />;
    if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
    return <>{meanwhile}</>;
  };
}
