import { Type } from "@sinclair/typebox";
import { id, nullable, type RecordOf, time } from "../operation/schema.ts";

// As in `record-schemas.ts`, nothing that uses the runtime may be imported.

/** A webhook in responses, without its secret. */
export const webhookSchema = Type.Object(
  {
    id: id("The webhook's identifier."),
    url: Type.String({ examples: ["https://agent.example/hook"] }),
    events: Type.Array(Type.String({ examples: ["file.*"] }), { description: "What it is told of." }),
    drive_id: nullable(id("The only drive it is told of; null for all drives of its owner.")),
    created_at: time("When it was created."),
    made_by: nullable(id("The key that made it, with which it goes; null if a person did.")),
    disabled_at: nullable(time("When it was disabled; null while it is enabled.")),
    disabled_reason: nullable(Type.String({ description: "Why it was disabled; null while it is enabled." })),
  },
  { $id: "Webhook" },
);

export type WebhookRecord = RecordOf<typeof webhookSchema>;

export const deliverySchema = Type.Object(
  {
    id: id("The delivery's identifier: the `webhook-id` of its message, the same each time it is sent."),
    type: Type.String({ description: "The event.", examples: ["file.created"] }),
    state: Type.Union([
      Type.Literal("pending", { description: "It is sent at `next_at`." }),
      Type.Literal("delivered", { description: "It was answered with a status of 2xx." }),
      Type.Literal("failed", { description: "It is not sent again by itself." }),
    ]),
    attempts: Type.Integer({ minimum: 0, description: "How often it was sent." }),
    status: nullable(Type.Integer({ description: "The status of the last answer; null if there was none." })),
    error: nullable(Type.String({ description: "What went wrong last; null if nothing." })),
    next_at: nullable(time("When it is sent next; null if it is not.")),
    created_at: time("When it was made."),
  },
  { $id: "WebhookDelivery" },
);

export type DeliveryRecord = RecordOf<typeof deliverySchema>;
