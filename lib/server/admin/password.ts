import { randomBase62 } from "../../gateway/new-id";
import { systemRandom } from "../process/container";
import { CommandError } from "./command";
import type { Terminal } from "./terminal";

/** 119 random bits, with nothing in it that a shell or a double click would cut at. */
const GENERATED_LENGTH = 20;

/**
 * A new password: made up (`generate`), asked for twice without echo, or the first line of the input. Never an
 * argument, which other users of the machine and the shell's history would see.
 */
export async function readNewPassword(terminal: Terminal, generate: boolean): Promise<string> {
  if (generate) return randomBase62(systemRandom, GENERATED_LENGTH);
  const password = await terminal.readSecret("New password: ");
  if (password === null || password === "") {
    throw new CommandError(
      "No password was given. Type it when asked, send it as the first line of the input, or use --generate.",
    );
  }
  if (terminal.isInteractive && (await terminal.readSecret("The same again: ")) !== password) {
    throw new CommandError("The two passwords differ.");
  }
  return password;
}
