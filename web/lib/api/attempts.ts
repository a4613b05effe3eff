import { randomKey } from "./random-key.ts";

/** Gives a form its Idempotency-Key: the same one for as long as the same values are sent, so that a retry is safe. */
export class Attempts {
  #said = "";
  #key = "";

  keyFor(values: FormData): string {
    const said = JSON.stringify([...values]);
    if (this.#key === "" || said !== this.#said) this.#key = randomKey();
    this.#said = said;
    return this.#key;
  }
}
