import { openFolder, type Run, run as runProgram } from '../../../testing/children.ts';
import { runCli } from '../src/cli.ts';
import { commands } from '../src/commands/index.ts';
import type { Terminal } from '../src/terminal.ts';

const main = new URL('../src/main.ts', import.meta.url);

/** End and texts of a command line. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A command line that goes on. */
export interface Going {
  readonly end: Promise<Ran>;
  /** When it has written this, on standard output or error. Rejects where it ends before. */
  says(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Interrupts it, and waits for its end. */
  stop(): Promise<Ran>;
}

/** A shell with a home of its own, in this process. */
export interface Shell {
  readonly home: string;
  /** Answers what a person types in the place of secrets; without it there is no terminal. */
  typed: readonly string[] | undefined;
  environment: Record<string, string>;
  /** Of a terminal that progress is drawn on. */
  columns: number | undefined;
  /** Everything on standard input. */
  input: string;
  /** A person's browser. */
  browser: ((address: string) => Promise<void>) | undefined;
  /** Names of the commands that did something here, or answered no. */
  readonly done: ReadonlySet<string>;
  run(...args: string[]): Promise<Ran>;
  /** @throws Error unless it ends with 0 */
  json<Data = Record<string, string>>(...args: string[]): Promise<Data>;
  begin(...args: string[]): Going;
  /** A command that is a process of its own, with these settings alone; whoever starts it sees that it works. */
  start(environment: Readonly<Record<string, string>>, ...args: string[]): Run;
  /** Nothing is typed, set, read or going on any more: for `afterEach`. */
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
        if (args.includes('--json') && !isJson(out)) throw new Error(`${args.join(' ')}: no JSON: ${out}`);
        if (code !== 0 && !/^Next: |--help/m.test(err))
          throw new Error(`${args.join(' ')}: says not what to do next: ${err}`);
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
      // Tests say of which form it is.
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

/** Waits for patterns in a text that grows. */
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
          if (found === null) reject(new Error(`${pattern} was not said. ${over}`));
          else resolve(found);
        };
        waiting.add(one);
        one();
      }),
  };
}

/** The command that a line begins with. */
function nameOf(args: readonly string[]): string | undefined {
  return commands.map(({ name }) => name).find((name) => ` ${args.join(' ')} `.startsWith(` ${name} `));
}

/** JSON, or lines of it. */
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
