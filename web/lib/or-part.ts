/**
 * What a request to change something answers. Where it fails, `onPart` hears of it first: what it was about may
 * be gone, or it was done and only the answer lost, so the list is to be read again.
 */
export async function orPart<T>(request: Promise<T>, onPart: () => void): Promise<T> {
  try {
    return await request;
  } catch (error) {
    onPart();
    throw error;
  }
}
