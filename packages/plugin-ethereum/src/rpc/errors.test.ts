import { expect, test } from 'vitest';
import { createErrorRegistry } from '../abi/error-registry.ts';
import { problemOf, revertDataOf } from './errors.ts';

const said = (message: string, code = -32000, data?: unknown) => ({ message, code, data });

test('finds revert data in each place where nodes return it', () => {
  expect(revertDataOf('0x08C379A0')).toBe('0x08c379a0');
  expect(revertDataOf('Reverted 0x1234')).toBe('0x1234');
  expect(revertDataOf({ data: '0x1234' })).toBe('0x1234');
  expect(revertDataOf({ originalError: { data: '0x1234' } })).toBe('0x1234');
  expect(revertDataOf('no bytes')).toBeUndefined();
  expect(revertDataOf(undefined)).toBeUndefined();
});

test('reads only the first 65,536 characters of revert data, so that megabytes of it do not block the event loop', () => {
  const long = `0x${'08'.repeat(4_000_000)}`;
  expect(revertDataOf(long)).toBe(long.slice(0, 65_536));
  expect(revertDataOf({ data: `Reverted ${long}` })?.length).toBe(65_526);
  const problem = problemOf(said('execution reverted', 3, long), 'estimate', createErrorRegistry());
  expect(problem).toMatchObject({ code: 'reverted', data: { selector: '0x08080808' } });
  expect(revertDataOf(`0x${'08'.repeat(100)}8`)).toBeUndefined();
  expect(revertDataOf(`0x${'zz'.repeat(40_000)}`)).toBeUndefined();
});

test('a problem quotes a node’s message without addresses or control characters', () => {
  const error = said('bad thing at https://user:pw@node.example/key\u0000\n here');
  const problem = problemOf(error, 'submit', createErrorRegistry(), { txId: '0x12' });
  expect(problem).toEqual({
    code: 'refused',
    phase: 'submit',
    txId: '0x12',
    detail: 'Error from the node: bad thing at [address] here (-32000).',
    data: { node: 'other' },
  });
});
