import { UnavailableBlob } from "../../blobs/blob-place.ts";
import { IndexDamaged, indexPathOf, isDamage } from "../../db/search/index-tables.ts";
import type { TextJob } from "../../db/search/job-reader.ts";
import { type DoneJob, PART, type TriedDocument } from "../../db/search/jobs.ts";
import { type IndexBatchId, type DrivePk, newId } from "../../domain/id.ts";
import type { Parts, StorePlaces } from "../parts.ts";
import { Service } from "../service.ts";
import { requireFurther } from "../pieces.ts";
import { DocumentTurn, type DocumentTurnParts } from "./document-turn.ts";
import type { IndexWork, Passed } from "./index-work.ts";
import { readSearchedText } from "./searched-text.ts";
import { diskFull, hadNoRoomToOpen } from "../../db/engine/write-failures.ts";
import { AskedThread } from "../../process/threads.ts";

/** After how many batches it is worth a look whether there is something to merge: FTS5 merges no fewer segments. */
const MERGED_BATCHES = 4;

/** After how long without work the thread ends, in milliseconds. Its memory is the system's again then. */
export const IDLE_MS = 5000;

export type IndexParts = Pick<Parts, "tables" | "clock" | "storePlaces"> & DocumentTurnParts;

/**
 * The steps of indexing. A thread does the jobs and writes the index; they are removed when that is on the disk. It
 * gets only jobs that are on the disk: a power cut must not undo a change that the index has.
 */
export class IndexSteps extends Service<IndexParts> {
  #thread: IndexThread | null = null;
  #isKnown = false;
  #isDamaged = false;
  #isRemade = false;
  /** All jobs up to this ticket are on the disk. */
  #durableTo = 0;
  /** Whether the last batch left jobs of these. */
  #isBehind = false;
  readonly #documents = new DocumentTurn(this.parts);
  #passed: Passed = { names: 0, texts: 0, gone: 0 };
  /** How many batches have added to the index since there was nothing to merge. */
  #batches = 0;
  /** When the thread was asked for something, by `performance.now()`. */
  #askedAt = 0;
  #jobsDone = 0;
  /** Whether nothing was done since space and memory were given back. */
  #isReleased = true;

  /** Whether the thread has the index open. */
  get isOpen(): boolean {
    return this.#thread?.isAlive === true && !this.#isDamaged;
  }

  /** Whether the index was opened, and is not known to be damaged. */
  get isKnown(): boolean {
    return this.#isKnown && !this.#isDamaged;
  }

  /** How many jobs were done since the start. */
  get jobsDone(): number {
    return this.#jobsDone;
  }

  /** Of the texts up to this ticket, only documents are left, which take longer. */
  get passedTo(): number {
    return this.#passed.texts;
  }

