import { invalid } from "../../domain/errors.ts";

/** The value of a field that may be in the query, in the body, or the same in both. Throws VALIDATION_ERROR. */
export function given<T>(field: string, inQuery: T | undefined, inBody: T | undefined): T | undefined {
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody)
    throw invalid(field, "differs between the query and the body: send it once");
  return inQuery ?? inBody;
}

/** Like `given`, for a field that must be there. */
export function required<T>(field: string, inQuery: T | undefined, inBody: T | undefined): T {
  const value = given(field, inQuery, inBody);
  if (value === undefined) throw invalid(field, "is required, in the query or in the body");
  return value;
}
