import { useFirstUse } from "../../lib/agents/first-use.ts";
import type { ApiKey } from "../../lib/api/types.ts";
import { rich, t } from "../../lib/words/text.ts";
import { Failure } from "../failure.tsx";
import { Name } from "../name.tsx";

/** Says when the agent has come with its new key, and what it wrote. */
export function FirstUse({ apiKey }: { readonly apiKey: ApiKey }) {
  const loaded = useFirstUse(apiKey);
  if (loaded.state === "failed") return <Failure error={loaded.error} />;
  const use = loaded.state === "ready" ? loaded.value : null;
  return (
    <div class={use?.isUsed === true ? "notice good" : "notice"} role="status">
      <p>
        {use?.isUsed !== true && t("Waiting for the first request…")}
        {use?.isUsed === true && use.wrote === null && t("Connected.")}
        {use?.isUsed === true &&
          use.wrote !== null &&
          rich("Connected, and wrote {file} just now.", { file: <Name text={use.wrote} /> })}
      </p>
    </div>
  );
}
