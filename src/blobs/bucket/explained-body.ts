import { S3Refused, S3Unavailable } from "../../s3/errors.ts";
import { UnavailableBlob } from "../blob-place.ts";

/** A body whose reading throws UnavailableBlob where the store fails. */
export function explainedBody(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          if (error instanceof S3Unavailable || error instanceof S3Refused) {
            throw new UnavailableBlob({ cause: error });
          }
          throw error;
        }
      },
      cancel: () => reader.cancel(),
    },
    { highWaterMark: 0 },
  );
}
