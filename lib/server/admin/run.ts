import { isAppError } from "../../errors";
import { readEnvironment } from "../process/env";
import { backup } from "./backup";
import { type Command, UsageError } from "./command";
import { createKey } from "./create-key";
import { finishRestore } from "./finish-restore";
import { migrateStore } from "./migrate-store";
import { restore } from "./restore";
import { rotateSecret } from "./rotate-secret";
import type { Terminal } from "./terminal";
import { resetPassword, resetTwoFactor, setup, transferOwnership, unlock } from "./user-commands";
import { verifyAudit } from "./verify-audit";
import { voicesCommand } from "./voices";

const COMMANDS: readonly Command[] = [
  setup,
  createKey,
  resetPassword,
  resetTwoFactor,
  unlock,
  transferOwnership,
  backup,
  restore,
  finishRestore,
  migrateStore,
  rotateSecret,
  verifyAudit,
  voicesCommand,
];

const INTRO = "npm run admin -- <command> [options]";

function overview(): string {
  const width = Math.max(...COMMANDS.map((command) => command.name.length));
  const lines = COMMANDS.flatMap(({ name, usage, summary }) => [
    `  ${name.padEnd(width)}  ${summary}`,
    `  ${" ".repeat(width)}  ${name} ${usage}`,
  ]);
  return [`Usage: ${INTRO}`, "", ...lines].join("\n");
}

function usageOf({ name, usage }: Command): string {
  return `Usage: npm run admin -- ${name} ${usage}`;
}

/** True for `<command> --help`; after `--` it is an argument. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end === -1 ? args.length : end).some((arg) => arg === "--help" || arg === "-h");
}

function messageOf(error: unknown): string {
  const issues = isAppError(error) ? (error.details.issues ?? []) : [];
  if (issues.length > 1) return issues.map(({ path, message }) => `${path}: ${message}`).join("\n");
  return error instanceof Error ? error.message : String(error);
}

/**
 * Runs one command line. Returns the exit code: 0 done, 1 failed, 2 invalid command line. `source`: the environment
 * variables.
 */
export async function runAdmin(
  args: readonly string[],
  terminal: Terminal,
  source?: Readonly<Record<string, string | undefined>>,
): Promise<0 | 1 | 2> {
  const [name = "", ...rest] = args;
  if (name === "help" || name === "--help" || name === "-h") {
    terminal.say(overview());
    return 0;
  }
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) {
    if (name !== "") terminal.note(`Unknown command '${name}'.\n`);
    terminal.note(overview());
    return 2;
  }
  if (asksForHelp(rest)) {
    terminal.say(`${usageOf(command)}\n\n${command.summary}`);
    return 0;
  }
  try {
    await command.run({ env: readEnvironment(source), terminal }, rest);
    return 0;
  } catch (error) {
    terminal.note(messageOf(error));
    if (!(error instanceof UsageError)) return 1;
    terminal.note(usageOf(command));
    return 2;
  }
}
