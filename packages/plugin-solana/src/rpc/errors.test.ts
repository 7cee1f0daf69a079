import { expect, test } from 'vitest';
import { problemOf } from './errors.ts';

const outer = 'Gto1eFK5kjz5sCNhoDZrGk6FWSyFiKRnzqcX4onB7Hvi';
const inner = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const err = { InstructionError: [0, { Custom: 6000 }] };
const logs = [
  `Program ${outer} invoke [1]`,
  `Program ${inner} invoke [2]`,
  `Program ${inner} failed: custom program error: 0x1770`,
  `Program ${outer} failed: custom program error: 0x1770`,
];
const errors = (program: string) => ({
  program,
  errors: [[6000, 'Closed', 'The shop is closed.']] satisfies [number, string, string][],
});

test('an error that a called program passed on is named by that program alone, whatever its number means elsewhere', () => {
  expect(problemOf({ err, logs }, errors(outer), 'confirm').data?.customError).toBeUndefined();
  expect(problemOf({ err, logs }, errors(inner), 'confirm').data?.customError).toEqual({
    ...{ program: inner, code: 6000, name: 'Closed', message: 'The shop is closed.' },
  });
  const own = logs.filter((line) => !line.includes(inner));
  expect(problemOf({ err, logs: own }, errors(outer), 'confirm').data?.customError).toMatchObject({
    ...{ program: outer, name: 'Closed' },
  });
});
