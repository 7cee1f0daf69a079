import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { errorText, instructionErrors, transactionErrors } from './errors.ts';

test('the error names match the enums of the installed litesvm', () => {
  const types = createRequire(import.meta.url).resolve('litesvm/dist/internal.d.ts');
  const namesIn = (name: string) => {
    const body = new RegExp(`const enum ${name} \\{([^}]*)\\}`).exec(readFileSync(types, 'utf8'))?.[1] ?? '';
    return [...body.matchAll(/(\w+) = (\d+)/g)].map(([, key, number]) => [key, Number(number)]);
  };
  const numbered = (names: readonly string[]) => names.map((name, number) => [name, number]);
  expect(numbered(transactionErrors)).toEqual(namesIn('TransactionErrorFieldless'));
  expect(numbered(instructionErrors)).toEqual(namesIn('InstructionErrorFieldless'));
});

test('errors have the messages of a validator', () => {
  expect(errorText('BlockhashNotFound')).toBe('Blockhash not found');
  expect(errorText('InsufficientFundsForFee')).toBe('Insufficient funds for fee');
  expect(errorText({ InstructionError: [2, { Custom: 26 }] })).toBe(
    'Error processing Instruction 2: custom program error: 0x1a',
  );
  expect(errorText({ InstructionError: [0, 'MissingRequiredSignature'] })).toBe(
    'Error processing Instruction 0: missing required signature for instruction',
  );
  expect(errorText({ InsufficientFundsForRent: { account_index: 1 } })).toBe(
    'Transaction results in an account (1) with insufficient funds for rent',
  );
});
