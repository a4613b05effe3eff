import type { Meaning } from "../../db/search/request.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { addressOf, embed, type EmbeddingsEndpoint } from "./embeddings.ts";

/** After a failure, how long searches do without. */
const PAUSE_MS = 30_000;
/** How many searches may ask at once; others do without. */
const AT_ONCE = 8;

/** Asks for the vectors of what is searched for. What is not there in time is left out: words are enough. */
export class QueryVectors extends Service<Pick<Parts, "log"> & { embeddings: EmbeddingsEndpoint | null }> {
  #asked = 0;
  /** Until when none is asked for, by `performance.now()`. */
  #pausedTo = 0;

  /** Null without an endpoint, or if it does not answer within so many milliseconds. */
  async of(query: string, ms: number): Promise<Meaning | null> {
    const { embeddings, log } = this.parts;
    if (embeddings === null || this.#asked >= AT_ONCE || performance.now() < this.#pausedTo) return null;
    this.#asked += 1;
    try {
      const [vector] = await embed(addressOf(embeddings), [query], ms);
      return vector === undefined ? null : { model: embeddings.model, vector };
    } catch (error) {
      this.#pausedTo = performance.now() + PAUSE_MS;
      log.warn("searches go by words alone for a while: the embeddings endpoint fails", { error });
      return null;
    } finally {
      this.#asked -= 1;
    }
  }
}
