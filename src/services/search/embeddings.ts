import { type Vector, vectorOf } from "../../domain/search/vectors.ts";

/** Where texts get their vectors: an endpoint in the form of OpenAI's. The operator has chosen it. */
export interface EmbeddingsEndpoint {
  readonly url: string;
  readonly model: string;
  /** Null if it asks for none. */
  readonly key: { reveal(): string } | null;
}

/** What of it another thread is told. */
export interface EmbeddingsAddress extends Omit<EmbeddingsEndpoint, "key"> {
  /** Secret. */
  readonly key: string | null;
}

/** What an endpoint answered that it will answer to the same texts again, or that it gave no answer. */
export class EmbeddingsFailure extends Error {
  override readonly name = "EmbeddingsFailure";
  /** Whether the texts are what it does not take. */
  readonly isOfTexts: boolean;

  constructor(message: string, isOfTexts = false) {
    super(message);
    this.isOfTexts = isOfTexts;
  }
}

/** Statuses for what is wrong with the texts of a request: they are too long, for example. */
const OF_TEXTS: readonly number[] = [400, 413, 422];

export function addressOf({ url, model, key }: EmbeddingsEndpoint): EmbeddingsAddress {
  return { url, model, key: key?.reveal() ?? null };
}

/** The vectors of texts, in order, within so many milliseconds. Throws EmbeddingsFailure. */
export async function embed(
  { url, model, key }: EmbeddingsAddress,
  texts: readonly string[],
  ms: number,
): Promise<Vector[]> {
  let response: Response;
  let answer: unknown;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, input: texts }),
      // Nobody else may get the key.
      redirect: "error",
      signal: AbortSignal.timeout(ms),
    });
    answer = response.ok ? await response.json() : null;
  } catch (error) {
    throw new EmbeddingsFailure(error instanceof Error ? error.message : String(error));
  }
  if (!response.ok) {
    throw new EmbeddingsFailure(`it answered with ${response.status}`, OF_TEXTS.includes(response.status));
  }
  return vectorsIn(answer, texts.length);
}

function vectorsIn(answer: unknown, count: number): Vector[] {
  const data: unknown = isRecord(answer) ? answer["data"] : null;
  const vectors = Array.isArray(data) ? data.toSorted(byIndex).map(vectorIn) : [];
  if (vectors.length !== count || vectors.some((vector) => vector.length !== vectors[0]?.length)) {
    throw new EmbeddingsFailure("it did not answer with a vector for each text");
  }
  return vectors;
}

function vectorIn(item: unknown): Vector {
  const numbers: unknown = isRecord(item) ? item["embedding"] : null;
  const isOfNumbers = Array.isArray(numbers) && numbers.every((number) => typeof number === "number");
  const vector = isOfNumbers ? vectorOf(numbers) : null;
  if (vector === null) throw new EmbeddingsFailure("it answered with what is no vector");
  return vector;
}

function byIndex(a: unknown, b: unknown): number {
  return indexOf(a) - indexOf(b);
}

function indexOf(item: unknown): number {
  const index = isRecord(item) ? item["index"] : null;
  return typeof index === "number" ? index : 0;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
