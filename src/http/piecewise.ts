/**
 * A body that is made as the client takes it: each piece is asked for when the one before it has gone. When
 * the client goes away, or at the end, the pieces are let go of.
 */
export function piecewise(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      pull: async (controller) => {
        const { done, value } = await pieces.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => {
        await pieces.return(undefined);
      },
    },
    // Nothing is made before it is asked for.
    { highWaterMark: 0 },
  );
}
