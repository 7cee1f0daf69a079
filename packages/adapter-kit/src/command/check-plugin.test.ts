import { expect, test } from 'vitest';
import { checkPlugin } from './check-plugin.ts';

test.each([
  ['./nowhere.ts', 'There is no file ./nowhere.ts.'],
  ['no-such-plugin', 'The package no-such-plugin is not installed in this folder or above.'],
])('the error for the missing plugin %s is one line without a stack trace', async (plugin, message) => {
  const errors: string[] = [];
  const output = {
    out: () => {},
    err: (line: string) => errors.push(line),
    signal: new AbortController().signal,
  };
  expect(await checkPlugin([plugin], output)).toBe(2);
  expect(errors).toEqual([message]);
});
