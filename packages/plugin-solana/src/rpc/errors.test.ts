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

test('an error has the name that the failed program defines, even if its number means something else in other programs', () => {
  expect(problemOf({ err, logs }, errors(outer), 'confirm').data?.customError).toBeUndefined();
  expect(problemOf({ err, logs }, errors(inner), 'confirm').data?.customError).toEqual({
    ...{ program: inner, code: 6000, name: 'Closed', message: 'The shop is closed.' },
  });
  const own = logs.filter((line) => !line.includes(inner));
  expect(problemOf({ err, logs: own }, errors(outer), 'confirm').data?.customError).toMatchObject({
    ...{ program: outer, name: 'Closed' },
  });
});

test('the message of an Anchor error, from the IDL or the log, ends with exactly one period', () => {
  const line =
    'Program log: AnchorError caused by account: vault. Error Code: ConstraintHasOne. Error Number: 2001. Error Message: A has one constraint was violated.';
  const failure = {
    err: { InstructionError: [0, { Custom: 2001 }] },
    logs: [`Program ${outer} invoke [1]`, line, `Program ${outer} failed: custom program error: 0x7d1`],
  };
  expect(problemOf(failure, errors(outer), 'confirm')).toMatchObject({
    detail: `Instruction 0 of program ${outer} failed with ConstraintHasOne: A has one constraint was violated.`,
    data: { customError: { program: outer, code: 2001, name: 'ConstraintHasOne' } },
  });
  const own = { err, logs: logs.filter((one) => !one.includes(inner)) };
  expect(problemOf(own, errors(outer), 'estimate').detail).toMatch(/Closed: The shop is closed\.$/);
});

test('the error of an inner Anchor program without an IDL gets its name from the log', () => {
  const line =
    'Program log: AnchorError thrown in programs/pool/src/lib.rs:12. Error Code: SlippageExceeded. Error Number: 6000. Error Message: Slippage tolerance exceeded.';
  const nested = [
    `Program ${outer} invoke [1]`,
    `Program ${inner} invoke [2]`,
    line,
    `Program ${inner} failed: custom program error: 0x1770`,
    `Program ${outer} failed: custom program error: 0x1770`,
  ];
  expect(problemOf({ err, logs: nested }, errors(outer), 'estimate')).toMatchObject({
    detail: `Instruction 0 of program ${outer} failed with SlippageExceeded: Slippage tolerance exceeded. The error comes from the program ${inner}, which the instruction called.`,
    data: { customError: { program: inner, name: 'SlippageExceeded' } },
  });
});

test('describes a custom error of an unknown program by its number and the last line of the log', () => {
  const plain = [
    `Program ${outer} invoke [1]`,
    'Program log: vault is paused',
    `Program ${outer} failed: custom program error: 0x1770`,
  ];
  expect(problemOf({ err, logs: plain }, undefined, 'confirm').detail).toBe(
    `Instruction 0 of program ${outer} failed: custom program error: 0x1770 (6000). The program's log ends with: vault is paused`,
  );
  expect(problemOf({ err, logs: null }, undefined, 'confirm').detail).toBe(
    'Instruction 0 failed: custom program error: 0x1770 (6000). Register the program with its IDL, so that the error is shown by name.',
  );
});
