import { expect, test } from 'vitest';
import { argumentFault, isAccount, parametersOf } from './arguments.ts';

test.each([
  ['uint256', '12', undefined],
  ['uint256', '0x0c', undefined],
  ['i64', '-3', undefined],
  ['integer', '1.5', 'must be a whole number'],
  ['uint256', '', 'must be a whole number'],
  ['bool', '', 'must be true or false'],
  ['boolean', 'false', undefined],
  ['address[]', '["0x1"]', undefined],
  ['address[]', '0x1', 'must be JSON for address[], such as ["1", "2"]'],
  ['(uint256,string)', '{"a":"1"}', undefined],
  ['vec<u8>', '3', 'must be JSON for vec<u8>, such as ["1", "2"]'],
  ['string', '', undefined],
  ['account', 'anything', undefined],
])('the %s argument %j has the error %s', (type, text, fault) => {
  expect(argumentFault(type, text)).toBe(fault);
});

test.each([
  ['address', true],
  ['pubkey', true],
  ['publicKey', true],
  ['address[]', false],
  ['string', false],
])('an argument of the type %s is an account: %s', (type, expected) => {
  expect(isAccount(type)).toBe(expected);
});

test.each([
  ['transfer(address,uint256)', ['address', 'uint256']],
  ['stop()', []],
  ['swap((address,uint256)[], bool)', ['(address,uint256)[]', 'bool']],
  ['transfer', undefined],
  ['transfer(address', undefined],
  ['transfer(address,)', undefined],
  ['f(a))((b)', undefined],
])('parses the parameters of %s', (signature, types) => {
  expect(parametersOf(signature)?.map(({ type }) => type)).toEqual(types);
});
