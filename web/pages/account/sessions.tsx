import { useRef, useState } from "preact/hooks";
import { Failure } from "../../components/failure.tsx";
import { First } from "../../components/first.tsx";
import { ConfirmDialog } from "../../components/forms/form-dialog.tsx";
import { say } from "../../components/toast.tsx";
import { type ApiError, asApiError, call } from "../../lib/api/api.ts";
import { browserName } from "../../lib/words/browser-name.ts";
import { formatRelative, formatTime } from "../../lib/words/format.ts";
import { useLoad } from "../../lib/api/load.ts";
import { useSession } from "../../lib/api/session.tsx";
import type { SessionRecord } from "../../lib/api/types.ts";
import { t } from "../../lib/words/text.ts";

/** The user's sessions, this one first and then the last used, each with a sign-out button. */
export function Sessions() {
  const heading = useRef<HTMLHeadingElement>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [isAsking, setAsking] = useState(false);
  const { loaded, reload } = useLoad("sessions", async (signal) => {
    const { data } = await call<{ data: SessionRecord[] }>("GET", "/v0/sessions", { signal });
    return data.toSorted((a, b) => Number(b.current) - Number(a.current) || later(a, b));
  });
  const end = async ({ id, user_agent: userAgent }: SessionRecord) => {
    setError(null);
    try {
      await call("DELETE", `/v0/sessions/${id}`, { untilAnswered: true });
      say(t("Signed out of {browser}.", { browser: browserName(userAgent) }));
      // Its button is about to go.
      heading.current?.focus();
      reload();
    } catch (caught) {
      setError(asApiError(caught));
    }
  };
  return (
    <section class="card" aria-labelledby="sessions">
      <div class="page-head">
        <h2 id="sessions" ref={heading} tabIndex={-1}>
          {t("Active sessions")}{" "}
        </h2>
        <button type="button" class="button" onClick={() => setAsking(true)}>
          {t("Sign out everywhere")}
        </button>
      </div>
      {error !== null && <Failure error={error} />}
      {loaded.state === "loading" && <p class="soft">{t("Loading…")}</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {loaded.state === "ready" && (
        <First of={loaded.value}>
          {(some) => (
            <ul class="list">
              {some.map((session) => (
                <SessionRow key={session.id} session={session} onEnd={end} />
              ))}
            </ul>
          )}
        </First>
      )}
      {isAsking && <SignOutEverywhere onClose={() => setAsking(false)} />}
    </section>
  );
}

function later(a: SessionRecord, b: SessionRecord): number {
  return Date.parse(b.last_used_at) - Date.parse(a.last_used_at);
}

interface RowProps {
  readonly session: SessionRecord;
  readonly onEnd: (session: SessionRecord) => Promise<void>;
}

function SessionRow({ session, onEnd }: RowProps) {
  const { signOut } = useSession();
  const name = browserName(session.user_agent);
  return (
    <li class="row session">
      <div>
        <p class="row">
          <strong title={session.user_agent}>{name}</strong>
          {session.current && <span class="standing">{t("This browser")}</span>}
        </p>
        <p class="soft">
          {t("Last used {when} · signed in {since}", {
            when: formatRelative(session.last_used_at),
            since: formatTime(session.created_at),
          })}
        </p>
      </div>
      <button
        type="button"
        class="button"
        onClick={() => void (session.current ? signOut() : onEnd(session))}
        aria-label={
          session.current ? t("Sign out of this browser") : t("Sign out of {browser}", { browser: name })
        }
      >
        {t("Sign out")}
      </button>
    </li>
  );
}

function SignOutEverywhere({ onClose }: { readonly onClose: () => void }) {
  const { signOut } = useSession();
  return (
    <ConfirmDialog
      title={t("Sign out everywhere?")}
      submit={t("Sign out everywhere")}
      onConfirm={() => call("DELETE", "/v0/sessions")}
      said={t("You are signed out everywhere.")}
      onDone={() => void signOut()}
      onClose={onClose}
    >
      <p>{t("This signs out every browser, including this one. Keys keep working.")}</p>
    </ConfirmDialog>
  );
}
