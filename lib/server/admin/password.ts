import { randomBase62 } from "../../gateway/new-id";
import { systemRandom } from "../process/system";
import { CommandError } from "./command";
import type { Terminal } from "./terminal";

/** Characters of a generated password: 119 random bits, without characters that a shell or a double click splits at. */
const GENERATED_LENGTH = 20;

/**
 * A new password: generated (`generate`), typed twice without echo, or the first line of the input. Never an argument,
 * which would be visible to other users of the machine and in the shell's history.
 */
export async function readNewPassword(terminal: Terminal, generate: boolean): Promise<string> {
  if (generate) return randomBase62(systemRandom, GENERATED_LENGTH);
  const password = await terminal.readSecret("New password: ");
  if (password === null || password === "") {
    throw new CommandError(
      "No password was given. Type it when asked, send it as the first line of the input, or use --generate.",
    );
  }
  if (terminal.isInteractive && (await terminal.readSecret("Repeat the password: ")) !== password) {
    throw new CommandError("The two passwords differ.");
  }
  return password;
}
