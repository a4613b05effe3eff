import type { Static, TObject, TSchema } from "@sinclair/typebox";
import type { ErrorCode } from "../../domain/errors.ts";

/** What one route takes and answers: checked at run time, and shown in the API description. */
interface OperationFacts<P extends TObject, Q extends TObject> {
  /** Unique, in camelCase; client generators name their functions after it. */
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  /** Markdown. */
  readonly description?: string;
  /** Whether it needs no key. Only says something under `/v0`: nothing else needs one. */
  readonly public?: boolean;
  /** Whether it needs an account key: a key limited to one drive is refused before its request is read. */
  readonly account?: boolean;
  /** Whether it needs somebody signed in: a key is refused before its request is read. */
  readonly signedIn?: boolean;
  /** Whether a route that needs nobody to be signed in looks at the session all the same; only shown. */
  readonly readsSession?: boolean;
  readonly params?: P;
  readonly query?: Q;
  /** Request headers with a meaning here, such as `If-Match`; only shown. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The successful answers; only shown. */
  readonly answers: readonly Answer[];
  /** Refusals of this route's own; those that any route may give are added. */
  readonly errors?: readonly ErrorCode[];
}

/** An operation without a body, or with a JSON body. */
export interface Operation<P extends TObject, Q extends TObject, B extends TSchema> extends OperationFacts<
  P,
  Q
> {
  readonly body?: B;
  /** A field of the JSON body that is kept as it was sent, so that no number in it may be changed. */
  readonly keptField?: string;
  /** Whether the body may be left out; it is `{}` then. */
  readonly bodyOptional?: boolean;
  /** A JSON body that does something sensible when it is sent as it is; the page at `/docs` fills it in. */
  readonly example?: Static<B>;
}

/** An operation with a body that its handler reads from `request.body`. */
export interface ContentOperation<P extends TObject, Q extends TObject> extends OperationFacts<P, Q> {
  /** Its schemas are only shown. */
  readonly rawBody: RawBody;
}

/** Any operation. */
export type AnyOperation = Operation<TObject, TObject, TSchema> | ContentOperation<TObject, TObject>;

/** A body that a handler reads by itself. */
export interface RawBody {
  /** Bytes; a request that announces more is refused before it is read. */
  readonly limit: number;
  /** By media type. */
  readonly content: Readonly<Record<string, TSchema>>;
  /** By media type, as `example` of an operation. */
  readonly examples?: Readonly<Record<string, unknown>>;
}

/** A successful answer, for the API description. */
export interface Answer {
  readonly status: number;
  readonly description: string;
  /** A schema for a JSON answer, or schemas by media type; none for an answer without a body. */
  readonly json?: TSchema;
  readonly content?: Readonly<Record<string, TSchema>>;
  /** Headers that this answer always has, name to description. */
  readonly headers?: Readonly<Record<string, string>>;
  /** An example of the JSON answer. */
  readonly example?: unknown;
}
