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

/** Everybody who has an account here, for administrators to look after. */
export function People() {
  const { account } = useSession();
  return account.admin ? <EveryPerson /> : <NotForYou />;
}

function NotForYou() {
  return (
    <div class="empty">
      <h1>This is for administrators</h1>
      <p class="soft">Administrators look after the accounts of this server. Ask one of them.</p>
    </div>
  );
}

function EveryPerson() {
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<NewPerson | null>(null);
  const { loaded, reload } = useLoad("people", async (signal) => {
    const { data } = await call<{ data: Person[] }>("GET", "/v0/people", { signal });
    return data;
  });
  return (
    <>
      <div class="page-head">
        <div>
          <h1>People</h1>
          {loaded.state === "ready" && <p class="soft">{formatCount(loaded.value.length, "account")}</p>}
        </div>
        <button type="button" class="button primary" onClick={() => setAdding(true)}>
          <Icon svg={plusIcon} /> Add somebody
        </button>
      </div>
      {loaded.state === "loading" && <p class="soft">Loading the people…</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {loaded.state === "ready" && <PersonList people={loaded.value} onChanged={reload} />}
      {loaded.state === "ready" && loaded.value.length === 1 && (
        <p class="notice">
          You are alone here. Add somebody, and they get drives and keys of their own; nobody sees what is in
          another's drives.
        </p>
      )}
      <p class="soft">
        Somebody forgot their password? Run <code>coffer user reset-password NAME</code> on the server's
        machine.
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
        <Finder label="Find somebody" wanted={wanted} onWant={setWanted}>
          {formatCount(shown.length, "account")}
        </Finder>
      )}
      {shown.length === 0 && <p class="soft">Nobody is called so.</p>}
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
