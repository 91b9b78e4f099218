import type { ParseArgsConfig } from "node:util";
import { parseArgs } from "node:util";
import { type Issue, isAppError } from "../../errors";
import type { Environment } from "../process/env";
import type { Terminal } from "./terminal";

/** The command line is invalid: printed with the command's usage, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command failed: printed as one line, exit code 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

interface CommandContext {
  env: Environment;
  terminal: Terminal;
}

/** One command of `npm run admin`. */
export interface Command {
  name: string;
  /** The arguments, as the usage text shows them. */
  usage: string;
  summary: string;
  /** Runs the command. Throws UsageError, CommandError, AppError or SettingError. */
  run(ctx: CommandContext, args: readonly string[]): Promise<void>;
}

type Options = NonNullable<ParseArgsConfig["options"]>;

/** Parses a command's options and positional arguments (`names`). Throws UsageError for unknown or missing ones. */
export function readArguments<O extends Options>(
  args: readonly string[],
  options: O,
  names: readonly string[],
) {
  const parsed = parse(args, options);
  if (parsed.positionals.length > names.length) {
    throw new UsageError(`'${parsed.positionals[names.length]}' is an unexpected argument.`);
  }
  const missing = names[parsed.positionals.length];
  if (missing !== undefined) throw new UsageError(`<${missing}> is missing.`);
  return parsed;
}

function parse<O extends Options>(args: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    // Node's message names the option and what was expected.
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** `a, b` → `["a", "b"]`; undefined stays undefined. */
export function listOf(text: string | undefined): string[] | undefined {
  return text?.split(/[\s,]+/).filter((one) => one !== "");
}

/** `1 key`, `2 keys` */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Runs a check of a file; its errors become CommandErrors. */
export function orCommandError(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * The issue of a field of `input`, under the name of its option: `--operations 'chat': Must be …`. A field without an
 * option keeps its own name.
 */
function optionIssue(
  { path, message }: Issue,
  input: Readonly<Record<string, unknown>>,
  options: Readonly<Record<string, string>>,
): string {
  const [field = "", index] = path.split(".");
  const option = options[field];
  if (option === undefined) return `${path}: ${message}`;
  const value = input[field];
  const item = Array.isArray(value) ? value[Number(index)] : value;
  return item === undefined ? `--${option}: ${message}` : `--${option} '${String(item)}': ${message}`;
}

/**
 * Runs `work`, which validates `input`: an API request built from command-line options. `options`: the option of each
 * field. Errors about fields become one CommandError, with a line per field that names the option and its value.
 */
export async function withOptionNames<T>(
  input: Readonly<Record<string, unknown>>,
  options: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const issues = isAppError(error) ? (error.details.issues ?? []) : [];
    if (issues.length === 0) throw error;
    throw new CommandError(issues.map((issue) => optionIssue(issue, input, options)).join("\n"));
  }
}
