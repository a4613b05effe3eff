import { Text } from "@codemirror/state";
import { batch, computed, signal } from "@preact/signals-core";
import { ApiError, asApiError } from "../api/api.ts";
import type { By, Change, FileRecord } from "../api/types.ts";
import { happeningTo } from "../fates.ts";
import { etagOf } from "../files.ts";
import type { EditedFile } from "./edited-file.ts";
import {
  changesOf,
  collisionsOf,
  editsOf,
  type Part,
  type Side,
  type Sides,
  type TextChange,
} from "./merge.ts";
import type { Notice, Undecided } from "./notice.ts";
import { readStored, type StoredText } from "./stored.ts";
import { t } from "../words/text.ts";

/** Changes the text where it is shown. `isChosen` if somebody has chosen it, who may want to take that back. */
type Changer = (changes: readonly TextChange[], isChosen: boolean) => void;

interface EditingOptions {
  readonly file: EditedFile;
  /** What the text was made from. */
  readonly base: StoredText;
  /** What was typed before, if not the base. */
  readonly text?: string;
  /** The id of whoever edits: what they do elsewhere is told, too, but not as somebody else's. */
  readonly me: string;
  /** Told of each record after a save, and whether that made the file. */
  readonly onSaved: (file: FileRecord, isNew: boolean) => void;
  /** Merges two texts; it may take a while. */
  readonly merge: (sides: Sides) => Promise<readonly Part[]>;
}

/**
 * A text that is edited, and the file that it is of. It is written only over the content that it was made from: where
 * others were quicker, their changes are merged into it, line by line, and then it is saved over theirs.
 */
