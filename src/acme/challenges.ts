/** A token of an authority (RFC 8555, 8.3). */
const TOKEN = /^[A-Za-z0-9_-]{1,256}$/;

/** The challenges of orders under way: what an authority asks for at the names of this server. */
export class Challenges {
  readonly #answers = new Map<string, string>();

  /** What to answer to who asks for a token; null if it belongs to no order under way. */
  answerTo(token: string): string | null {
    return this.#answers.get(token) ?? null;
  }

  /** Answers until the result is disposed of; null if it is no token. @param thumbprint of the account's key */
  add(token: string, thumbprint: string): Disposable | null {
    if (!TOKEN.test(token)) return null;
    this.#answers.set(token, `${token}.${thumbprint}`);
    return { [Symbol.dispose]: () => this.#answers.delete(token) };
  }
}
