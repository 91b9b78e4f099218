import { createInterface } from "node:readline";
import { Writable } from "node:stream";

/** Where a command reads and writes. */
export interface Terminal {
  /** The result: what a script would keep. */
  say(line: string): void;
  /** Words about it, apart from the result. */
  note(line: string): void;
  /** Asks without echo where somebody sits; else takes the next line of the input. Null at its end. */
  readSecret(question: string): Promise<string | null>;
  /** True when somebody sits there. */
  isInteractive: boolean;
}

function createSilence(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

/** The terminal of this process. */
export function createTerminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  const isInteractive = stdin.isTTY === true;
  let lines: AsyncIterator<string> | null = null;

  async function ask(question: string): Promise<string | null> {
    // What is typed is echoed by readline alone, and its output leads nowhere. Asked after it has taken the terminal,
    // so that not even the quickest answer shows.
    const reader = createInterface({ input: stdin, output: createSilence(), terminal: true });
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
