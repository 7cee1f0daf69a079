import { common } from '@hyperledger/fabric-protos';
import { expect, test } from 'vitest';
import { majority } from './application-policy.ts';
import { parsePolicy } from './parse.ts';
import type { Signer } from './principals.ts';
import { fulfils } from './signature-policy.ts';

const peers = (...mspIds: string[]): Signer[] => mspIds.map((mspId) => ({ mspId, role: 'peer' }));

test.each<[string, Signer[], boolean]>([
  ["OR('A.member','B.member')", peers('B'), true],
  ["OR('A.member','B.member')", peers('C'), false],
  ["AND('A.peer', 'B.peer')", peers('A', 'B'), true],
  ["AND('A.peer', 'B.peer')", peers('A'), false],
  ["AND('A.peer','A.peer')", peers('A'), false],
  ["AND('A.admin')", peers('A'), false],
  ['OutOf(2, "A.peer", "B.peer", "C.peer")', peers('C', 'A'), true],
  ["OutOf(2,'A.peer','B.peer','C.peer')", peers('C'), false],
  ["and('A.peer',or('B.peer','C.peer'))", peers('A', 'C'), true],
  ["AND('A.peer',OR('B.peer','C.peer'))", peers('B', 'C'), false],
  ["'A.client'", [{ mspId: 'A', role: 'client' }], true],
  ["OR('A.member')", [{ mspId: 'A', role: undefined }], false],
])('the policy %s with the signers %j is satisfied: %s', (text, signers, expected) => {
  expect(fulfils(parsePolicy(text), signers)).toBe(expected);
  // The policy is the same after it was encoded and decoded.
  const bytes = parsePolicy(text).serializeBinary();
  expect(fulfils(common.SignaturePolicyEnvelope.deserializeBinary(bytes), signers)).toBe(expected);
});

test.each([
  '',
  'OR()',
  "OR('A')",
  "OR('A.boss')",
  "OR('A.peer'",
  "OR('A.peer') 'B.peer'",
  "XOR('A.peer')",
  "OutOf('A.peer')",
  'OR(A.peer)',
  "OR('A.peer','B.peer'))",
])('rejects the policy %j', (text) => {
  expect(() => parsePolicy(text)).toThrow('is not understood at');
});

test('a majority is more than half of the organizations', () => {
  expect(majority(['A', 'B'])(peers('A'))).toBe(false);
  expect(majority(['A', 'B'])(peers('A', 'A', 'B'))).toBe(true);
  expect(majority(['A', 'B', 'C'])(peers('A', 'C'))).toBe(true);
  expect(majority(['A', 'B', 'C'])(peers('A', 'D', 'E'))).toBe(false);
});