  /** Whether there is something to do, as far as is known without the index. */
  async hasWork(): Promise<boolean> {
    const { searchJobs } = this.parts.tables;
    if (this.#isDamaged || searchJobs.filledTo() !== null || searchJobs.lastTicket() !== null) return true;
    return !(await Bun.file(indexPathOf(this.parts.storePlaces.database)).exists());
  }

  /** Opens the index. One that is missing, damaged or of another database is made new, and filled from then on. */
  async open(): Promise<void> {
    const { searchJobs, documentRetries, searches, write, requireWritable } = this.parts.tables;
    await requireWritable();
    await this.close();
    const fresh = newId<IndexBatchId>(this.parts.clock.now());
    const batch = this.#isDamaged ? null : searchJobs.batch();
    const { thread, isNew } = await IndexThread.start(this.parts.storePlaces, batch, fresh);
    if (isNew) {
      try {
        await write(() => {
          searchJobs.restart(fresh);
          documentRetries.clear();
        });
      } catch (error) {
        await thread.close(null);
        throw error;
      }
      this.parts.log.info("the search index is new, and is being filled");
      searches.reopen();
    }
    [this.#thread, this.#isKnown, this.#isDamaged, this.#isBehind] = [thread, true, false, false];
  }

  /** Has the index made again after damage; once only: a search cannot tell damage of the index from the database's. */
  remake(): void {
    if (!this.#isRemade) this.#isDamaged = true;
    this.#isRemade = true;
  }

  /** Does a batch of jobs of a drive, or of all. Resolves with what there was: "some" is done, "many" are not all. */
  async index(drive: DrivePk | null): Promise<"nothing" | "some" | "many"> {
    const { searchJobs, documentRetries, write, requireWritable } = this.parts.tables;
    const hasJobs =
      drive === null ? searchJobs.lastTicket() !== null : searchJobs.waiting([drive], 1, this.passedTo) > 0;
    if (!hasJobs) return "nothing";
    await requireWritable();
    if (drive !== null || !this.#isBehind)
      this.#durableTo = (await write(() => searchJobs.lastTicket())) ?? 0;
    const id = newId<IndexBatchId>(this.parts.clock.now());
    const previous = searchJobs.batch();
    if (previous === null) throw new Error("there is no search index");
    const documents = this.#documents.read;
    const request = { id, previous, drive, after: this.#passed, upTo: this.#durableTo, documents };
    const { done, unread, passed, isFull } = await this.#ask("index", request);
    const wasBehind = this.#isBehind;
    this.#isBehind = isFull;
    const { lost, away } = await this.#lookAgain(unread);
    const isWritten = done.length + unread.length > 0;
    if (isWritten) {
      await write(() => {
        searchJobs.finish([...done, ...lost.map((ticket): DoneJob => [ticket, PART.text])], id);
        const read = documents.filter((job) =>
          done.some(([ticket, parts]) => ticket === job.ticket && (parts & PART.text) !== 0),
        );
        documentRetries.record([...read, ...away], this.parts.clock.now());
      });
    }
    this.#jobsDone += done.length;
    this.#documents.finish(documents);
    const again = unread.map(({ ticket }) => ticket).filter((ticket) => !lost.includes(ticket));
    const texts = Math.min(passed.texts, ...again.map((ticket) => ticket - 1));
    // Whether a batch of all drives has passed documents.
    const hasPassed = drive === null && texts > this.passedTo;
    if (drive === null) this.#passed = { ...passed, texts: Math.max(texts, this.passedTo) };
    // Newer jobs may have come.
    if (!isWritten && !hasPassed) return wasBehind ? "many" : "nothing";
    this.#batches += 1;
    this.#isReleased = false;
    return isFull ? "many" : "some";
  }

  /** Begins to read the next document, if there is one. See `DocumentTurn.begin`. */
  async readDocument(done: (isRead: boolean) => void): Promise<void> {
    const upTo = this.passedTo;
    if (this.parts.tables.searchJobs.lastTicket() === null) return;
    await this.#documents.begin((after) => this.#ask("nextDocument", after, upTo), done);
  }

  /** Makes jobs of documents that are to be read again by now. Returns whether there are any. */
  async retryDocuments(): Promise<boolean> {
    const { documentRetries, writeDerived } = this.parts.tables;
    const now = this.parts.clock.now();
    if (!documentRetries.isDue(now)) return false;
    await writeDerived(() => documentRetries.makeJobs(now));
    return true;
  }

  /** Ends the reading of a document. */
  stop(): void {
    this.#documents.stop();
  }

  /** Merges for a while. Returns false if there is nothing more to merge. */
  async merge(): Promise<boolean> {
    if (this.#batches < MERGED_BATCHES) return false;
    await this.parts.tables.requireWritable();
    const isMore = await this.#ask("merge");
    if (!isMore) this.#batches = 0;
    return isMore;
  }

  /** Adds jobs for some of the files that a new index lacks. Returns false if it lacks none. */
  async fill(): Promise<boolean> {
    const { searchJobs, writeDerived } = this.parts.tables;
    const filledTo = searchJobs.filledTo();
    if (filledTo === null) return false;
    const files = await this.#ask("lacking", filledTo);
    requireFurther("the filling of the index", filledTo, files.filledTo);
    await writeDerived(() => searchJobs.fill(files));
    if (files.filledTo === null) this.parts.log.info("the search index is filled");
    return true;
  }

  /** Gives back memory, and some space of the disk. Returns false if there is no more. */
  async release(): Promise<boolean> {
    if (this.#isReleased) return false;
    const isMore = await this.#ask("release");
    this.#isReleased = !isMore;
    return isMore;
  }

  /** Closes the index and ends the thread, if there is one. */
  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    await thread?.close(this.parts.tables.searchJobs.batch());
  }

  /** Like `close`, if it was not asked for anything for a while. Returns false if it still may be. */
  async closeIdle(): Promise<boolean> {
    if (performance.now() - this.#askedAt < IDLE_MS) return false;
    await this.close();
    return true;
  }

  async #ask<Name extends keyof IndexWork>(name: Name, ...args: Parameters<IndexWork[Name]>) {
    if (this.#thread === null) throw new Error("the search index is not open");
    this.#askedAt = performance.now();
    try {
      return await this.#thread.ask(name, ...args);
    } catch (error) {
      if (error instanceof IndexDamaged) this.#isDamaged = true;
      throw error;
    }
  }

  /**
   * Looks again at what the thread could not read, to remember and log damage. Returns the tickets of what cannot be
   * read, which must not block other jobs, and what of it is only on a disk that is away.
   */
  async #lookAgain(unread: readonly TextJob[]) {
    const lost: number[] = [];
    const away: TriedDocument[] = [];
    for (const job of unread) {
      try {
        await this.parts.damaged.readFor(job, () => readSearchedText(this.parts.blobs, job));
      } catch (error) {
        lost.push(job.ticket);
        if (error instanceof UnavailableBlob) away.push({ ...job, retry: "always" });
        else this.parts.log.error("a content could not be indexed", { digest: job.digest, error });
      }
    }
    return { lost, away };
  }
}

/** The thread that writes the full-text index. What is asked of it throws WriteRefused STORAGE_FULL, and IndexDamaged. */
export class IndexThread {
  readonly #thread = new AskedThread<IndexWork>({
    module: new URL("./index-worker.ts", import.meta.url).href,
    what: "the index thread",
  });

  /** Starts the thread, and opens the index: see `IndexWork.open`. Throws UNAVAILABLE without file descriptors. */
  static async start(places: StorePlaces, batch: IndexBatchId | null, fresh: IndexBatchId) {
    const thread = new IndexThread();
    try {
      return { thread, isNew: await thread.ask("open", places, batch, fresh) };
    } catch (error) {
      thread.#thread.end();
      throw error;
    }
  }

  get isAlive(): boolean {
    return this.#thread.isAlive;
  }

  /** Has it do something: see `IndexWork`. */
  async ask<Name extends keyof IndexWork>(name: Name, ...args: Parameters<IndexWork[Name]>) {
    try {
      return await this.#thread.ask(name, ...args);
    } catch (error) {
      if (hadNoRoomToOpen(error)) throw diskFull();
      throw isDamage(error) ? new IndexDamaged("the search index is damaged") : error;
    }
  }

  /** Closes the index and ends the thread. See `IndexFile.close`. */
  async close(batch: IndexBatchId | null): Promise<void> {
    if (!this.isAlive) return;
    try {
      await this.ask("close", batch);
    } finally {
      this.#thread.end();
    }
  }
}
