/** Knows what was sent before, so that the server can tell a repetition from another request. */
export class Attempts {
  #said = "";
  #key = "";

  /** The same Idempotency-Key as the last time where the values are the same. */
  keyFor(values: FormData): string {
    const said = JSON.stringify([...values]);
    if (this.#key === "" || said !== this.#said) this.#key = randomKey();
    this.#said = said;
    return this.#key;
  }
}

/** Nobody can guess it. `crypto.randomUUID` is not there on plain http. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
