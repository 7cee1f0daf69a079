import { openProcessAdapter } from '@ledger-ops/plugin-host';
import { expect, test, vi } from 'vitest';
import { moduleOf, openModule, openSession, problemOf, writeModule } from './modules.ts';

const calls = moduleOf(`
  normaliseAddress: async (secret) => { throw new TypeError('no member of ' + secret, { cause: new Error('the cause') }); },
  chain: async () => {
    const cause = new RangeError('it was read wrongly');
    const problem = { code: 'unavailable', phase: 'confirm', detail: 'The ledger does not answer.' };
    throw Object.assign(new Error('AdapterError', { cause }), { name: 'AdapterError', problem });
  }`);

/** Log lines that a module's process wrote. */
const outputOf = (log: readonly string[]) =>
  log.filter((line) => line.includes(' plugin.output ')).join('\n');
const isWritten = async (log: readonly string[], text: RegExp) =>
  await vi.waitFor(() => expect(outputOf(log)).toMatch(text), 30_000);

test('reports a thrown error in full if showThrown is set, and otherwise only its name and location', async () => {
  const shown = await openModule(calls, { showThrown: true });
  const session = await openSession(shown.adapter);
  await problemOf(session.normaliseAddress('what it read'));
  await isWritten(shown.log, /TypeError: no member of what it read/);
  await isWritten(shown.log, /plugin\.mjs:\d+:\d+.*\n[\s\S]*Error: the cause/);
  expect(await problemOf(session.chain())).toMatchObject({ code: 'unavailable' });
  await isWritten(shown.log, /RangeError: it was read wrongly/);

  const silent = await openModule(calls);
  const problem = await problemOf((await openSession(silent.adapter)).normaliseAddress('what it read'));
  expect(JSON.stringify([problem, silent.log])).not.toContain('what it read');
  expect(silent.log.join()).toMatch(/plugin\.threw .*TypeError at \S*plugin\.mjs:\d+:\d+/);
});

test.each([
  ['throws', "throw new Error('no luck');", /Error: no luck[\s\S]*plugin\.mjs:1:7/],
  ['has a syntax error', 'export const one = 1;\nfoo bar\n', /plugin\.mjs:2[\s\S]*foo bar[\s\S]*SyntaxError/],
])('logs the import error of a module that %s in full only if showThrown is set', async (_, source, text) => {
  const log: string[] = [];
  const open = async (showThrown: boolean) =>
    await problemOf(
      openProcessAdapter({
        ...{ specifier: writeModule(source), plugin: 'bad', showThrown },
        log: (level, event, fields) => log.push(`${level} ${event} ${fields?.detail}`),
      }),
    );
  const silent = await open(false);
  expect(outputOf(log)).toBe('');
  expect(await open(true)).toEqual(silent);
  await isWritten(log, text);
});
