import plusIcon from "lucide-static/icons/plus.svg" with { type: "text" };
import { useState } from "preact/hooks";
import { AskedToConnect, askToConnect } from "../components/connect.tsx";
import { Failure } from "../components/failure.tsx";
import { Icon } from "../components/icon.tsx";
import { call } from "../lib/api/api.ts";
import { listDrives } from "../lib/drives.ts";
import { useHeadingAfterLoss } from "../lib/browser/focus.ts";
import { useLoad } from "../lib/api/load.ts";
import type { ApiKey, Drive } from "../lib/api/types.ts";
import { rich, t } from "../lib/words/text.ts";
import { KeyList } from "./keys/key-list.tsx";
import { RevokeKey } from "./keys/revoke-key.tsx";

export function Keys() {
  const { loaded, reload } = useLoad("keys", loadKeys);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const page = loaded.state === "ready" ? loaded.value : null;
  // An answer may come when another dialog is open.
  const endRevoking = () => setRevoking((now) => (now === revoking ? null : now));
  const heading = useHeadingAfterLoss(page?.keys.length ?? 0);
  return (
    <>
      <div class="page-head">
        <div class="page-about">
          <h1 ref={heading} tabIndex={-1}>
            {t("Keys")}
          </h1>
          <p class="soft">
            {rich("Agents use a key to work with your drives through the {api}.", {
              api: <a href="/docs">API</a>,
            })}
          </p>
        </div>
        <button type="button" class="button primary" onClick={askToConnect}>
          <Icon svg={plusIcon} /> {t("Connect an agent")}
        </button>
      </div>
      {loaded.state === "loading" && <p class="soft">{t("Loading…")}</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {page !== null && <KeyList {...page} onRevoke={setRevoking} />}
      <AskedToConnect onClose={reload} />
      {revoking !== null && (
        <RevokeKey
          apiKey={revoking}
          onClose={endRevoking}
          onDone={() => {
            endRevoking();
            reload();
          }}
        />
      )}
    </>
  );
}

async function loadKeys(signal: AbortSignal): Promise<{ keys: ApiKey[]; drives: readonly Drive[] }> {
  const [keys, drives] = await Promise.all([
    call<ApiKey[]>("GET", "/v0/keys", { signal }),
    listDrives(signal),
  ]);
  return { keys, drives };
}
