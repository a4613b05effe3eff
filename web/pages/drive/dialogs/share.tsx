import { useState } from "preact/hooks";
import { DAY_MS } from "../../../../src/domain/time.ts";
import { Choice } from "../../../components/forms/choice.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Field, Form, textOf } from "../../../components/forms/form.tsx";
import { placeOf } from "../../../lib/drive-places.ts";
import { describeEntries, type Entry } from "../../../lib/files.ts";
import { createShareLink, type ShareLink } from "../../../lib/links.ts";
import { Link } from "../../../lib/browser/router.tsx";
import { MadeLink } from "./made-link.tsx";

const LIFETIMES = [
  { value: "1", text: "1 day" },
  { value: "7", text: "7 days" },
  { value: "30", text: "30 days" },
  { value: "90", text: "90 days" },
  { value: "365", text: "A year" },
] as const;

interface ShareDialogProps {
  /** The drive's id. */
  readonly drive: string;
  readonly entry: Entry;
  readonly onClose: () => void;
}

/** Makes a link to a page that shows a file or folder to people without an account. */
export function ShareDialog({ drive, entry, onClose }: ShareDialogProps) {
  const [link, setLink] = useState<ShareLink | null>(null);
  // The same for every attempt, so that a retry after a lost answer is the same request.
  const [opened] = useState(() => Date.now());
  const create = async (values: FormData, headers: Readonly<Record<string, string>>) => {
    const password = textOf(values, "password");
    const body = {
      drive_id: drive,
      path: entry.path,
      expires_at: new Date(opened + Number(textOf(values, "days")) * DAY_MS).toISOString(),
      ...(password === "" ? {} : { password }),
    };
    setLink(await createShareLink(body, headers));
  };
  return (
    <Dialog title={`Share ${describeEntries([entry])}`} onClose={onClose}>
      {link === null ? (
        <Form submit="Create link" onSubmit={create} onCancel={onClose}>
          <p class="soft">
            Anyone with the link can look at {entry.kind === "file" ? "the file" : "the folder and all in it"}{" "}
            and download it, without an account. They can change nothing.
          </p>
          <Choice label="Expires after" name="days" options={LIFETIMES} value="7" />
          <Field
            label="Password"
            name="password"
            type="password"
            autocomplete="new-password"
            hint="Optional. Whoever opens the link must give it."
          />
        </Form>
      ) : (
        <MadeLink link={link} onClose={onClose}>
          <p class="soft">
            You can revoke it under <Link to={placeOf("/links", drive)}>Links</Link>.
          </p>
        </MadeLink>
      )}
    </Dialog>
  );
}
