import type { ComponentChildren, FunctionComponent } from "preact";
import { useLoad } from "../lib/api/load.ts";
import { Failure } from "./failure.tsx";

/**
 * A page, or a part of one, whose script comes when it is first shown: most visits do without it.
 *
 * @param load imports it
 * @param meanwhile what stands in its place until then
 */
export function later<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
  meanwhile: ComponentChildren = <p class="soft">Loading…</p>,
): FunctionComponent<Props> {
  let Known: FunctionComponent<Props> | null = null;
  return function Later(props) {
    const { loaded, reload } = useLoad("script", async () => (Known ??= await load()));
    if (Known !== null) return <Known {...props} />;
    if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
    return <>{meanwhile}</>;
  };
}
