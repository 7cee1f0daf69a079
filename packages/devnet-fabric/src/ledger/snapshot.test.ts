import { expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { takeSnapshot } from './snapshot.ts';
import { type State, stateOf } from './state.ts';

function ledger(): {
  state: State;
  write(writes: Record<string, string | undefined>): void;
  height(): number;
} {
  const state = stateOf(openDatabase(undefined));
  let height = 0;
  return {
    state,
    height: () => height,
    write(writes) {
      for (const [position, [key, value]] of Object.entries(writes).entries())
        state.write('n', key, value === undefined ? undefined : Buffer.from(value), {
          version: { block: height, position },
          ...{ txId: `tx${height}`, time: height },
        });
      height += 1;
    },
  };
}

const text = (value: Uint8Array | undefined) => value && Buffer.from(value).toString();

test('a snapshot is unaffected by later writes', () => {
  const { state, write, height } = ledger();
  write({ a: '1', b: '1', c: '1' });
  const snapshot = takeSnapshot(state, height(), height);
  write({ a: '2', b: undefined, d: '2' });
  write({ a: undefined, c: '3' });
  expect(text(snapshot.get('n', 'a')?.value)).toBe('1');
  expect(snapshot.get('n', 'a')?.version).toEqual({ block: 0, position: 0 });
  expect(snapshot.get('n', 'd')).toBeUndefined();
  expect([...snapshot.range('n', '', '')].map(({ key, value }) => `${key}${text(value)}`)).toEqual([
    'a1',
    'b1',
    'c1',
  ]);
  expect(snapshot.history('n', 'a').map(({ txId }) => txId)).toEqual(['tx0']);
  const now = takeSnapshot(state, height(), height);
  expect([...now.range('n', '', '')].map(({ key, value }) => `${key}${text(value)}`)).toEqual(['c3', 'd2']);
  expect(now.history('n', 'b').map(({ txId, isDelete }) => [txId, isDelete])).toEqual([
    ['tx1', true],
    ['tx0', false],
  ]);
});

test('reading a long range is unaffected by concurrent writes', () => {
  const { state, write, height } = ledger();
  const keys = Array.from({ length: 450 }, (_, at) => `k${String(at).padStart(3, '0')}`);
  write(Object.fromEntries(keys.map((key) => [key, 'old'])));
  const snapshot = takeSnapshot(state, height(), height);
  const seen: string[] = [];
  for (const { key, value } of snapshot.range('n', 'k000', 'k440')) {
    expect(text(value)).toBe('old');
    seen.push(key);
    if (seen.length === 50)
      write({ k010: undefined, k099: undefined, k100: undefined, k200: 'new', k2005: 'new' });
    if (seen.length === 250) write({ k300: undefined, k4395: 'new', k439: 'new' });
  }
  expect(seen).toEqual(keys.slice(0, 440));
});

test('keys are sorted by their UTF-8 bytes and may contain any character', () => {
  const { state, write, height } = ledger();
  const keys = ['\u0000composite\u0000a\u0000', 'a', 'b', 'ÿ', '\uffee', '\u{1f31f}', '\u{10ffff}'];
  write(Object.fromEntries([...keys].reverse().map((key) => [key, key])));
  const snapshot = takeSnapshot(state, height(), height);
  const read = () => [...snapshot.range('n', '', '')].map(({ key }) => key);
  expect(read()).toEqual(keys);
  write({ a: undefined, '\u{1f31f}': undefined });
  expect(read()).toEqual(keys);
  expect([...snapshot.range('n', '\u0000composite', '\u0001')].map(({ key }) => key)).toEqual([keys[0]]);
});
