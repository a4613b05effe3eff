import { useState } from "preact/hooks";
import { type Agent, AGENTS } from "../../lib/agents/agents.ts";
import { useLoad } from "../../lib/api/load.ts";
import { listOwnDrives } from "../../lib/drives.ts";
import type { Drive } from "../../lib/api/types.ts";
import { serverAddress } from "../../lib/browser/shown-address.ts";
import { t } from "../../lib/words/text.ts";
import { Dialog } from "../dialog.tsx";
import { Failure } from "../failure.tsx";
import { Choice } from "../forms/choice.tsx";
import { FirstUse } from "./first-use.tsx";
import { KeyForm, type MadeKey } from "./key-form.tsx";
import { Paste } from "./paste.tsx";
import { ServerAddress } from "./server-address.tsx";

interface ConnectAgentProps {
  /** The key that was made for it; null while there is none. */
  readonly made: MadeKey | null;
  readonly onMade: (made: MadeKey) => void;
  readonly onClose: () => void;
}

/** Connects an agent: makes a key if it needs one, says what to paste where, and waits for its first request. */
export function ConnectAgent(props: ConnectAgentProps) {
  // Only who owns a drive makes keys for it.
  const { loaded, reload } = useLoad("drives", listOwnDrives);
  return (
    <Dialog title={t("Connect an agent")} onClose={props.onClose}>
      {loaded.state === "loading" && <p class="soft">{t("Loading…")}</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {loaded.state === "ready" && <Steps {...props} drives={loaded.value} />}
    </Dialog>
  );
}

interface StepsProps extends ConnectAgentProps {
  readonly drives: readonly Drive[];
}

function Steps({ made, onMade, onClose, drives }: StepsProps) {
  const [agent, setAgent] = useState<Agent>(made?.agent ?? AGENTS[0]);
  const [server, setServer] = useState(serverAddress);
  return (
    <>
      <Choice
        label={t("Agent")}
        name="agent"
        options={AGENTS.map(({ name }) => ({ value: name, text: t(name) }))}
        value={agent.name}
        onChoose={(chosen) => setAgent(AGENTS.find(({ name }) => name === chosen) ?? agent)}
      />
      <ServerAddress agent={agent} server={server} onChoose={setServer} />
      {agent.signsIn && <Paste {...agent.paste(server)} />}
      {!agent.signsIn && made === null && (
        <KeyForm agent={agent} drives={drives} onMade={onMade} onCancel={onClose} />
      )}
      {!agent.signsIn && made !== null && (
        <>
          {agent.pastes(server, made.given).map((paste) => (
            <Paste key={paste.what} {...paste} />
          ))}
          <p class="soft">{t("The key is shown only now. You can revoke it on the page of keys.")}</p>
          <FirstUse apiKey={made.key} />
        </>
      )}
      {(agent.signsIn || made !== null) && (
        <div class="row">
          <button type="button" class="button primary" onClick={onClose}>
            {t("Done")}
          </button>
        </div>
      )}
    </>
  );
}
