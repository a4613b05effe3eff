import { Type } from "@sinclair/typebox";
import type { CofferError } from "../../../domain/errors.ts";
import * as t from "../../operation/schema.ts";

/** Why one of many things was not done. */
export const failureSchema = Type.Object({
  code: t.text("As of the errors of other requests.", "CONFLICT"),
  message: Type.String(),
});

export function failureRecord({ code, message }: CofferError) {
  return { code, message };
}
