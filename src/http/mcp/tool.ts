import type { Static, TObject } from "@sinclair/typebox";
import type { Caller } from "../../domain/accounts/caller.ts";
import { invalid } from "../../domain/errors.ts";
import { type RequestContext, unauthorized } from "../gate/request-context.ts";
import { withKnownNames } from "../operation/known-fields.ts";
import { type NamePlace, unknownName } from "../operation/names.ts";
import { withoutOptionalNulls } from "../operation/optional-nulls.ts";
import { compileValidator } from "../operation/validate.ts";
import type { NextSteps } from "./failure.ts";
import { KEY_ARGUMENT } from "./key-argument.ts";

/** What a tool needs: nothing, a key, or a key that may write. */
type Needs = "nothing" | "reading" | "writing";

/** What a model is told about a tool. */
interface ToolFacts<I extends TObject, O extends TObject> {
  readonly name: string;
  readonly title: string;
  /** For a model that sees it for the first time. */
  readonly description: string;
  readonly needs: Needs;
  /** Whether it can destroy what is there; only for tools that write. */
  readonly isDestructive?: boolean;
  /** Whether calling it again with the same arguments changes nothing more; only for tools that write. */
  readonly isIdempotent?: boolean;
  /** What to do after errors, by their codes. */
  readonly next?: NextSteps;
  /** Names of arguments that are understood besides theirs, such as those they once had. */
  readonly also?: Readonly<Record<string, string>>;
  readonly input: I;
  readonly output: O;
}

/** A part of a result that a model reads. */
export type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly mimeType: string;
      readonly size: number;
    };

export interface Answer<T> {
  readonly structured: T;
  /** The same for models that read only this; by default the JSON of `structured`. */
  readonly content?: readonly Content[];
}

export interface Call<T> {
  readonly input: T;
  readonly context: RequestContext;
  /** Throws UNAUTHORIZED if there is none, so tools that need nothing do not ask. */
  readonly caller: Caller;
  /** Aborted once nobody waits for the answer. */
  readonly signal: AbortSignal;
}

/** A tool as `tools/list` shows it, and how it is called. */
export interface Tool {
  readonly needs: Needs;
  readonly next: NextSteps;
  readonly shown: {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly inputSchema: TObject & { readonly type: "object" };
    readonly outputSchema: TObject & { readonly type: "object" };
    readonly annotations: {
      readonly title: string;
      readonly readOnlyHint: boolean;
      readonly destructiveHint: boolean;
      readonly idempotentHint: boolean;
      readonly openWorldHint: boolean;
    };
  };
  /** Throws errors of its service, and VALIDATION_ERROR for arguments that do not fit. */
  readonly run: (
    sent: unknown,
    context: RequestContext,
    signal: AbortSignal,
  ) => Promise<Answer<Record<string, unknown>>>;
}

/** Makes a tool. `run` gets arguments that fit `input`. */
export function tool<I extends TObject, O extends TObject>(
  facts: ToolFacts<I, O>,
  run: (call: Call<Static<I>>) => Promise<Answer<Static<O> & Record<string, unknown>>>,
): Tool {
  const { name, title, description, needs, input, output } = facts;
  const check = compileValidator(input, "arguments");
  const names = { noun: "argument", take: refuseUnknown, also: facts.also ?? {} } as const;
  const isReading = needs === "reading";
  return {
    needs,
    next: facts.next ?? {},
    shown: {
      name,
      title,
      description,
      inputSchema: { ...input, additionalProperties: false },
      outputSchema: output,
      annotations: {
        title,
        readOnlyHint: isReading,
        destructiveHint: facts.isDestructive ?? false,
        idempotentHint: isReading || (facts.isIdempotent ?? false),
        // All files are the caller's own.
        openWorldHint: false,
      },
    },
    run: async (sent, context, signal) => {
      const known = withKnownNames(input, sent ?? {}, names);
      return run({
        input: check(withoutOptionalNulls(input, known)),
        context,
        signal,
        get caller() {
          if (context.caller === null) throw unauthorized(false);
          return context.caller;
        },
      });
    },
  };
}

/** An unknown argument may be misspelt, as `if_match` must not be. */
function refuseUnknown(name: string, _value: unknown, place: NamePlace): void {
  if (name === KEY_ARGUMENT) throw invalid(name, "is not needed here. Leave it out.");
  throw unknownName(name, place);
}
