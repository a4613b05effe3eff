import type { Static, TObject, TSchema } from "@sinclair/typebox";
import type { ErrorCode } from "../../domain/errors.ts";
import type { BodyLimits } from "../json/json-body.ts";

/** The type of a JSON text, as `Response.json` sends it. */
export const JSON_TYPE = { "content-type": "application/json;charset=utf-8" } as const;

/** The requests and responses of a route: requests are checked, and both are shown in the API description. */
interface OperationFacts<P extends TObject, Q extends TObject> {
  /** Unique, in camelCase; client generators name their functions after it. */
  readonly operationId: string;
  /** The group that shows it, unless its list is `tagged`. */
  readonly tag?: string;
  readonly summary: string;
  /** Markdown. */
  readonly description?: string;
  /** Whether it needs no key. Only used under `/v0`: nothing else needs a key. */
  readonly public?: boolean;
  /** Whether it needs an account key: a key limited to one drive is refused before its request is read. */
  readonly account?: boolean;
  /** Whether it needs somebody who acts for a person: others are refused before their request is read. */
  readonly person?: boolean;
  /** Whether its answer is a list that may be long: see `packed`. */
  readonly isList?: boolean;
  /** Whether it needs a session: a key is refused before its request is read. */
  readonly signedIn?: boolean;
  /** Whether it is for administrators only: the audit log is told of others who ask. */
  readonly administrators?: boolean;
  /** Whether the audit log may be told of what it does, and so of where the request came from. */
  readonly audited?: boolean;
  /** Whether a route that needs no session uses one if there is one; only shown. */
  readonly readsSession?: boolean;
  /** Whether a route that needs no key answers otherwise with one, and takes more. */
  readonly readsKey?: boolean;
  /**
   * Whether people open its address as a link: what passes links on adds parameters of its own. So unknown ones are
   * ignored, unless they look like those that it has.
   */
  readonly opened?: boolean;
  /** Whether its errors have the shape that OAuth gives them (RFC 6749, section 5.2). */
  readonly isOAuth?: boolean;
  readonly params?: P;
  readonly query?: Q;
  /** Request headers with a meaning here, such as `If-Match`; only shown. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The successful response, or several; only shown, but for the first one's status, which is that of a write. */
  readonly answers: Answer | readonly Answer[];
  /** The route's own errors: `errorsOf` adds those that follow from all else that is here. */
  readonly errors?: readonly ErrorCode[];
}

/** An operation without a body, or with a JSON body. */
export interface Operation<P extends TObject, Q extends TObject, B extends TSchema> extends OperationFacts<
  P,
  Q
> {
  readonly body?: B;
  /** How much that may be, if it is more than `PLAIN_BODY`. */
  readonly bodyLimits?: BodyLimits;
  /** A field of the JSON body that is stored as it was sent: numbers in it must not change. */
  readonly keptField?: string;
  /** Whether the body may be omitted; then it is `{}`. */
  readonly bodyOptional?: boolean;
  /** A valid JSON body, `{}` if it may be omitted; the page at `/docs` fills it in. */
  readonly example?: Static<B>;
}

/** An operation with a body that its handler reads from `request.body`. */
export interface ContentOperation<P extends TObject, Q extends TObject> extends OperationFacts<P, Q> {
  /** Its schemas are only shown. */
  readonly rawBody: RawBody;
}

export type AnyOperation = Operation<TObject, TObject, TSchema> | ContentOperation<TObject, TObject>;

/** A body that the handler reads. */
export interface RawBody {
  /** Bytes. A request with a larger Content-Length is refused before it is read. */
  readonly limit: number;
  /** By media type. */
  readonly content: Readonly<Record<string, TSchema>>;
  /** By media type, as `example` of an operation. */
  readonly examples?: Readonly<Record<string, unknown>>;
}

/** A successful response, for the API description. */
export interface Answer {
  /** 200 by default. */
  readonly status?: number;
  readonly description: string;
  /** A schema for a JSON response, or schemas by media type; none for a response without a body. */
  readonly json?: TSchema;
  readonly content?: Readonly<Record<string, TSchema>>;
  /** Headers that this response always has, name to description. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The same, of those that it has only in some of its forms. */
  readonly someHeaders?: Readonly<Record<string, string>>;
  /** By default, that of `json`, if this is the first answer. */
  readonly example?: unknown;
}

export function answersOf({ answers }: Pick<AnyOperation, "answers">): readonly Answer[] {
  return "description" in answers ? [answers] : answers;
}
