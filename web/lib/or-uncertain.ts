/**
 * What a request to change something answers. Where it fails, `onUncertain` hears of it first: what it was about may
 * be gone, or it was done and only the answer lost, so the list is to be read again.
 */
export async function orUncertain<T>(request: Promise<T>, onUncertain: () => void): Promise<T> {
  try {
    return await request;
  } catch (error) {
    onUncertain();
    throw error;
  }
}
