import { type Run, run as runProgram } from '../../../testing/children.ts';
import { openFolder } from '../../../testing/folder.ts';
import { runCli } from '../src/cli.ts';
import { commands } from '../src/commands/index.ts';
import type { Terminal } from '../src/terminal.ts';

const main = new URL('../src/main.ts', import.meta.url);

/** Exit code and output of a command. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A running command. */
export interface Going {
  readonly end: Promise<Ran>;
  /** Resolves when standard output or error matches. Rejects if the command exits first. */
  says(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Interrupts the command and waits for its exit. */
  stop(): Promise<Ran>;
}

/** Runs commands in this process, with a separate home folder. */
export interface Shell {
  readonly home: string;
  /** Input for secret prompts; undefined if there is no terminal. */
  typed: readonly string[] | undefined;
  environment: Record<string, string>;
  /** Width of the terminal on which progress is drawn. */
  columns: number | undefined;
  /** Content of standard input. */
  input: string;
  /** Called instead of opening the user's browser. */
  browser: ((address: string) => Promise<void>) | undefined;
  /** Commands that exited with 0 or 3. */
  readonly done: ReadonlySet<string>;
  run(...args: string[]): Promise<Ran>;
  /** @throws Error if the command does not exit with 0 */
  json<Data = Record<string, string>>(...args: string[]): Promise<Data>;
  begin(...args: string[]): Going;
  /** Starts a command in its own process, with only these environment variables. The caller checks its effect. */
  start(environment: Readonly<Record<string, string>>, ...args: string[]): Run;
  /** Clears input and settings and stops running commands, for `afterEach`. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export async function openShell(): Promise<Shell> {
  const folder = await openFolder();
  const done = new Set<string>();
  const going = new Set<Going>();
  const atFirst = { typed: undefined, environment: {}, columns: undefined, input: '', browser: undefined };
  const note = (args: readonly string[]) => {
    const name = nameOf(args);
    if (name !== undefined && !args.includes('--help')) done.add(name);
  };
  const shell: Shell = {
    ...{ ...atFirst, home: folder.path, done },
    begin(...args) {
      const over = new AbortController();
      const texts = { out: '', err: '' };
      const said = createListener();
      const answers = [...(shell.typed ?? [])];
      const write = (to: 'out' | 'err') => (text: string) => {
        texts[to] += text;
        said.hear(text);
      };
      const terminal: Terminal = {
        environment: { HOME: folder.path, ...shell.environment },
        isInteractive: shell.typed !== undefined,
        drawsProgress: shell.columns !== undefined,
        columns: () => shell.columns ?? 80,
        timeZone: 'Europe/Berlin',
        signal: over.signal,
        out: write('out'),
        err: write('err'),
        input: async () => shell.input,
        openBrowser: async (address) => {
          await shell.browser?.(address);
          return shell.browser !== undefined;
        },
        askSecret: async () => answers.shift() ?? '',
      };
      const go = async () => {
        const code = await runCli(args, terminal);
        const { out, err } = texts;
        if ([0, 3].includes(code)) note(args);
        if (args.includes('--json') && !isJson(out)) throw new Error(`${args.join(' ')}: not JSON: ${out}`);
        if (code !== 0 && !/^Next: |--help/m.test(err))
          throw new Error(`${args.join(' ')}: the error does not suggest a next step: ${err}`);
        return { code, out, err };
      };
      const end = go();
      const one: Going = {
        end,
        says: said.wait,
        stop: async () => {
          over.abort(new Error('SIGINT'));
          return await end;
        },
      };
      going.add(one);
      const isOver = () => {
        going.delete(one);
        said.close(`${args.join(' ')} has ended: ${texts.out}${texts.err}`);
      };
      end.then(isOver, isOver);
      return one;
    },
    run: async (...args) => await shell.begin(...args).end,
    async json<Data>(...args: string[]) {
      const { code, out, err } = await shell.run(...args, '--json');
      if (code !== 0) throw new Error(`ledger-ops ${args.join(' ')} ended with ${code}: ${err}`);
      // The test declares the type.
      return JSON.parse(out) as Data;
    },
    start(environment, ...args) {
      note(args);
      return runProgram(main, environment, args);
    },
    async reset() {
      Object.assign(shell, atFirst);
      await Promise.allSettled([...going].map((one) => one.stop()));
    },
    close: async () => {
      await shell.reset();
      await folder.remove();
    },
  };
  return shell;
}

/** Waits until growing output matches patterns. */
function createListener() {
  let told = '';
  let over: string | undefined;
  const waiting = new Set<() => void>();
  const look = () => {
    for (const one of waiting) one();
  };
  return {
    hear(text: string) {
      told += text;
      look();
    },
    close(why: string) {
      over = why;
      look();
    },
    wait: async (pattern: RegExp) =>
      await new Promise<RegExpMatchArray>((resolve, reject) => {
        const one = () => {
          const found = told.match(pattern);
          if (found === null && over === undefined) return;
          waiting.delete(one);
          if (found === null) reject(new Error(`No output matches ${pattern}. ${over}`));
          else resolve(found);
        };
        waiting.add(one);
        one();
      }),
  };
}

/** Returns the name of the command that these arguments run. */
function nameOf(args: readonly string[]): string | undefined {
  return commands.map(({ name }) => name).find((name) => ` ${args.join(' ')} `.startsWith(` ${name} `));
}

/** Whether a text is JSON, or consists of lines of JSON. */
function isJson(text: string): boolean {
  const isOne = (part: string) => {
    try {
      JSON.parse(part);
      return true;
    } catch {
      return false;
    }
  };
  return isOne(text) || text.trimEnd().split('\n').every(isOne);
}
