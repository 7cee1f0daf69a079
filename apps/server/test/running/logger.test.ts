import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { childEnvironment, sourceArguments } from '../../../../testing/children.ts';
import { openFolder } from '../../../../testing/folder.ts';
import { createLog } from '../../src/logging/logger.ts';
import { openPipe, type Pipe } from '../http/pipe.ts';

const patience = { timeout: 30_000, interval: 20 };
const module = JSON.stringify(new URL('../../src/logging/logger.ts', import.meta.url).href);

let folder: Awaited<ReturnType<typeof openFolder>>;
let pipe: Pipe;
const children = new Set<ChildProcess>();

beforeEach(async () => {
  folder = await openFolder();
  pipe = openPipe(folder.path);
});

afterEach(async () => {
  for (const child of children) {
    const gone = child.exitCode !== null || child.signalCode !== null ? undefined : once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  children.clear();
  pipe.close();
  await folder.remove();
});

/** Starts a process whose log goes to this output. `body` can use `log`, and `tell` to send the test a message. */
function start(output: number, body: string) {
  const program = `
    const { createLog } = await import(${module});
    const { log } = createLog('info');
    const tell = (message) => new Promise((resolve) => process.send(message, resolve));
    const keep = setInterval(() => undefined, 1_000);
    ${body}
  `;
  const child = spawn(
    process.execPath,
    [...sourceArguments, '--no-warnings', '--input-type=module', '--eval', program],
    { env: childEnvironment(), stdio: ['ignore', output, 'ignore', 'ipc'] },
  );
  children.add(child);
  const messages: unknown[] = [];
  child.on('message', (message) => messages.push(message));
  return {
    child,
    code: once(child, 'exit').then(([code]) => code as number | null),
    /** Waits until the process has sent this message with `tell`. */
    says: (message: string) => vi.waitFor(() => expect(messages).toContain(message), patience),
  };
}

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const many = (from: number, to: number) =>
  `for (let height = ${from}; height < ${to}; height += 1)
     log('info', 'block', { height, detail: '${'x'.repeat(200)}' });`;

test('the log writes a warning immediately even if no further lines follow', async () => {
  const { child } = start(pipe.end, `log('warn', 'chain.reorganised', { ledgerId: 'one', height: 7 });`);
  pipe.started();
  let text = '';
  await vi.waitFor(() => {
    text += pipe.read();
    expect(text).toContain('\n');
  }, patience);
  expect(linesOf(text)).toEqual([
    {
      ...{ level: 'warn', time: expect.any(String), pid: child.pid },
      ...{ ledgerId: 'one', height: 7, msg: 'chain.reorganised' },
    },
  ]);
  expect(child.exitCode).toBeNull();
}, 180_000);

describe.each([
  ['ends', `process.exit(3);`, 3],
  ['throws', `setImmediate(() => { throw new Error('not caught'); });`, 1],
])('a process that %s', (_name, end, code) => {
  test('a process writes its last line before it exits', async () => {
    const one = start(pipe.end, `log('info', 'last'); ${end}`);
    pipe.started();
    expect(await one.code).toBe(code);
    expect(linesOf(pipe.read()).map(({ msg }) => msg)).toEqual(['last']);
  }, 180_000);

  test('a process exits even if nobody reads its last line', async () => {
    pipe.fill();
    const one = start(pipe.end, `${many(0, 1_000)} ${end}`);
    pipe.started();
    expect(await one.code).toBe(code);
  }, 180_000);
});

test('a process continues if nobody reads its output, and counts the dropped lines', async () => {
  pipe.fill();
  const one = start(
    pipe.end,
    `await tell('starts');
     const before = process.memoryUsage().rss;
     ${many(0, 100_000)}
     const grown = process.memoryUsage().rss - before;
     await tell(grown < 64e6 ? 'bounded' : 'grown by ' + grown);
     process.once('message', () => { ${many(100_000, 100_010)} process.disconnect(); clearInterval(keep); });`,
  );
  pipe.started();
  await one.says('bounded');
  let text = '';
  await vi.waitFor(() => {
    text += pipe.read();
    expect(text).toContain('lines were dropped');
  }, patience);
  one.child.send('on');
  expect(await one.code).toBe(0);
  const lines = linesOf(text + pipe.read());
  const at = lines.findIndex(({ msg }) => msg === 'log.lost');
  const { count, detail, level } = lines[at] ?? {};
  expect({ level, detail }).toEqual({ level: 'error', detail: `${count} log lines were dropped` });
  // The lines are in order, with only this gap.
  expect(lines.slice(0, at).map(({ height }) => height)).toEqual(Array.from({ length: at }, (_, n) => n));
  expect(Number(count)).toBe(100_000 - at);
  expect(lines.slice(at + 1).map(({ height }) => height)).toEqual(
    Array.from({ length: 10 }, (_, n) => 100_000 + n),
  );
}, 180_000);

test('a process continues if its output is closed', async () => {
  const one = start(
    pipe.end,
    `await tell('starts');
     process.once('message', async () => {
       ${many(0, 50_000)}
       await tell('goes on');
       process.exit(0);
     });`,
  );
  pipe.started();
  await one.says('starts');
  const held = pipe;
  pipe = { ...pipe, close: () => undefined };
  held.close();
  one.child.send('on');
  await one.says('goes on');
  expect(await one.code).toBe(0);
}, 180_000);

test('a process continues if the disk of its log is full', async () => {
  const full = openSync('/dev/full', 'w');
  const one = start(full, `${many(0, 50_000)} await tell('goes on'); process.exit(0);`);
  closeSync(full);
  pipe.started();
  await one.says('goes on');
  expect(await one.code).toBe(0);
}, 180_000);

test.runIf(existsSync('/usr/bin/script'))('a process continues if its terminal is stopped', async () => {
  const [program, mark] = [join(folder.path, 'program.mjs'), join(folder.path, 'mark')];
  await writeFile(
    program,
    `const { createLog } = await import(${module});
    const { log } = createLog('info');
    ${many(0, 5_000)}
    (await import('node:fs')).writeFileSync(${JSON.stringify(mark)}, 'goes on');
    setInterval(() => undefined, 1_000);`,
  );
  const command = [process.execPath, ...sourceArguments, '--no-warnings', program].join(' ');
  // The program behind the terminal writes to a pipe that nobody reads, and then stops reading the terminal.
  const child = spawn('/usr/bin/script', ['-q', '-f', '-c', `exec ${command}`, '/dev/null'], {
    env: childEnvironment(),
    stdio: ['ignore', pipe.end, 'ignore'],
  });
  children.add(child);
  pipe.started();
  await vi.waitFor(() => expect(existsSync(mark)).toBe(true), patience);
});

test('the log puts the unknown fields of a plugin’s log lines into one field', () => {
  const lines: string[] = [];
  const { log } = createLog('info', { write: (line) => void lines.push(line) });
  log('info', 'plugin.paid', { plugin: 'Toy', count: 1, colour: 'blue\u202e\n' });
  log('info', 'paid', { colour: 'blue' });
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { plugin: 'Toy', count: 1, said: '{"colour":"blue \\n"}' },
    expect.not.objectContaining({ said: expect.anything() }),
  ]);
});

test('the log replaces characters that change the direction of text', () => {
  const lines: string[] = [];
  const { log } = createLog('info', { write: (line) => void lines.push(line) });
  log('warn', 'node failed', { detail: 'pay\u202ella' });
  expect(JSON.parse(lines.join(''))).toMatchObject({ detail: 'pay\ufffdlla' });
});
