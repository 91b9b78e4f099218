import { createInterface } from "node:readline";
import { Writable } from "node:stream";

/** Where a command reads and writes. */
export interface Terminal {
  /** Prints the result, for scripts, to standard output. */
  say(line: string): void;
  /** Prints a message to standard error. */
  note(line: string): void;
  /** Asks without echo at a terminal, otherwise reads the next line of the input. Null at the end of the input. */
  readSecret(question: string): Promise<string | null>;
  /** True when the input is a terminal. */
  isInteractive: boolean;
}

function createNullStream(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

/** Ignores EPIPE: the reader of a pipe (`| head -1`) may exit before the command, which still has to finish. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

export function createTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  for (const output of [stdout, stderr]) output.on("error", ignoreClosedPipe);
  const isInteractive = stdin.isTTY === true;
  let lines: AsyncIterator<string> | null = null;

  async function ask(question: string): Promise<string | null> {
    // Only readline echoes the input, and its output is discarded. The question is printed after readline has put the
    // terminal into raw mode, so that even an immediate answer is not shown.
    const reader = createInterface({ input: stdin, output: createNullStream(), terminal: true });
    stderr.write(question);
    try {
      return await new Promise<string | null>((resolve) => {
        reader.once("close", () => resolve(null));
        reader.question("", resolve);
      });
    } finally {
      reader.close();
      stderr.write("\n");
    }
  }

  async function readLine(): Promise<string | null> {
    lines ??= createInterface({ input: stdin })[Symbol.asyncIterator]();
    const next = await lines.next();
    return next.done ? null : next.value;
  }

  return {
    say: (line) => void stdout.write(`${line}\n`),
    note: (line) => void stderr.write(`${line}\n`),
    readSecret: (question) => (isInteractive ? ask(question) : readLine()),
    isInteractive,
  };
}
