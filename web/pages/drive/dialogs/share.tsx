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

const OPENS: readonly { readonly value: Opens; readonly text: string }[] = [
  { value: "page", text: "A page that shows the file" },
  { value: "download", text: "The download, for programs" },
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
    <Dialog title={`Share ${describeEntries([entry])}`} onClose={onClose}>
      {link === null ? (
        <Form submit="Create and copy link" onSubmit={create} onCancel={onClose}>
          <p class="soft">
            Anyone with the link can {opens === "page" ? "look at " : "download "}
            {entry.kind === "file" ? "the file" : "the folder and all in it"}
            {opens === "page" && " and download it"}, without an account. They can change nothing.
          </p>
          {entry.kind === "file" && (
            <Choice
              label="The link opens"
              name="opens"
              options={OPENS}
              value={opens}
              onChoose={(value) => setOpens(value === "download" ? "download" : "page")}
            />
          )}
          <Choice
            key={opens}
            label="Expires after"
            name="seconds"
            options={LIFETIMES[opens]}
            value={lifetimeOf(opens, last.seconds)}
          />
          {opens === "page" ? (
            <Field
              label="Password"
              name="password"
              type="password"
              autocomplete="new-password"
              hint="Optional. Whoever opens the link must give it."
            />
          ) : (
            <label class="check">
              <input type="checkbox" name="once" defaultChecked={last.isOnce} /> Single use
            </label>
          )}
        </Form>
      ) : (
        <MadeLink link={link} onClose={onClose}>
          <p class="soft">
            See it again or revoke it under <Link to={placeOf("/links", drive)}>Links</Link>.
          </p>
        </MadeLink>
      )}
    </Dialog>
  );
}
