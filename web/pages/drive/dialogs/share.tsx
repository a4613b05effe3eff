import { useState } from "preact/hooks";
import { Choice } from "../../../components/forms/choice.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Field, Form, textOf } from "../../../components/forms/form.tsx";
import { MadeLink } from "../../../components/made-link.tsx";
import { placeOf } from "../../../lib/drive-places.ts";
import { describeEntries, type Entry } from "../../../lib/files.ts";
import { LIFETIMES, lifetimeOf, type MadeLink as Made, type Opens } from "../../../lib/links.ts";
import { keepLinkChoice, lastLinkChoice } from "../../../lib/browser/link-choice.ts";
import { Link } from "../../../lib/browser/router.tsx";
import type { DriveStore } from "../store/drive.ts";
import { type MarkedOption, optionsOf } from "../../../lib/words/options.ts";
import { sentenceSpace } from "../../../lib/words/format.ts";
import { mark, rich, t } from "../../../lib/words/text.ts";

const OPENS: readonly MarkedOption<Opens>[] = [
  { value: "page", text: mark("A page that shows the file") },
  { value: "download", text: mark("The download, for programs") },
];

interface ShareDialogProps {
  /** The drive's id. */
  readonly drive: string;
  readonly entry: Entry;
  readonly store: DriveStore;
  readonly onClose: () => void;
}

/** Makes a link to a file or folder for people and programs without an account, and copies it. */
export function ShareDialog({ drive, entry, store, onClose }: ShareDialogProps) {
  const [link, setLink] = useState<Made | null>(null);
  const [from] = useState(() => Date.now());
  const [last] = useState(() => lastLinkChoice(entry.kind));
  const [opens, setOpens] = useState(last.opens);
  const create = async (values: FormData, headers: Readonly<Record<string, string>>) => {
    const choice = { opens, seconds: textOf(values, "seconds"), isOnce: values.has("once") };
    const password = opens === "page" ? textOf(values, "password") : "";
    const made = await store.makeLink({ drive, entry, choice, password, from, headers });
    keepLinkChoice(choice);
    setLink(made);
  };
  return (
    <Dialog title={t("Share {name}", { name: describeEntries([entry]) })} onClose={onClose}>
      {link === null ? (
        <Form submit={t("Create and copy link")} onSubmit={create} onCancel={onClose}>
          <p class="soft">
            {grantedBy(opens, entry.kind)}
            {sentenceSpace()}
            {t("They can change nothing.")}
          </p>
          {entry.kind === "file" && (
            <Choice
              label={t("The link opens")}
              name="opens"
              options={optionsOf(OPENS)}
              value={opens}
              onChoose={(value) => setOpens(value === "download" ? "download" : "page")}
            />
          )}
          <Choice
            key={opens}
            label={t("Expires after")}
            name="seconds"
            options={optionsOf(LIFETIMES[opens])}
            value={lifetimeOf(opens, last.seconds)}
          />
          {opens === "page" ? (
            <Field
              label={t("Password")}
              name="password"
              type="password"
              autocomplete="new-password"
              hint={t("Optional. Whoever opens the link must give it.")}
            />
          ) : (
            <label class="check">
              <input type="checkbox" name="once" defaultChecked={last.isOnce} /> {t("Single use")}
            </label>
          )}
        </Form>
      ) : (
        <MadeLink link={link} onClose={onClose}>
          <p class="soft">
            {rich("See it again or revoke it under {links}.", {
              links: <Link to={placeOf("/links", drive)}>{t("Links")}</Link>,
            })}
          </p>
        </MadeLink>
      )}
    </Dialog>
  );
}

/** What a link lets do whoever has it. Folders have pages only. */
function grantedBy(opens: Opens, kind: Entry["kind"]): string {
  if (kind === "folder")
    return t(
      "Anyone with the link can look at the folder and all in it and download it, without an account.",
    );
  return opens === "page"
    ? t("Anyone with the link can look at the file and download it, without an account.")
    : t("Anyone with the link can download the file, without an account.");
}
