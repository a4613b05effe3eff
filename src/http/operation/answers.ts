// What handlers pass to `Reply.with`, put together of functions that make records.

/** The response with a record of the result. */
export function asJson<T>(record: (result: T) => unknown) {
  return (result: T) => ({ json: record(result) });
}

/** The response with a record of the result in `data`. */
export function asData<T>(record: (result: T) => unknown) {
  return (result: T) => ({ json: { data: record(result) } });
}

/** The same response with the status of something that was created. */
export function asCreated<T, A extends object>(answer: (result: T) => A) {
  return (result: T) => ({ status: 201, ...answer(result) });
}

/** A record of what is gone. */
export function deletedRecord(id: string) {
  return { id, deleted: true };
}
