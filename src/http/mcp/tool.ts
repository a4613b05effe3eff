import type { Static, TObject } from "@sinclair/typebox";
import type { Caller } from "../../domain/accounts/caller.ts";
import { parseMessage } from "../../domain/changes/change.ts";
import type { SeenDrive } from "../../domain/drives/drive.ts";
import { CofferError, type ErrorCode, invalid } from "../../domain/errors.ts";
import { once } from "../../domain/once.ts";
import type { Services } from "../../services/services.ts";
import { type RequestContext, unauthorized } from "../gate/request-context.ts";
import type { Parts } from "../resources/parts.ts";
import { compileBodyValidator } from "../operation/validate.ts";
import { type NamePlace, unknownName } from "../operation/names.ts";
import { nameOf } from "./shown.ts";
import { shortSchema } from "./short-schema.ts";

/**
 * The argument by which a tool call of a client that sends no key with its requests brings one, such as that of the
 * drive which it has just made. It counts as if it had come in the `Authorization` header, for this call alone, and goes
 * no further than `http/mcp/admission.ts`: neither the tool nor the log learns of it.
 */
export const KEY_ARGUMENT = "api_key";

const NAMED_DRIVES = 20;

export interface McpOptions extends Pick<
  Parts,
  "throttle" | "log" | "tracer" | "version" | "retention" | "linkBase" | "claimBase"
> {
  readonly services: Services;
}

/** What to do after an error, by its code. */
export type NextSteps = Readonly<Partial<Record<ErrorCode, string>>>;

/** What a tool needs: nothing, a key, or a key that may write. */
type Needs = "nothing" | "reading" | "writing";

/** What a model is told about a tool. */
interface ToolFacts<I extends TObject> {
  readonly name: string;
  readonly title: string;
  /** For a model that sees it for the first time. It also says what of the answer does not explain itself. */
  readonly description: string;
  readonly needs: Needs;
  /** Values of its argument `action` that only read, if it else needs more. */
  readonly reading?: readonly string[];
  /** Names that it had once, as clients with an old list still call it, and the arguments that these stand for. */
  readonly formerly?: Readonly<Record<string, object>>;
  /** Whether it can destroy what is there; only for tools that write. */
  readonly isDestructive?: boolean;
  /** Whether calling it again with the same arguments changes nothing more; only for tools that write. */
  readonly isIdempotent?: boolean;
  /** What to do after errors, by their codes. */
  readonly next?: NextSteps;
  /** Names of arguments that are understood besides theirs, such as those they once had. */
  readonly also?: Readonly<Record<string, string>>;
  readonly input: I;
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

/** An answer of which a model reads something else than its JSON. */
export class Answer {
  readonly content: readonly Content[];

  constructor(...content: readonly Content[]) {
    this.content = content;
  }
}

/** A part of an answer as JSON, without blanks: a model pays for each character. */
export function json(value: object): Content {
  return { type: "text", text: JSON.stringify(value) };
}

/** What a call has besides its arguments. */
interface CallParts extends McpOptions {
  readonly context: RequestContext;
  /** Aborted once nobody waits for the answer. */
  readonly signal: AbortSignal;
}

export interface Call<T> extends CallParts {
  readonly input: T;
  /** Throws UNAUTHORIZED if there is none, so tools that need nothing do not ask. */
  readonly caller: Caller;
  /**
   * The drive that the argument `drive_id` names, or the caller's only own one, or else the only one that is shared with
   * it. Throws NOT_FOUND; VALIDATION_ERROR, which names the drives, if the caller has several.
   */
  readonly drive: SeenDrive;
}

/** A tool as `tools/list` shows it, and how it is called. */
export interface Tool extends Required<Pick<ToolFacts<TObject>, "needs" | "reading" | "formerly" | "next">> {
  readonly shown: ReturnType<typeof shownOf>;
  /** Throws errors of its service, and VALIDATION_ERROR for arguments that do not fit. */
  readonly run: (sent: unknown, parts: CallParts) => Promise<Answer>;
}

/** Makes a tool. `run` gets arguments that fit `input`; what it returns is answered as JSON. */
export function tool<I extends TObject>(
  facts: ToolFacts<I>,
  run: (call: Call<Static<I>>) => Promise<object>,
): Tool {
  const check = compileBodyValidator(facts.input, "argument", facts.also);
  return {
    needs: facts.needs,
    reading: facts.reading ?? [],
    formerly: facts.formerly ?? {},
    next: facts.next ?? {},
    shown: shownOf(facts),
    run: async (sent, parts) => {
      const checked = check(sent ?? {}, refuseUnknown);
      const { services, context } = parts;
      const callerOf = () => {
        if (context.caller === null) throw unauthorized(false);
        return callerSaying(context.caller, checked);
      };
      const drive = once(() => driveNamed(services.drives, callerOf(), checked));
      const answer = await run({
        ...parts,
        input: checked,
        get caller() {
          return callerOf();
        },
        get drive() {
          return drive();
        },
      });
      return answer instanceof Answer ? answer : new Answer(json(answer));
    },
  };
}

/** What a call of a tool with these arguments needs. */
export function needsOf({ needs, reading }: Tool, sent: Readonly<Record<string, unknown>> = {}): Needs {
  return reading.some((action) => action === sent["action"]) ? "reading" : needs;
}

/** No schema of the answer: it would cost a model as much as the tool itself, and what is answered explains itself. */
function shownOf({ name, title, description, needs, input, ...facts }: ToolFacts<TObject>) {
  const isReading = needs === "reading";
  return {
    name,
    title,
    description,
    inputSchema: shortSchema(input),
    annotations: {
      readOnlyHint: isReading,
      ...(isReading ? {} : { destructiveHint: facts.isDestructive ?? false }),
      ...(facts.isIdempotent === true ? { idempotentHint: true } : {}),
      // All files are the caller's own.
      openWorldHint: false,
    },
  };
}

/** The caller, with what the argument `message` says of the changes of a call. Throws VALIDATION_ERROR. */
function callerSaying(caller: Caller, { message }: { readonly message?: unknown }): Caller {
  return typeof message === "string" ? { ...caller, message: parseMessage("message", message) } : caller;
}

function driveNamed(
  drives: Services["drives"],
  caller: Caller,
  { drive_id: reference }: { readonly drive_id?: unknown },
): SeenDrive {
  if (typeof reference === "string") return drives.get(caller, reference);
  const all = drives.list(caller, null);
  // That somebody shares a drive must not change which one is meant.
  const own = all.filter(({ role }) => role === "owner");
  const [first, second] = own.length === 0 ? all : own;
  if (first === undefined) {
    throw new CofferError(
      "NOT_FOUND",
      "You have no drive. Make one in the dashboard or with POST /v0/drives.",
    );
  }
  if (second === undefined) return first;
  const names = all.slice(0, NAMED_DRIVES).map((drive) => JSON.stringify(nameOf(drive)));
  const more = all.length > NAMED_DRIVES ? ", and more: see list_drives" : "";
  throw invalid("drive_id", `is required, because you have several: ${names.join(", ")}${more}.`);
}

/** An unknown argument may be misspelt, as `if_match` must not be. */
function refuseUnknown(name: string, _value: unknown, place: NamePlace): void {
  if (name === KEY_ARGUMENT) throw invalid(name, "is not needed here. Leave it out.");
  throw unknownName(name, place);
}
