/**
 * A body that is made as the client takes it: each piece is asked for when the one before it has gone. When
 * the client goes away, or at the end, the pieces are let go of. The first is made before there is a body, so
 * that what fails until then can be answered like any other refusal: it is thrown.
 *
 * @param onBreak is told what fails later, of which no answer can tell any more
 */
export async function piecewise(
  pieces: AsyncGenerator<Uint8Array>,
  onBreak: (error: unknown) => void = () => {},
): Promise<ReadableStream<Uint8Array>> {
  let ahead: Promise<IteratorResult<Uint8Array>> | null = pieces.next();
  await ahead;
  return new ReadableStream(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await (ahead ?? pieces.next());
          ahead = null;
          if (done === true) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          onBreak(error);
          throw error;
        }
      },
      cancel: async () => {
        await pieces.return(undefined);
      },
    },
    // Nothing more is made before it is asked for.
    { highWaterMark: 0 },
  );
}
