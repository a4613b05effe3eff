import { Type } from "@sinclair/typebox";
import { count, id, nullable, record, type RecordOf, text, time } from "../operation/schema.ts";

// As in `record-schemas.ts`, nothing that uses the runtime may be imported.

/** A webhook in responses, without its secret. */
export const webhookSchema = record(
  "Webhook",
  {
    id: id("The webhook's identifier."),
    url: Type.String({ examples: ["https://agent.example/hook"] }),
    events: Type.Array(Type.String({ examples: ["file.*"] }), { description: "What it is told of." }),
    drive_id: nullable(id("The only drive it is told of; null for all drives of its owner.")),
    created_at: time("When it was created."),
    made_by: nullable(id("The key that made it, with which it goes; null if a person did.")),
    disabled_at: nullable(time("When it was disabled; null while it is enabled.")),
    disabled_reason: nullable(text("Why it was disabled; null while it is enabled.")),
  },
  {
    id: "01976f5e-5d7a-7000-8000-6f8a4d5e7b92",
    url: "https://agent.example/hook",
    events: ["file.*", "folder.deleted"],
    drive_id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f",
    created_at: "2030-01-31T12:00:00.000Z",
    made_by: null,
    disabled_at: null,
    disabled_reason: null,
  },
);

export type WebhookRecord = RecordOf<typeof webhookSchema>;

export const deliverySchema = record(
  "WebhookDelivery",
  {
    id: id("The delivery's identifier: the `webhook-id` of its message, the same each time it is sent."),
    type: text("The event.", "file.created"),
    state: Type.Union([
      Type.Literal("pending", { description: "It is sent at `next_at`." }),
      Type.Literal("delivered", { description: "It was answered with a status of 2xx." }),
      Type.Literal("failed", { description: "It is not sent again by itself." }),
    ]),
    attempts: count("How often it was sent."),
    status: nullable(Type.Integer({ description: "The status of the last answer; null if there was none." })),
    error: nullable(text("What went wrong last; null if nothing.")),
    next_at: nullable(time("When it is sent next; null if it is not.")),
    created_at: time("When it was made."),
  },
  {
    id: "01976f5e-5d7a-7000-8000-7a9b5e6f8ca3",
    type: "file.created",
    state: "delivered",
    attempts: 1,
    status: 204,
    error: null,
    next_at: null,
    created_at: "2030-02-01T08:00:00.000Z",
  },
);

export type DeliveryRecord = RecordOf<typeof deliverySchema>;
