/** What a promise rejects with, or a call throws or rejects with. Throws if it does not fail. */
export async function failureOf(attempt: Promise<unknown> | (() => unknown)): Promise<unknown> {
  const running = typeof attempt === "function" ? (async () => attempt())() : attempt;
  const [outcome] = await Promise.allSettled([running]);
  if (outcome.status === "fulfilled") throw new Error("this should have failed");
  return outcome.reason;
}

/** The message of that error. */
export async function refusalOf(attempt: Parameters<typeof failureOf>[0]): Promise<string> {
  const failure = await failureOf(attempt);
  return failure instanceof Error ? failure.message : String(failure);
}
