import usersIcon from "lucide-static/icons/users-round.svg" with { type: "text" };
import plusIcon from "lucide-static/icons/user-round-plus.svg" with { type: "text" };
import { useState } from "preact/hooks";
import { Empty } from "../components/empty.tsx";
import { Failure } from "../components/failure.tsx";
import { Finder, isWanted, MANY } from "../components/forms/finder.tsx";
import { First } from "../components/first.tsx";
import { Icon } from "../components/icon.tsx";
import { useLoad } from "../lib/api/load.ts";
import { useSession } from "../lib/api/session.tsx";
import type { User } from "../lib/api/types.ts";
import { listUsers, type SignInDetails } from "../lib/users.ts";
import { plural, rich, t } from "../lib/words/text.ts";
import { AddUser, ShareDetails } from "./users/add-user.tsx";
import { UserRow } from "./users/user-row.tsx";

interface FindProps {
  /** Whom the address is to find; empty for all. */
  readonly find: string;
}

/** All users of this server; for administrators only. */
export function Users({ find }: FindProps) {
  const { account } = useSession();
  return account.admin ? <EveryUser find={find} /> : <NotForYou />;
}

function NotForYou() {
  return (
    <Empty svg={usersIcon} title={t("Admins only")} isPage>
      <p class="soft">{t("Administrators manage the users of this server. Ask one of them for help.")}</p>
    </Empty>
  );
}

function EveryUser({ find }: FindProps) {
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<SignInDetails | null>(null);
  const { loaded, reload } = useLoad("users", listUsers);
  return (
    <>
      <div class="page-head">
        <div>
          <h1>{t("Users")}</h1>
          {loaded.state === "ready" && (
            <p class="soft">{plural(loaded.value.length, "{count} user", "{count} users")}</p>
          )}
        </div>
        <button type="button" class="button primary" onClick={() => setAdding(true)}>
          <Icon svg={plusIcon} /> {t("Add user")}
        </button>
      </div>
      {loaded.state === "loading" && <p class="soft">{t("Loading…")}</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {loaded.state === "ready" && (
        <UserList find={find} users={loaded.value} onReset={setMade} onChanged={reload} />
      )}
      {loaded.state === "ready" && loaded.value.length === 1 && (
        <p class="notice">
          {t(
            "You're the only user. Each user you add has their own drives and keys. Others see a drive only if its owner makes them a member, or shares a link.",
          )}
        </p>
      )}
      <p class="soft">
        {rich("Did the only administrator forget their password? Run {command} on the server.", {
          command: <code>coffer user reset-password NAME</code>,
        })}
      </p>
      {isAdding && (
        <AddUser
          onClose={() => setAdding(false)}
          onAdded={(user) => {
            setAdding(false);
            setMade(user);
            reload();
          }}
        />
      )}
      {made !== null && <ShareDetails made={made} onClose={() => setMade(null)} />}
    </>
  );
}

interface UserListProps extends FindProps {
  readonly users: readonly User[];
  readonly onReset: (details: SignInDetails) => void;
  readonly onChanged: () => void;
}

function UserList({ find, users, onReset, onChanged }: UserListProps) {
  const { account } = useSession();
  const others = users.filter(({ id, disabled }) => !disabled && id !== account.id);
  const heirs = [account.username, ...others.map(({ username }) => username)];
  const [wanted, setWanted] = useState(find);
  const shown = users.filter((user) => isWanted(wanted, [user.username, user.display_name, user.email]));
  return (
    <>
      {(users.length >= MANY || find !== "") && (
        <Finder label={t("Find a user")} wanted={wanted} onWant={setWanted}>
          {plural(shown.length, "{count} user", "{count} users")}
        </Finder>
      )}
      {shown.length === 0 && <p class="soft">{t("No matching users.")}</p>}
      {shown.length > 0 && (
        <First of={shown}>
          {(some) => (
            <ul class="list">
              {some.map((user) => (
                <UserRow
                  key={user.id}
                  user={user}
                  heirs={heirs.filter((heir) => heir !== user.username)}
                  onReset={onReset}
                  onChanged={onChanged}
                />
              ))}
            </ul>
          )}
        </First>
      )}
    </>
  );
}
