import type { ComponentChildren } from "preact";
import { By } from "../../../components/by.tsx";
import { Failure } from "../../../components/failure.tsx";
import type { By as Actor } from "../../../lib/api/types.ts";
import type { Editing } from "../../../lib/editing/editing.ts";
import { sentenceSpace } from "../../../lib/words/format.ts";
import { rich, t } from "../../../lib/words/text.ts";

interface NoticesProps {
  readonly editing: Editing;
  readonly onSave: () => void;
  /** Makes another file of the text. */
  readonly onSaveAs: () => void;
}

/** What is to be known of the file while its text is edited, and what can be done about it. */
export function Notices({ editing, onSave, onSaveAs }: NoticesProps) {
  const notice = editing.notice.value;
  const isDirty = editing.isDirty.value;
  switch (notice?.kind) {
    case undefined:
    case "saved":
    case "taken":
      return null;
    case "failed":
      return (
        <Failure error={notice.error} retry={() => (isDirty ? onSave() : void editing.refresh())}>
          {isDirty && <p>{t("Your text is not saved. It stays here.")}</p>}
        </Failure>
      );
    case "changed":
      return (
        <Told actions={<Action name={t("Merge")} onPress={() => void editing.merge()} />}>
          {rich("This file was changed {by} while you edit it.", { by: <Who by={notice.by} /> })}
          {sentenceSpace()}
          {t("Merge their changes into your text; saving does it, too.")}
        </Told>
      );
    case "merged":
      return isDirty ? (
        <Told>
          {rich("This file was changed {by}.", { by: <Who by={notice.by} /> })}
          {sentenceSpace()}
          {t("Their changes are merged into your text, and marked. Look at them, then save.")}
        </Told>
      ) : (
        <Told>
          {rich("This file was changed {by}.", { by: <Who by={notice.by} /> })}
          {sentenceSpace()}
          {t("This is the new text. What is new is marked.")}
        </Told>
      );
    case "deleted":
      return (
        <Told>
          {rich("This file was deleted or moved away {by}.", { by: <Who by={notice.by} /> })}
          {sentenceSpace()}
          {t("Saving makes a new file in its place.")}
        </Told>
      );
    case "unreadable":
      return (
        <Told
          actions={
            <>
              <Action name={t("Save over it")} onPress={() => void editing.saveOver(notice.file)} />
              <Action name={t("Save as another file")} onPress={onSaveAs} />
            </>
          }
        >
          {rich("This file was replaced {by} by something that can't be edited here.", {
            by: <Who by={notice.by} />,
          })}
          {sentenceSpace()}
          {t("Your text is not saved.")}
        </Told>
      );
  }
}

interface ToldProps {
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

function Told({ actions, children }: ToldProps) {
  return (
    <div class="notice careful preview-happening" role="status">
      <p>{children}</p>
      <div class="row">{actions}</div>
    </div>
  );
}

function Action({ name, onPress }: { readonly name: string; readonly onPress: () => void }) {
  return (
    <button type="button" class="button" onClick={onPress}>
      {name}
    </button>
  );
}

/** Who did something, as far as that is known. */
export function Who({ by }: { readonly by: Actor | undefined }) {
  return by === undefined ? t("by somebody else") : <By by={by} />;
}
