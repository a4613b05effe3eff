import { openAccounts } from "../accounts.ts";
import { PLANS } from "../domain/accounts/plan.ts";
import { SCOPES } from "../domain/accounts/scope.ts";
import { formatInstant } from "../domain/time.ts";
import type { User } from "../domain/accounts/user.ts";
import { type Command, CommandError, readArguments, requireConfig, type Terminal } from "./command.ts";

const DATA_DIR = "  --data-dir PATH   The data directory, as for serve. Works while the server runs.";
const PASSWORD_STDIN = "  --password-stdin  Read the password from standard input instead of asking for it.";

export const userCreate: Command = {
  name: "user create",
  usage: "USERNAME [--password-stdin] [--data-dir PATH]",
  summary: "Create a local account; if there is no administrator, it becomes one, on the plan team",
  help: () => `${PASSWORD_STDIN}\n${DATA_DIR}`,
  async run(args, terminal) {
    const { config, username, password } = await readCredentials(args, terminal);
    await using accounts = await openAccounts(config, "make");
    const user = await accounts.users.createFromShell(username, password);
    const role = user.admin === null ? "" : ", an administrator,";
    terminal.out(`Created the account ${user.username}${role} on the plan ${user.plan}.`);
  },
};

export const userList: Command = {
  name: "user list",
  usage: "[--data-dir PATH]",
  summary: "List the accounts with their plans",
  help: () => DATA_DIR,
  async run(args, terminal) {
    const { values } = readArguments(args, { values: ["data-dir"], switches: [] });
    await using accounts = await openAccounts(requireConfig(values, terminal), "read");
    for (const line of table(accounts.users.all())) terminal.out(line);
  },
};

export const userResetPassword: Command = {
  name: "user reset-password",
  usage: "USERNAME [--password-stdin] [--data-dir PATH]",
  summary: "Set an account's password and sign it out everywhere",
  help: () => `${PASSWORD_STDIN}\n${DATA_DIR}`,
  async run(args, terminal) {
    const { config, username, password } = await readCredentials(args, terminal);
    await using accounts = await openAccounts(config, "change");
    const user = await accounts.users.resetPassword(username, password);
    terminal.out(`Set the password of ${user.username}; its sessions have ended, its keys still work.`);
  },
};

export const userSetPlan: Command = {
  name: "user set-plan",
  usage: "USERNAME PLAN [--data-dir PATH]",
  summary: "Put an account on a plan",
  help: () => `  PLAN              ${PLANS.join(", ")}; the configuration sets their limits.\n${DATA_DIR}`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      values: ["data-dir"],
      switches: [],
      positionals: true,
    });
    const [username, asked, ...rest] = positionals;
    if (username === undefined || asked === undefined || rest.length > 0) {
      throw new CommandError("Give exactly one USERNAME and one PLAN.");
    }
    const plan = PLANS.find((each) => each === asked);
    if (plan === undefined) throw new CommandError(`PLAN must be one of ${PLANS.join(", ")}.`);
    await using accounts = await openAccounts(requireConfig(values, terminal), "change");
    const user = await accounts.users.setPlan(username, plan);
    terminal.out(`${user.username} is on the plan ${user.plan}.`);
  },
};

export const keyCreate: Command = {
  name: "key create",
  usage: "USERNAME [--scope read-only|read-write] [--name NAME] [--data-dir PATH]",
  summary: "Create an account key and print only the key on standard output",
  help: () =>
    `  --scope SCOPE     read-write (the default) or read-only.\n  --name NAME       A label for the key.\n${DATA_DIR}`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      values: ["scope", "name", "data-dir"],
      switches: [],
      positionals: true,
    });
    const username = only(positionals, "USERNAME");
    const { scope: asked = "read-write", name = "", ...flags } = values;
    const scope = SCOPES.find((each) => each === asked);
    if (scope === undefined) throw new CommandError(`--scope must be one of ${SCOPES.join(", ")}.`);
    await using accounts = await openAccounts(requireConfig(flags, terminal), "change");
    const { secret } = await accounts.apiKeys.createFor(username, name, scope);
    terminal.out(secret);
  },
};

function only(positionals: readonly string[], what: string): string {
  const [first, ...rest] = positionals;
  if (first === undefined || rest.length > 0) throw new CommandError(`Give exactly one ${what}.`);
  return first;
}

/** A heading and one line for each user, in columns. */
function table(users: readonly User[]): string[] {
  const rows = users.map(({ username, plan, createdAt, email }) => {
    return [username, plan, formatInstant(createdAt).slice(0, 10), email ?? ""] as const;
  });
  return [["USERNAME", "PLAN", "CREATED", "EMAIL"] as const, ...rows].map(([username, plan, ...others]) =>
    [username.padEnd(32), plan.padEnd(4), ...others].join("  ").trimEnd(),
  );
}

/** The username and new password for `user create` and `user reset-password`. */
async function readCredentials(args: readonly string[], terminal: Terminal) {
  const { values, switches, positionals } = readArguments(args, {
    values: ["data-dir"],
    switches: ["password-stdin"],
    positionals: true,
  });
  const username = only(positionals, "USERNAME");
  const config = requireConfig(values, terminal);
  return { config, username, password: await readPassword(switches.has("password-stdin"), terminal) };
}

/** Reads a password. On standard input it ends at the first line break or at the end. */
async function readPassword(fromInput: boolean, terminal: Terminal): Promise<string> {
  if (fromInput) return (await terminal.readInput()).split(/\r?\n/, 1)[0] ?? "";
  const password = await terminal.askSecret("Password: ");
  if ((await terminal.askSecret("Repeat password: ")) !== password)
    throw new CommandError("The passwords differ.");
  return password;
}
