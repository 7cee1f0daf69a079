import { readDescription } from '@ledger-ops/adapter';
import { readSchema } from '@ledger-ops/glo-core';
import { expect, test } from 'vitest';
import { fabricDescription } from './description.ts';

test('a host can read what it is to know of Fabric', () => {
  expect(readDescription('fabric', 'hyperledger-fabric', fabricDescription)).toEqual(fabricDescription);
});

const ofLedger = (properties: object) =>
  readSchema(fabricDescription.ledgerProperties).read(properties).issues;

test.each([
  { ca_url: 'https://ca.org1.example:7054' },
  { ca_url: 'http://127.0.0.1:7054' },
  { ca_url: 'http://[::1]:7054/ca' },
  { ca_url: 'http://localhost' },
  { ca_attributes: ['level', 'h', 'hf', 'hfx.level', 'x.hf.'] },
  { transfer_contract: 'mychannel/token/erc20' },
  { channel: 'a'.repeat(256) },
])('%j is taken', (properties) => {
  expect(ofLedger(properties)).toEqual([]);
});

test.each([
  ['channel', 'my/channel', ''],
  ['channel', 'my\u00a0channel', ''],
  ['channel', '', ''],
  ['ca_url', 'ca.example:7054', ''],
  ['ca_url', 'https://admin:adminpw@ca.example', ''],
  ['ca_url', 'http://ca.example:7054', ''],
  ['ca_url', 'http://localhost.example', ''],
  ['ca_url', 'http://127.0.0.1@ca.example', ''],
  ['ca_attributes', ['level', 'hf.Revoker'], '/1'],
  ['observer_certificate', 'none', ''],
  ['retry_conflicts', 11, ''],
  ['endorse_timeout', 99, ''],
  ['transfer_contract', 'token', ''],
])('%s = %j is refused by its pointer', (name, value, at) => {
  expect(ofLedger({ [name]: value })).toMatchObject([{ pointer: `/${name}${at}` }]);
});

test('a key and its certificate go together', () => {
  const { read } = readSchema(fabricDescription.walletParameters);
  expect(read({ certificate: 'PEM' }).issues).toMatchObject([{ pointer: '/privateKey' }]);
  expect(read({ enrollmentSecret: 'secret' }).issues).toMatchObject([{ pointer: '/enrollmentId' }]);
});
