import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { Failure } from "../components/failure.tsx";
import { Brand } from "../components/shell/brand.tsx";
import { Field, Form, textOf } from "../components/forms/form.tsx";
import { Outside } from "../components/shell/outside.tsx";
import type { ApiError } from "../lib/api/api.ts";
import { ContentSourceContext } from "../lib/contents/content-source.ts";
import { useLoad } from "../lib/api/load.ts";
import type { Place } from "../lib/browser/router.tsx";
import { getShared, sharedContents, sharedTokenIn, unlockShared } from "../lib/shared.ts";
import { titled } from "../lib/browser/title.ts";
import { mark, type PlainMessage, t } from "../lib/words/text.ts";
import { SharedFilePage } from "./shared/file.tsx";
import { SharedFolder } from "./shared/folder.tsx";

/** What a link shows, to somebody without an account. Nothing can be changed here. */
export function SharedThing({ place }: { readonly place: Place }) {
  const token = sharedTokenIn(place.path);
  const { loaded, reload } = useLoad(token, (signal) => getShared(token, signal));
  const isFolder = loaded.state === "ready" && loaded.value.file === null;
  const source = useMemo(() => sharedContents(token, isFolder), [token, isFolder]);
  const name = loaded.state === "ready" ? loaded.value.name : t("Shared with you");
  useLayoutEffect(() => {
    document.title = titled(name);
  }, [name]);
  if (loaded.state === "loading") return <main class="page soft">{t("Loading…")}</main>;
  if (loaded.state === "failed") {
    return (
      <Outside>
        {loaded.error.status === 401 ? (
          <Locked token={token} onUnlocked={reload} />
        ) : (
          <NotShown error={loaded.error} retry={reload} />
        )}
      </Outside>
    );
  }
  const shared = loaded.value;
  return (
    <ContentSourceContext.Provider value={source}>
      <Frame>
        {shared.file === null ? (
          <SharedFolder token={token} shared={shared} place={place} onRefused={reload} />
        ) : (
          <SharedFilePage shared={shared} file={shared.file} />
        )}
      </Frame>
    </ContentSourceContext.Provider>
  );
}

/** Around what is shown: no place of the dashboard, as whoever sees it may have no account. */
function Frame({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="shell">
      <header class="top">
        <span class="brand">
          <Brand />
        </span>
      </header>
      <main class="page" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

interface LockedProps {
  readonly token: string;
  readonly onUnlocked: () => void;
}

function Locked({ token, onUnlocked }: LockedProps) {
  const unlock = async (values: FormData) => {
    await unlockShared(token, textOf(values, "password"));
    onUnlocked();
  };
  return (
    <>
      <h1>{t("This link has a password")}</h1>
      <p>{t("Whoever sent you the link knows it.")}</p>
      <Form submit={t("Open")} onSubmit={unlock}>
        <Field label={t("Password")} name="password" type="password" required />
      </Form>
    </>
  );
}

/** Why a link shows nothing, by HTTP status. */
const EXPLANATIONS: Readonly<Record<number, readonly [title: PlainMessage, text: PlainMessage]>> = {
  404: [
    mark("This link is not valid"),
    mark(
      "It may have been cut off when it was copied or revoked, or what it showed was deleted. Ask whoever sent it for a new one.",
    ),
  ],
  410: [mark("This link has expired"), mark("Ask whoever sent it for a new one.")],
};

function NotShown({ error, retry }: { readonly error: ApiError; readonly retry: () => void }) {
  const explanation = EXPLANATIONS[error.status];
  if (explanation === undefined) {
    return (
      <>
        <h1>{t("Couldn't load the link")}</h1>
        <Failure error={error} retry={retry} />
      </>
    );
  }
  const [title, text] = explanation;
  return (
    <>
      <h1>{t(title)}</h1>
      <p>{t(text)}</p>
    </>
  );
}
