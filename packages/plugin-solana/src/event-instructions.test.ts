import { getBase58Decoder } from '@solana/codecs';
import { expect, test } from 'vitest';
import { type Executed, eventInstructionsOf } from './event-instructions.ts';

const program = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const other = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
/** The program's own address, derived from the seed `__event_authority`. */
const authority = 'sRXvUAA3gWoQJsZzQdjLXcevhWCntjHzgQhC2YHuWLG';
const tag = Buffer.from('e445a52e51cb9a1d', 'hex');
const text = (bytes: Buffer) => getBase58Decoder().decode(bytes);
const keys = ['payer', program, other, authority];
const [self, foreign, signing] = [1, 2, 3];
const event = {
  programIdIndex: self,
  accounts: [signing],
  data: text(Buffer.concat([tag, Buffer.from('told')])),
};

function executed(
  outer: number,
  instructions: NonNullable<Executed['meta']['innerInstructions']>[number]['instructions'],
  more: object = {},
): Executed {
  return {
    transaction: { message: { accountKeys: keys, instructions: [{ programIdIndex: outer }] } },
    meta: { innerInstructions: [{ index: 0, instructions }], ...more },
  };
}
const told = (of: Executed) => eventInstructionsOf(program, 'node', of);
const once = [Buffer.from('told').toString('base64')];

test('reads events that a program emitted by calling itself, even if another program called it', async () => {
  expect(await told(executed(self, [{ ...event, stackHeight: 2 }]))).toEqual(once);
  const called = { programIdIndex: self, accounts: [], data: text(Buffer.from('x')), stackHeight: 2 };
  expect(await told(executed(foreign, [called, { ...event, stackHeight: 3 }]))).toEqual(once);
  const back = { ...called, programIdIndex: foreign };
  expect(await told(executed(self, [back, { ...event, stackHeight: 2 }]))).toEqual(once);
});

test('reads an event authority from a lookup table, and keeps the order of several events in one transaction', async () => {
  const second = { ...event, data: text(Buffer.concat([tag, Buffer.from('more')])), stackHeight: 2 };
  const of = executed(self, [{ ...event, stackHeight: 2 }, second], {
    loadedAddresses: { writable: [], readonly: [authority] },
  });
  of.transaction = { message: { accountKeys: keys.slice(0, 3), instructions: [{ programIdIndex: self }] } };
  expect(await told(of)).toEqual([...once, Buffer.from('more').toString('base64')]);
});

test.each<[string, Executed]>([
  ['another program called the program with event data', executed(foreign, [{ ...event, stackHeight: 2 }])],
  [
    'a program that the program called made the call',
    executed(self, [
      { ...event, programIdIndex: foreign, stackHeight: 2 },
      { ...event, stackHeight: 3 },
    ]),
  ],
  ['another account signs', executed(self, [{ ...event, accounts: [0], stackHeight: 2 }])],
  ['no account signs', executed(self, [{ ...event, accounts: [], stackHeight: 2 }])],
  [
    'the data is not an event',
    executed(self, [{ ...event, data: text(Buffer.from('no event')), stackHeight: 2 }]),
  ],
  ['the node reports no stack height', executed(self, [event])],
])('does not read an event if %s', async (_, of) => {
  expect(await told(of)).toEqual([]);
});

test('treats a node as unavailable if its answer lacks inner instructions', async () => {
  const of = executed(self, [{ ...event, stackHeight: 2 }]);
  await expect(told({ ...of, transaction: ['AQID', 'base64'] })).rejects.toMatchObject({
    code: 'unavailable',
  });
});