export class Editing {
  readonly doc;
  readonly file: EditedFile;
  readonly notice = signal<Notice | null>(null);
  readonly undecided = signal<Undecided | null>(null);
  readonly isBusy = signal(false);
  /** Whether the text has changes that are not saved. */
  readonly isDirty = computed(() => !this.doc.value.eq(this.#baseDoc.value));
  readonly canSave = computed(() => {
    if (this.isBusy.value || this.undecided.value !== null) return false;
    return this.isDirty.value || this.file.isUnmade;
  });
  readonly #options: EditingOptions;
  readonly #baseDoc;
  #base: StoredText;
  /** Ends with the look at the file that is under way, which nobody has asked for; null while there is none. */
  #look: Promise<void> | null = null;
  /** Whether something happened to the file while this was busy. */
  #isMissed = false;
  #change: Changer = () => {};
  /** Who wrote what stands there now; undefined where that is not known. */
  #by: By | undefined;

  constructor(options: EditingOptions) {
    const { file, base, text = base.text } = options;
    this.#options = options;
    this.#base = base;
    this.#baseDoc = signal(docOf(base.text));
    this.doc = signal(text === base.text ? this.#baseDoc.peek() : docOf(text));
    this.file = file;
  }

  get base(): StoredText {
    return this.#base;
  }

  /** Where the text is shown: it is changed by `change`, which tells `typed`. */
  follow(change: Changer): void {
    this.#change = change;
  }

  /** The text is another now. */
  typed(doc: Text): void {
    batch(() => {
      this.doc.value = doc;
      if (this.notice.peek()?.kind === "saved") this.notice.value = null;
    });
  }

  /** Whether the text was written. If not, `notice` or `undecided` say why. */
  async save(): Promise<boolean> {
    // Whoever saves while others write would else be left without an answer.
    while (this.#look !== null) await this.#look;
    return this.canSave.peek() && this.#save();
  }

  /** Writes the text over whatever is in a file. */
  async saveOver({ content_hash: hash }: FileRecord): Promise<boolean> {
    this.#base = { ...this.#base, etag: etagOf(hash) };
    return this.#save();
  }

  #save(): Promise<boolean> {
    return this.#alone(async () => {
      for (let tries = 0; tries < 2; tries += 1) {
        try {
          await this.#write(this.file.isUnmade ? null : this.#base.etag);
          return true;
        } catch (error) {
          if (!isTaken(error)) throw error;
        }
        if (this.file.isUnmade) {
          this.notice.value = { kind: "taken" };
          return false;
        }
        // It may only have been moved.
        if ((await this.#lookAgain()) !== "same") return false;
      }
      return false;
    });
  }

  /**
   * Makes another file of the text, which it is of from then on.
   *
   * @throws ApiError also where the path is taken
   */
  async saveAs(path: string): Promise<void> {
    try {
      await this.#write(null, path);
    } catch (error) {
      if (!isTaken(error)) throw error;
      throw new ApiError(412, "CONFLICT", t("There is something with this name already."), "name");
    }
  }

  /** Brings what others wrote into the text. */
  async merge(): Promise<void> {
    await this.#alone(async () => {
      if ((await this.#lookAgain()) === "same") this.notice.value = null;
      return true;
    });
  }

  /** Takes a side of each collision. */
  decide(sides: readonly Side[]): void {
    const undecided = this.undecided.peek();
    this.undecided.value = null;
    if (undecided !== null) this.#take(undecided, sides);
  }

  /** Leaves the collisions for later. */
  putOff(): void {
    const undecided = this.undecided.peek();
    if (undecided === null) return;
    batch(() => {
      this.undecided.value = null;
      this.notice.value = { kind: "changed", by: undecided.by };
    });
  }

  /** Something happened in the drive. */
  told(change: Change): void {
    const file = this.file.record.peek();
    if (file === null) return;
    const before = this.file.isGone.peek()
      ? ({ kind: "deleted", by: null, trashId: null, folder: null } as const)
      : null;
    const happening = happeningTo(file, change, before, this.#options.me);
    if (happening === null) return;
    if (change.after?.content_hash !== file.content_hash) this.#by = change.by;
    if (this.isBusy.peek() || this.undecided.peek() !== null) this.#isMissed = true;
    else if (happening !== "reload" && happening.kind === "deleted") this.#gone();
    else void this.refresh();
  }

  /** Looks whether the file is another by now. A text without changes of its own follows it. */
  async refresh(): Promise<void> {
    if (this.file.record.peek() === null) return;
    await this.#alone(async () => {
      const found = await this.#find();
      if (found === null || etagOf(found.content_hash) === this.#base.etag) return false;
      if (this.isDirty.peek()) this.notice.value = { kind: "changed", by: this.#by };
      else await this.#bring(found);
      return false;
    }, true);
  }

  /** Does one thing at a time; whether it was done. */
  async #alone(work: () => Promise<boolean>, isLook = false): Promise<boolean> {
    if (this.isBusy.peek() || this.undecided.peek() !== null) return false;
    const ended = Promise.withResolvers<void>();
    this.#look = isLook ? ended.promise : null;
    this.isBusy.value = true;
    this.#isMissed = false;
    try {
      return await work();
    } catch (error) {
      this.notice.value = { kind: "failed", error: asApiError(error) };
      return false;
    } finally {
      this.isBusy.value = false;
      this.#look = null;
      ended.resolve();
      if (this.#isMissed) void this.refresh();
    }
  }

  async #write(etag: string | null, path?: string): Promise<void> {
    const stored = { ...this.#base, text: this.doc.peek().toString(), etag };
    const file = await this.file.write(stored, path);
    batch(() => {
      this.#from({ ...stored, etag: etagOf(file.content_hash) });
      this.notice.value = { kind: "saved", file };
    });
    this.#options.onSaved(file, etag === null);
  }

  /** After a refusal: whether the same content stands there still. Another is brought into the text. */
  async #lookAgain(): Promise<"same" | "other"> {
    const found = await this.#find();
    if (found === null) return "other";
    if (etagOf(found.content_hash) === this.#base.etag) return "same";
    await this.#bring(found);
    return "other";
  }

  /** The record as it is now; null where the file is gone. */
  async #find(): Promise<FileRecord | null> {
    const found = await this.file.look();
    if (found === null) this.#gone();
    else if (this.notice.peek()?.kind === "deleted") this.notice.value = null;
    return found;
  }

  #gone(): void {
    this.file.isGone.value = true;
    this.notice.value = { kind: "deleted", by: this.#by };
  }

  async #bring(file: FileRecord): Promise<void> {
    const by = this.#by;
    const theirs = await readStored(file);
    if (typeof theirs === "string") {
      this.notice.value = { kind: "unreadable", file, by };
      return;
    }
    for (;;) {
      const doc = this.doc.peek();
      const parts = await this.#options.merge({
        base: this.#base.text,
        mine: doc.toString(),
        theirs: theirs.text,
      });
      // It was typed on meanwhile.
      if (doc !== this.doc.peek()) continue;
      if (collisionsOf(parts).length > 0) this.undecided.value = { parts, theirs, by };
      else this.#take({ parts, theirs, by }, []);
      return;
    }
  }

  #take({ parts, theirs, by }: Undecided, sides: readonly Side[]): void {
    const changes = changesOf(this.doc.peek().toString(), editsOf(parts, sides));
    batch(() => {
      this.#from(theirs);
      this.#change(changes, sides.length > 0);
      this.notice.value = changes.length === 0 ? null : { kind: "merged", by };
    });
  }

  #from(base: StoredText): void {
    this.#base = base;
    this.#baseDoc.value = docOf(base.text);
  }
}

function docOf(text: string): Text {
  return Text.of(text.split("\n"));
}

function isTaken(error: unknown): boolean {
  return error instanceof ApiError && error.status === 412;
}
