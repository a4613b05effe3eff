import { isLoopback } from "../../../src/domain/network/loopback.ts";
import type { Agent } from "../../lib/agents/agents.ts";
import { call } from "../../lib/api/api.ts";
import { useLoad } from "../../lib/api/load.ts";
import { useSession } from "../../lib/api/session.tsx";
import { serverAddress } from "../../lib/browser/shown-address.ts";
import { sentenceSpace } from "../../lib/words/format.ts";
import { type PlainMessage, rich, t } from "../../lib/words/text.ts";
import { Failure } from "../failure.tsx";
import { Choice } from "../forms/choice.tsx";

interface ServerAddressProps {
  readonly agent: Agent;
  /** The address that the agent is given. */
  readonly server: string;
  readonly onChoose: (server: string) => void;
}

/** By which address the agent reaches the server: that of the page, unless this leads the agent's machine to itself. */
export function ServerAddress({ agent, ...address }: ServerAddressProps) {
  if (agent.signsIn) return address.server.startsWith("https:") ? null : <NotOnInternet agent={agent.name} />;
  return isLoopback(location.hostname) ? <FromWhere {...address} /> : null;
}

function NotOnInternet({ agent }: { readonly agent: PlainMessage }) {
  return (
    <div class="notice careful">
      <p>
        {rich(
          "{agent} comes from the internet, and needs an https address. Once this server has one, set it as {setting}.",
          {
            agent: t(agent),
            setting: <code>COFFER_BASE_URL</code>,
          },
        )}
      </p>
    </div>
  );
}

function FromWhere({ server, onChoose }: Omit<ServerAddressProps, "agent">) {
  const { account } = useSession();
  const { loaded, reload } = useLoad("addresses", async (signal) =>
    account.admin ? (await call<{ data: string[] }>("GET", "/v0/addresses", { signal })).data : [],
  );
  if (loaded.state === "loading") return null;
  if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
  const others = loaded.value;
  if (others.length === 0) return <OnlyHere isAdmin={account.admin} />;
  return (
    <Choice
      label={t("The agent runs on")}
      name="server"
      options={[
        { value: serverAddress(), text: t("This computer ({address})", { address: serverAddress() }) },
        ...others.map((address) => ({
          value: address,
          text: t("Another computer ({address})", { address }),
        })),
      ]}
      value={server}
      onChoose={onChoose}
    />
  );
}

function OnlyHere({ isAdmin }: { readonly isAdmin: boolean }) {
  return (
    <div class="notice careful">
      <p>
        {rich("Only agents on this computer reach {address}.", { address: <code>{serverAddress()}</code> })}
        {sentenceSpace()}
        {isAdmin
          ? rich(
              "For others, start the server with {setting}, or with {other} set to an address that leads here.",
              {
                setting: <code>COFFER_HOST=0.0.0.0</code>,
                other: <code>COFFER_BASE_URL</code>,
              },
            )
          : t("For others, open this page at an address that leads here from there.")}
      </p>
    </div>
  );
}
