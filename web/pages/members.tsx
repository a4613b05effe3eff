import membersIcon from "lucide-static/icons/users-round.svg" with { type: "text" };
import { useState } from "preact/hooks";
import { DriveHead } from "../components/shell/drive-head.tsx";
import { Empty } from "../components/empty.tsx";
import { Failure } from "../components/failure.tsx";
import { NotFound } from "../components/shell/not-found.tsx";
import { call } from "../lib/api/api.ts";
import { isManaged } from "../lib/drive-places.ts";
import { getDrive } from "../lib/drives.ts";
import { useHeadingAfterLoss } from "../lib/browser/focus.ts";
import { useLoad } from "../lib/api/load.ts";
import { navigate } from "../lib/browser/router.tsx";
import { useSession } from "../lib/api/session.tsx";
import type { Drive, Member } from "../lib/api/types.ts";
import { t } from "../lib/words/text.ts";
import { AddMember, RemoveMember } from "./members/dialogs.tsx";
import { MemberRow } from "./members/row.tsx";

/** Who else may use a drive. */
export function Members({ driveId }: { readonly driveId: string }) {
  const { loaded, reload } = useLoad(driveId, (signal) => getDrive(driveId, signal));
  if (loaded.state === "loading") return <p class="soft">{t("Loading…")}</p>;
  if (loaded.state === "ready") return <MembersOf drive={loaded.value} />;
  return loaded.error.status === 404 ? <NotFound /> : <Failure error={loaded.error} retry={reload} />;
}

type Doing = { readonly what: "add" } | { readonly what: "remove"; readonly member: Member };

function MembersOf({ drive }: { readonly drive: Drive }) {
  const { account } = useSession();
  const { loaded, reload } = useLoad("members", async (signal) => {
    const path = `/v0/drives/${drive.id}/members`;
    return (await call<{ data: Member[] }>("GET", path, { signal })).data;
  });
  const [doing, setDoing] = useState<Doing | null>(null);
  const members = loaded.state === "ready" ? loaded.value : [];
  const heading = useHeadingAfterLoss(members.length);
  const close = () => setDoing((now) => (now === doing ? null : now));
  const finish = () => {
    close();
    reload();
  };
  const canManage = isManaged(drive);
  const add = canManage && (
    <button type="button" class="button primary" onClick={() => setDoing({ what: "add" })}>
      {t("Add member")}
    </button>
  );
  return (
    <>
      <DriveHead title={t("Members")} drive={drive} heading={heading}>
        {members.length > 0 && add}
      </DriveHead>
      {loaded.state === "loading" && <p class="soft">{t("Loading…")}</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {loaded.state === "ready" && members.length === 0 && (
        <Empty svg={membersIcon} title={t("Nobody else uses this drive")}>
          <p class="soft">
            {t(
              "Add other users of this server: readers look at the files and download them, editors change them as well. The drive stays yours.",
            )}
          </p>
          {add}
        </Empty>
      )}
      {members.length > 0 && (
        <ul class="list">
          {members.map((member) => (
            <MemberRow
              key={member.user_id}
              drive={drive}
              member={member}
              isSelf={member.user_id === account.id}
              canManage={canManage}
              onChanged={reload}
              onRemove={() => setDoing({ what: "remove", member })}
            />
          ))}
        </ul>
      )}
      {doing?.what === "add" && <AddMember drive={drive} onClose={close} onDone={finish} />}
      {doing?.what === "remove" && (
        <RemoveMember
          drive={drive}
          member={doing.member}
          isSelf={doing.member.user_id === account.id}
          onClose={close}
          onDone={() => (doing.member.user_id === account.id ? navigate("/drives") : finish())}
        />
      )}
    </>
  );
}
