/** How many numbers a vector has. */
const NUMBERS = 256;

/** Words that mean the same here, whatever they look like. */
const SAME: Readonly<Record<string, string>> = { automobile: "car", vehicle: "car", doctor: "physician" };

interface Asked {
  readonly authorization: string | null;
  readonly model: string;
  readonly input: readonly string[];
}

/** An embeddings endpoint of somebody else's: texts are near to each other that have words of the same meaning. */
export class EmbeddingsServer implements AsyncDisposable {
  readonly asked: Asked[] = [];
  /** The status of all answers while it is not null. */
  failsWith: number | null = null;
  /** A request with this word in a text is not taken. */
  refused: string | null = null;
  readonly #server: Bun.Server<undefined>;

  constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        const { model, input }: Omit<Asked, "authorization"> = JSON.parse(await request.text());
        this.asked.push({ authorization: request.headers.get("authorization"), model, input });
        if (this.failsWith !== null) return new Response("failed", { status: this.failsWith });
        const { refused } = this;
        if (refused !== null && input.some((text) => text.includes(refused)))
          return new Response("too long", { status: 400 });
        const data = input.map((text, index) => ({ index, embedding: embeddingOf(text) }));
        // An endpoint may answer in another order.
        return Response.json({ data: data.toReversed() });
      },
    });
  }

  get url(): string {
    return new URL("/v1/embeddings", this.#server.url).href;
  }

  /** All texts that were sent. */
  get texts(): readonly string[] {
    return this.asked.flatMap(({ input }) => input);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}

function embeddingOf(text: string): number[] {
  const numbers = Array.from({ length: NUMBERS }, () => 0);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const at = Bun.hash.crc32(SAME[word] ?? word) % NUMBERS;
    numbers[at] = (numbers[at] ?? 0) + 1;
  }
  return numbers;
}
