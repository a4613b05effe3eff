/**
 * Answers what a request to change something answers. If the request fails, it calls `onUncertain` first, so that the
 * list is loaded again: the item may be gone, or the change was made and only the answer was lost.
 */
export async function orUncertain<T>(request: Promise<T>, onUncertain: () => void): Promise<T> {
  try {
    return await request;
  } catch (error) {
    onUncertain();
    throw error;
  }
}
