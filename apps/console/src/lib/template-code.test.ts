import { expect, test } from 'vitest';
import { FileError, filesOf, readTemplateCode } from './template-code.ts';

const ethereum = { code: { type: 'string', format: 'hex' }, languages: ['Solidity'] };
const solana = { code: { type: 'string', format: 'base64' } };
const fabric = { code: { type: 'string', format: 'base64' }, package: true };

const file = (name: string, content: string | Uint8Array<ArrayBuffer>) => new File([content], name);

test('sends one Solidity file as source code and several as Standard JSON', async () => {
  const token = file('Token.sol', 'contract Token {}');
  expect(await readTemplateCode(ethereum, [token], undefined)).toBe('contract Token {}');
  expect(await readTemplateCode(ethereum, [token, file('Base.sol', 'contract Base {}')], undefined)).toEqual({
    language: 'Solidity',
    sources: { 'Token.sol': { content: 'contract Token {}' }, 'Base.sol': { content: 'contract Base {}' } },
  });
});

test('sends JSON unchanged, since the service distinguishes sources from compiled output', async () => {
  expect(await readTemplateCode(ethereum, [file('Token.json', '{"abi":[]}')], undefined)).toBe('{"abi":[]}');
});

test('uses the only deployable contract in a compiler’s output, or the chosen one', async () => {
  const compiled = (object: string) => ({ abi: [], evm: { bytecode: { object } } });
  const output = (contracts: object) => [file('out.json', JSON.stringify({ contracts }))];
  const one = output({ 'Till.sol': { Till: compiled('6001'), ITill: compiled('') } });
  const till = { abi: [], bytecode: '6001' };
  expect(await readTemplateCode(ethereum, one, undefined)).toEqual(till);
  const two = output({ 'Till.sol': { Till: compiled('6001'), Safe: compiled('6002') } });
  await expect(readTemplateCode(ethereum, two, undefined)).rejects.toThrow('Choose one');
  expect(await readTemplateCode(ethereum, two, undefined, 'Till.sol:Till')).toEqual(till);
});

test('rejects files of different kinds, and an empty selection', async () => {
  const both = [file('Token.sol', ''), file('Token.json', '{}')];
  await expect(readTemplateCode(ethereum, both, undefined)).rejects.toThrow(FileError);
  const two = [file('A.json', '{}'), file('B.json', '{}')];
  await expect(readTemplateCode(ethereum, two, undefined)).rejects.toThrow('Solidity');
  await expect(readTemplateCode(ethereum, [], undefined)).rejects.toThrow('Choose a file.');
});

test('encodes packages and programs as base64 and adds the interface file if there is one', async () => {
  const bytes = new Uint8Array(70_000).map((_, index) => index % 251);
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  expect(await readTemplateCode(fabric, [file('basic.tar.gz', bytes)], undefined)).toEqual({
    package: base64,
  });
  expect(
    await readTemplateCode(solana, [file('program.so', bytes)], file('idl.json', '{"name":"p"}')),
  ).toEqual({
    code: base64,
    interface: '{"name":"p"}',
  });
});

test('the file chooser accepts the files of the technology', () => {
  expect(filesOf(ethereum)).toMatchObject({ accept: '.sol,.json', several: true, hasInterface: false });
  expect(filesOf(fabric)).toMatchObject({ label: 'Package', several: false, hasInterface: true });
  expect(filesOf(solana)).toMatchObject({ label: 'Compiled code', hasInterface: true });
  expect(filesOf({ code: { format: 'hex' } })).toMatchObject({ label: 'Compiled output', several: false });
});
