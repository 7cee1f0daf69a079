import { AdapterError, readDescription } from '@ledger-ops/adapter';
import { readSchema } from '@ledger-ops/glo-core';
import { expect, test } from 'vitest';
import { fabricDescription } from './description.ts';
import { readProperties } from './properties.ts';

test('the description of Fabric is valid for hosts', () => {
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
])('accepts the ledger properties %j', (properties) => {
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
])('rejects %s = %j and reports its JSON pointer', (name, value, at) => {
  expect(ofLedger({ [name]: value })).toMatchObject([{ pointer: `/${name}${at}` }]);
});

test('a certificate requires its private key, and an enrollment secret requires its enrollment id', () => {
  const { read } = readSchema(fabricDescription.walletParameters);
  expect(read({ certificate: 'PEM' }).issues).toMatchObject([{ pointer: '/privateKey' }]);
  expect(read({ enrollmentSecret: 'secret' }).issues).toMatchObject([{ pointer: '/enrollmentId' }]);
});

test('the enrollment secret is described as a secret', () => {
  const { read, withoutSecrets } = readSchema(fabricDescription.walletParameters);
  const given = { enrollmentId: 'ada', enrollmentSecret: 'secret' };
  expect(read(given)).toMatchObject({ value: given, issues: [] });
  expect(withoutSecrets(given)).toEqual({ enrollmentId: 'ada' });
});

/** Whether a session refuses this property. Other required properties are also missing. */
function isRefused(name: string, value: number): boolean {
  try {
    readProperties({
      ...{ ledgerId: 'l', technology: 'hyperledger-fabric', nodes: [] },
      properties: { [name]: value },
    });
    return false;
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return error.problem.issues?.some(({ pointer }) => pointer === `/properties/${name}`) === true;
  }
}

test.each([
  ['commit_timeout', 100, 3_600_000],
  ['endorse_timeout', 100, 600_000],
  ['max_peer_calls', 1, 1_000_000],
  ['retry_conflicts', 0, 10],
  ['submit_timeout', 100, 600_000],
])('the description and a new session accept the same range of %s', (name, least, most) => {
  for (const value of [least - 1, least, most, most + 1]) {
    const isBad = value < least || value > most;
    expect([value, ofLedger({ [name]: value }).length > 0, isRefused(name, value)]).toEqual([
      value,
      isBad,
      isBad,
    ]);
  }
});

test('rpc_timeout accepts every value that hosts accept', () => {
  expect([isRefused('rpc_timeout', 100), isRefused('rpc_timeout', 600_000)]).toEqual([false, false]);
});
