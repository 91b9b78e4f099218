/** What a program left behind. */
export interface ProgramResult {
  /** The file it wrote, if any. */
  file: Uint8Array | null;
  /** What it printed. */
  output: string;
}

const SUCCESS = 0;
const BAD_FILE = 8;
const NO_SUCH_FILE = 44;
const ROOT = 3;
const FIRST_FILE = 4;
const CREATE = 1;
/** File types of fdstat: directory, regular file, character device. */
const DIRECTORY = 3;
const REGULAR = 4;
const DEVICE = 2;

interface OpenFile {
  bytes: Uint8Array;
  length: number;
  position: number;
}

class Exit extends Error {}

/**
 * Runs a WASI program (snapshot preview 1) that reads its arguments and writes one file, all in memory: no file system,
 * no clock, no environment, no input. Throws what the program traps with.
 */
export function runProgram(module: WebAssembly.Module, args: readonly string[]): ProgramResult {
  const files = new Map<number, OpenFile>();
  const printed: string[] = [];
  const holder: { memory?: WebAssembly.Memory } = {};
  const bytes = () => new Uint8Array(memoryOf(holder).buffer);
  const view = () => new DataView(memoryOf(holder).buffer);
  const argv = args.map((arg) => new TextEncoder().encode(`${arg}\0`));

  const imports = {
    args_sizes_get(count: number, size: number) {
      view().setUint32(count, argv.length, true);
      view().setUint32(
        size,
        argv.reduce((sum, arg) => sum + arg.length, 0),
        true,
      );
      return SUCCESS;
    },
    args_get(pointers: number, buffer: number) {
      let at = buffer;
      argv.forEach((arg, index) => {
        view().setUint32(pointers + index * 4, at, true);
        bytes().set(arg, at);
        at += arg.length;
      });
      return SUCCESS;
    },
    clock_time_get(_clock: number, _precision: bigint, at: number) {
      view().setBigUint64(at, 0n, true);
      return SUCCESS;
    },
    fd_close: (fd: number) => (files.has(fd) || fd <= ROOT ? SUCCESS : BAD_FILE),
    fd_fdstat_get(fd: number, at: number) {
      const out = view();
      out.setUint8(at, fd === ROOT ? DIRECTORY : files.has(fd) ? REGULAR : DEVICE);
      out.setUint16(at + 2, 0, true);
      out.setBigUint64(at + 8, 0xffff_ffffn, true);
      out.setBigUint64(at + 16, 0xffff_ffffn, true);
      return SUCCESS;
    },
    fd_fdstat_set_flags: () => SUCCESS,
    fd_prestat_get(fd: number, at: number) {
      if (fd !== ROOT) return BAD_FILE;
      view().setUint8(at, 0);
      view().setUint32(at + 4, 1, true);
      return SUCCESS;
    },
    fd_prestat_dir_name(_fd: number, at: number) {
      bytes()[at] = "/".charCodeAt(0);
      return SUCCESS;
    },
    fd_read(_fd: number, _vectors: number, _count: number, at: number) {
      view().setUint32(at, 0, true);
      return SUCCESS;
    },
    fd_seek(fd: number, offset: bigint, whence: number, at: number) {
      const file = files.get(fd);
      if (!file) return BAD_FILE;
      const base = whence === 0 ? 0 : whence === 1 ? file.position : file.length;
      file.position = base + Number(offset);
      view().setBigUint64(at, BigInt(file.position), true);
      return SUCCESS;
    },
    fd_write(fd: number, vectors: number, count: number, at: number) {
      const table = view();
      let written = 0;
      for (let i = 0; i < count; i++) {
        const from = table.getUint32(vectors + i * 8, true);
        const length = table.getUint32(vectors + i * 8 + 4, true);
        const source = bytes().subarray(from, from + length);
        const file = files.get(fd);
        if (file) append(file, source);
        else printed.push(new TextDecoder().decode(source.slice()));
        written += length;
      }
      table.setUint32(at, written, true);
      return SUCCESS;
    },
    path_open(
      _directory: number,
      _lookup: number,
      _path: number,
      _length: number,
      flags: number,
      _rights: bigint,
      _inheriting: bigint,
      _fdFlags: number,
      at: number,
    ) {
      if ((flags & CREATE) === 0) return NO_SUCH_FILE;
      const fd = FIRST_FILE + files.size;
      files.set(fd, { bytes: new Uint8Array(1 << 16), length: 0, position: 0 });
      view().setUint32(at, fd, true);
      return SUCCESS;
    },
    proc_exit(): never {
      throw new Exit("the program ended");
    },
  };

  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports });
  // Both exports are part of the ABI every WASI command has.
  const { memory, _start } = instance.exports as { memory: WebAssembly.Memory; _start: () => void };
  holder.memory = memory;
  try {
    _start();
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
  }
  const file = [...files.values()].at(-1);
  return { file: file ? file.bytes.subarray(0, file.length) : null, output: printed.join("") };
}

function memoryOf(holder: { memory?: WebAssembly.Memory }): WebAssembly.Memory {
  if (!holder.memory) throw new Error("the program called out before it had memory");
  return holder.memory;
}

function append(file: OpenFile, source: Uint8Array): void {
  const end = file.position + source.length;
  if (end > file.bytes.length) {
    const grown = new Uint8Array(Math.max(file.bytes.length * 2, end));
    grown.set(file.bytes);
    file.bytes = grown;
  }
  file.bytes.set(source, file.position);
  file.position = end;
  file.length = Math.max(file.length, end);
}
