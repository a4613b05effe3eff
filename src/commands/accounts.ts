import { openAccounts } from "../accounts.ts";
import { PLANS, SCOPES } from "../domain/accounts/roles.ts";
import { formatInstant } from "../domain/time.ts";
import type { User } from "../domain/accounts/user.ts";
import { type Arguments, type Command, CommandError, requireConfig } from "./command.ts";
import type { Terminal } from "./terminal.ts";

const DATA_DIR = "  --data-dir PATH   The data directory, as for serve. Works while the server runs.";
const PASSWORD_STDIN = "  --password-stdin  Read the password from standard input instead of asking for it.";

export const userCreate: Command = {
  name: "user create",
  positionals: ["USERNAME"],
  flags: ["--password-stdin", "--data-dir PATH"],
  summary: "Create a local account; if there is no administrator, it becomes one, on the plan team",
  help: `${PASSWORD_STDIN}\n${DATA_DIR}`,
  async run(args, terminal) {
    const { username, password, config } = await namedAccount(args, terminal);
    await using accounts = await openAccounts(config, "make");
    const user = await accounts.users.createFromShell(username, password);
    const role = user.admin === null ? "" : ", an administrator,";
    terminal.out(`Created the account ${user.username}${role} on the plan ${user.plan}.`);
  },
};

export const userList: Command = {
  name: "user list",
  flags: ["--data-dir PATH"],
  summary: "List the accounts with their plans",
  help: DATA_DIR,
  async run({ values }, terminal) {
    await using accounts = await openAccounts(requireConfig(values, terminal), "read");
    for (const line of table(accounts.users.all())) terminal.out(line);
  },
};

export const userResetPassword: Command = {
  name: "user reset-password",
  positionals: ["USERNAME"],
  flags: ["--password-stdin", "--data-dir PATH"],
  summary: "Set an account's password and sign it out everywhere",
  help: `${PASSWORD_STDIN}\n${DATA_DIR}`,
  async run(args, terminal) {
    const { username, password, config } = await namedAccount(args, terminal);
    await using accounts = await openAccounts(config, "change");
    const user = await accounts.users.resetPassword(username, password);
    terminal.out(`Set the password of ${user.username}; its sessions have ended, its keys still work.`);
  },
};

export const userSetPlan: Command = {
  name: "user set-plan",
  positionals: ["USERNAME", "PLAN"],
  flags: ["--data-dir PATH"],
  summary: "Put an account on a plan",
  help: `  PLAN              ${PLANS.join(", ")}; the configuration sets their limits.\n${DATA_DIR}`,
  async run({ values, positionals: [username = "", asked] }, terminal) {
    const plan = PLANS.find((each) => each === asked);
    if (plan === undefined) throw new CommandError(`PLAN must be one of ${PLANS.join(", ")}.`);
    await using accounts = await openAccounts(requireConfig(values, terminal), "change");
    const user = await accounts.users.setPlan(username, plan);
    terminal.out(`${user.username} is on the plan ${user.plan}.`);
  },
};

export const keyCreate: Command = {
  name: "key create",
  positionals: ["USERNAME"],
  flags: ["--scope read-only|read-write", "--name NAME", "--data-dir PATH"],
  summary: "Create an account key and print only the key on standard output",
  help: `  --scope SCOPE     read-write (the default) or read-only.\n  --name NAME       A label for the key.\n${DATA_DIR}`,
  async run({ values, positionals: [username = ""] }, terminal) {
    const { scope: asked = "read-write", name = "", ...flags } = values;
    const scope = SCOPES.find((each) => each === asked);
    if (scope === undefined) throw new CommandError(`--scope must be one of ${SCOPES.join(", ")}.`);
    await using accounts = await openAccounts(requireConfig(flags, terminal), "change");
    const { secret } = await accounts.apiKeys.createFor(username, name, scope);
    terminal.out(secret);
  },
};

function table(users: readonly User[]): string[] {
  const rows = users.map(({ username, plan, createdAt, email }) => {
    return [username, plan, formatInstant(createdAt).slice(0, 10), email ?? ""] as const;
  });
  return [["USERNAME", "PLAN", "CREATED", "EMAIL"] as const, ...rows].map(([username, plan, ...others]) =>
    [username.padEnd(32), plan.padEnd(4), ...others].join("  ").trimEnd(),
  );
}

/** Whose password is set, and the new one. On standard input it ends at the first line break or at the end. */
async function namedAccount(
  { positionals: [username = ""], values, switches }: Arguments,
  terminal: Terminal,
) {
  const config = requireConfig(values, terminal);
  if (switches.has("password-stdin")) {
    return { config, username, password: (await Bun.stdin.text()).split(/\r?\n/, 1)[0] ?? "" };
  }
  const password = await askSecret("Password: ");
  if ((await askSecret("Repeat password: ")) !== password) throw new CommandError("The passwords differ.");
  return { config, username, password };
}

const ENTER = /[\r\n]/;
const INTERRUPT = "\u0003";
const ERASE = /[\u007f\b]/;

/** Asks for a secret without showing it. Throws CommandError without a terminal. */
function askSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) {
    throw new CommandError("There is no terminal to ask for the password: use --password-stdin.");
  }
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  stdin.resume();
  return new Promise((resolve, reject) => {
    let secret = "";
    const listen = (keys: string) => {
      for (const key of keys) {
        if (ENTER.test(key) || key === INTERRUPT) {
          stdin.off("data", listen);
          stdin.setRawMode(false);
          stdin.pause();
          stderr.write("\n");
          if (key === INTERRUPT) reject(new CommandError("Interrupted."));
          else resolve(secret);
          return;
        }
        secret = ERASE.test(key) ? secret.slice(0, -1) : secret + key;
      }
    };
    stdin.on("data", listen);
  });
}
