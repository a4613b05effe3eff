import plusIcon from "lucide-static/icons/user-round-plus.svg" with { type: "text" };
import { useState } from "preact/hooks";
import { Failure } from "../components/failure.tsx";
import { Finder, isWanted, MANY } from "../components/finder.tsx";
import { First } from "../components/first.tsx";
import { Icon } from "../components/icon.tsx";
import { call } from "../lib/api.ts";
import { formatCount } from "../lib/format.ts";
import { useLoad } from "../lib/load.ts";
import { useSession } from "../lib/session.tsx";
import type { Person } from "../lib/types.ts";
import { AddPerson, type NewPerson, TellPerson } from "./people/add-person.tsx";
import { PersonRow } from "./people/person-row.tsx";

/** All users of this server; for administrators only. */
export function People() {
  const { account } = useSession();
  return account.admin ? <EveryPerson /> : <NotForYou />;
}

function NotForYou() {
  return (
    <div class="empty">
      <h1>Admins only</h1>
      <p class="soft">Administrators manage the users of this server. Ask one of them for help.</p>
    </div>
  );
}

function EveryPerson() {
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<NewPerson | null>(null);
  const { loaded, reload } = useLoad("people", async (signal) => {
    const { data } = await call<{ data: Person[] }>("GET", "/v0/users", { signal });
    return data;
  });
  return (
    <>
      <div class="page-head">
        <div>
          <h1>Users</h1>
          {loaded.state === "ready" && <p class="soft">{formatCount(loaded.value.length, "user")}</p>}
        </div>
        <button type="button" class="button primary" onClick={() => setAdding(true)}>
          <Icon svg={plusIcon} /> Add user
        </button>
      </div>
      {loaded.state === "loading" && <p class="soft">Loading…</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {loaded.state === "ready" && <PersonList people={loaded.value} onChanged={reload} />}
      {loaded.state === "ready" && loaded.value.length === 1 && (
        <p class="notice">
          You're the only user. Each user you add has their own drives and keys, and nobody can see another
          user's files.
        </p>
      )}
      <p class="soft">
        Did a user forget their password? Run <code>coffer user reset-password NAME</code> on the server.
      </p>
      {isAdding && (
        <AddPerson
          onClose={() => setAdding(false)}
          onAdded={(person) => {
            setAdding(false);
            setMade(person);
            reload();
          }}
        />
      )}
      {made !== null && <TellPerson made={made} onClose={() => setMade(null)} />}
    </>
  );
}

function PersonList({
  people,
  onChanged,
}: {
  readonly people: readonly Person[];
  readonly onChanged: () => void;
}) {
  const [wanted, setWanted] = useState("");
  const shown = people.filter((person) =>
    isWanted(wanted, [person.username, person.display_name, person.email]),
  );
  return (
    <>
      {people.length >= MANY && (
        <Finder label="Find a user" wanted={wanted} onWant={setWanted}>
          {formatCount(shown.length, "user")}
        </Finder>
      )}
      {shown.length === 0 && <p class="soft">No matching users.</p>}
      {shown.length > 0 && (
        <First of={shown}>
          {(some) => (
            <ul class="list">
              {some.map((person) => (
                <PersonRow key={person.id} person={person} onChanged={onChanged} />
              ))}
            </ul>
          )}
        </First>
      )}
    </>
  );
}
