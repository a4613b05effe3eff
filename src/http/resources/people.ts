import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { formatInstant } from "../../domain/time.ts";
import type { People, Person } from "../../services/people.ts";
import { examplePassword } from "../operation/examples.ts";
import { operation } from "../operation/operation.ts";
import { id, newPassword, nullable, plan, time } from "../operation/schema.ts";

const personSchema = Type.Object(
  {
    id: id("The account's identifier."),
    username: Type.String({ examples: ["ada"] }),
    email: nullable(Type.String()),
    display_name: nullable(Type.String()),
    plan: plan(),
    admin: Type.Boolean({ description: "Whether they look after the others." }),
    has_password: Type.Boolean({ description: "Whether it can sign in with a password." }),
    disabled: Type.Boolean({ description: "Whether neither sessions nor keys of theirs work." }),
    drive_count: Type.Integer({ minimum: 0 }),
    total_size: Type.Integer({ minimum: 0, description: "Bytes in all their drives." }),
    created_at: time("When the account was made."),
  },
  { $id: "Person" },
);

function personRecord({ user, hasPassword, driveCount, totalSize }: Person) {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    display_name: user.displayName,
    plan: user.plan,
    admin: user.admin !== null,
    has_password: hasPassword,
    disabled: user.disabledAt !== null,
    drive_count: driveCount,
    total_size: totalSize,
    created_at: formatInstant(user.createdAt),
  };
}

const examplePerson = {
  id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f",
  username: "bob",
  email: null,
  display_name: null,
  plan: "free",
  admin: false,
  has_password: true,
  disabled: false,
  drive_count: 2,
  total_size: 4096,
  created_at: "2030-01-31T12:00:00.000Z",
};

const onePerson = Type.Object({ data: personSchema });

/** Accounts, for administrators. */
export function people(service: People) {
  return new Elysia({ name: "people" })
    .get(
      ...operation(
        "/v0/people",

        {
          operationId: "listPeople",
          tag: "People",
          summary: "List the accounts of this server",
          description: "For administrators alone, signed in; everybody else and every key gets 403.",
          signedIn: true,
          answers: [
            {
              status: 200,
              description: "Everybody, by username.",
              json: Type.Object({ data: Type.Array(personSchema) }),
              example: { data: [examplePerson] },
            },
          ],
          errors: ["FORBIDDEN"],
        },
        ({ caller }) => Response.json({ data: service.list(caller).map(personRecord) }),
      ),
    )
    .post(
      ...operation(
        "/v0/people",

        {
          operationId: "createPerson",
          tag: "People",
          summary: "Make an account for somebody",
          description:
            "They sign in with the password, and change it themselves. For administrators alone, signed in.",
          signedIn: true,
          body: Type.Object({
            username: Type.String({ description: "3 to 32 of `a-z 0-9 -`.", examples: ["bob"] }),
            password: newPassword("A temporary password"),
          }),
          example: { username: "bob", password: examplePassword },
          answers: [
            {
              status: 201,
              description: "The new account.",
              json: onePerson,
              example: { data: examplePerson },
            },
          ],
          errors: ["CONFLICT", "STORAGE_FULL"],
        },
        async ({ body, caller, reply }) => {
          await service.create(
            caller,
            body.username,
            body.password,
            reply.with((person) => ({ status: 201, json: { data: personRecord(person) } })),
          );
          return reply.response();
        },
      ),
    )
    .patch(
      ...operation(
        "/v0/people/:id",

        {
          operationId: "updatePerson",
          tag: "People",
          summary: "Change somebody's plan, disable or enable them",
          description:
            "Both count at once. A disabled person is signed out everywhere and their keys rest until they are enabled; what they have stays. Administrators cannot be disabled. For administrators alone, signed in.",
          signedIn: true,
          params: Type.Object({ id: id("The account's identifier.") }),
          body: Type.Object({
            plan: Type.Optional(plan()),
            disabled: Type.Optional(Type.Boolean()),
          }),
          example: { plan: "pro" },
          answers: [
            { status: 200, description: "The account.", json: onePerson, example: { data: examplePerson } },
          ],
          errors: ["NOT_FOUND", "STORAGE_FULL"],
        },
        async ({ params, body, caller, reply }) => {
          await service.update(
            caller,
            params.id,
            body,
            reply.with((person) => ({ json: { data: personRecord(person) } })),
          );
          return reply.response();
        },
      ),
    );
}
