import { expect, test } from 'vitest';
import { possibleChanges, type Signed } from './change-requests.ts';

const one: Signed = { kind: 'main', sequence: null, valid_until: null, claiming: 0, kept: 0 };
const withNonce: Signed = { ...one, sequence: 7 };
const withClaims: Signed = { ...one, claiming: 1 };
const noop = { ...one, kind: 'noop' };
const onDemand = { onDemandReplacement: true };

test('an unsigned action can be canceled, and an action that is being canceled cannot be changed', () => {
  expect(possibleChanges('ready', null, [], {})).toEqual(['cancel']);
  expect(possibleChanges('signed', 'cancel', [withNonce], onDemand)).toEqual([]);
});

test.each<
  [what: string, signed: Signed[], capabilities: Parameters<typeof possibleChanges>[3], changes: string[]]
>([
  ['with a nonce, replaced on demand', [withNonce], onDemand, ['hurry', 'cancel']],
  [
    'with a nonce and replacements that were signed in advance',
    [withNonce, { ...noop, sequence: 7 }],
    {},
    ['hurry', 'cancel'],
  ],
  ['with a nonce that nothing can replace', [withNonce], {}, []],
  ['with claims, replaced on demand', [withClaims], onDemand, ['hurry', 'cancel']],
  ['with claims and a key for its next step only', [{ ...withClaims, kept: 1 }], {}, []],
  [
    'with claims and an empty transaction',
    [
      { ...withClaims, kept: 1 },
      { ...noop, claiming: 1 },
    ],
    onDemand,
    ['cancel'],
  ],
  ['with neither a nonce nor claims', [one], onDemand, []],
  [
    'that expires, if the next transaction can offer a higher fee',
    [{ ...one, valid_until: 9 }],
    { raisesExpired: true },
    ['hurry'],
  ],
  ['that expires, if its fee is fixed', [{ ...one, valid_until: 9 }], {}, []],
  ['of an unknown plugin', [withClaims], undefined, ['hurry', 'cancel']],
])('offers the possible changes of a transaction %s', (_, signed, capabilities, changes) => {
  expect(possibleChanges('signed', null, signed, capabilities)).toEqual(changes);
});
