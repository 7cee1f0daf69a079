import type { JsonObject, LedgerNode } from '@ledger-ops/adapter';
import { expect, test } from 'vitest';
import { memberOf } from '../test/certificate-of.ts';
import { readPeers } from './gateway/peer-properties.ts';
import { readProperties } from './properties.ts';

const { certificate: pem, privateKey } = await memberOf('client');
const other = await memberOf('other');
const broken = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
const least = { channel: 'c', msp_id: 'Org1MSP', observer_certificate: pem, observer_private_key: pem };
const ledger = (properties: JsonObject, nodes: LedgerNode[] = []) => ({
  ledgerId: 'l',
  technology: 'hyperledger-fabric',
  properties,
  nodes,
});
const read = (properties: JsonObject) => readProperties(ledger({ ...least, ...properties }));

test('absent properties have their defaults', () => {
  expect(read({})).toMatchObject({
    channel: 'c',
    ca: undefined,
    transfer: undefined,
    retryConflicts: 0,
    endorseTimeout: 45_000,
    maxPeerCalls: 400,
  });
  expect(read({ transfer_contract: 'c/token' }).transfer).toEqual({
    contract: 'c/token',
    method: 'Transfer',
    recipient: 'address',
  });
});

test.each([
  ['/properties/channel', { channel: 'Upper' }],
  ['/properties/observer_certificate', { observer_certificate: 'x' }],
  ['/properties/tls_client_key', { tls_client_certificate: pem }],
  ['/properties/tls_client_key', { tls_client_certificate: pem, tls_client_key: other.privateKey }],
  ['/properties/tls_client_key', { tls_client_certificate: pem, tls_client_key: broken }],
  [
    '/properties/tls_client_key',
    { tls_client_certificate: pem, tls_client_key: privateKey.toString().padEnd(22_000) },
  ],
  ['/properties/tls_ca_certificate', { tls_ca_certificate: pem.repeat(33) }],
  ['/properties/tls_client_certificate', { tls_client_certificate: broken, tls_client_key: privateKey }],
  ['/properties/tls_ca_certificate', { tls_ca_certificate: broken }],
  ['/properties/ca_tls_certificate', { ca_tls_certificate: broken }],
  ['/properties/ca_url', { ca_url: 'ftp://ca' }],
  ['/properties/ca_url', { ca_url: 'http://ca.example:7054' }],
  ['/properties/ca_url', { ca_url: 'http://localhost.example' }],
  ['/properties/ca_url', { ca_url: 'https://admin:adminpw@ca.example' }],
  ['/properties/ca_attributes/0', { ca_attributes: ['hf.Revoker'] }],
  ['/properties/ca_affiliations', { ca_affiliations: 'org1' }],
  ['/properties/ca_registrar_secret', { ca_registrar_id: 'a' }],
  ['/properties/transfer_recipient', { transfer_recipient: 'name' }],
  ['/properties/retry_conflicts', { retry_conflicts: 11 }],
  ['/properties/endorse_timeout', { endorse_timeout: 1 }],
])('rejects an invalid value of %s', (pointer, properties) => {
  expect(() => read(properties)).toThrowError(
    expect.objectContaining({
      problem: expect.objectContaining({ issues: [expect.objectContaining({ pointer })] }),
    }),
  );
});

test.each([
  'https://ca.example:7054',
  'http://127.0.0.1:7054',
  'http://127.1.2.3:7054',
  'http://[::1]:7054',
  'http://localhost:7054',
])('accepts the CA address %s', (url) => {
  expect(read({ ca_url: url }).ca?.url.href).toBe(`${url}/`);
});

test('an error names missing properties without quoting any value', () => {
  expect(() => readProperties(ledger({ observer_private_key: 'secret text' }))).toThrowError(
    expect.objectContaining({ message: expect.not.stringContaining('secret text') }),
  );
  expect(() => readProperties(ledger({}))).toThrowError(/channel is required; msp_id is required/);
});

test('nodes are peers that use the ledger’s settings as defaults', () => {
  const nodes = [
    { nodeId: 'a', uri: 'grpcs://peer0.example:443' },
    {
      nodeId: 'b',
      uri: 'grpc://[::1]:7051/',
      properties: { msp_id: 'Org2MSP', role: 'peer', tls_server_name: 'p' },
    },
  ];
  expect(readPeers(ledger({}, nodes), read({ tls_ca_certificate: pem }))).toMatchObject([
    {
      nodeId: 'a',
      host: 'peer0.example',
      port: 443,
      secure: true,
      mspId: 'Org1MSP',
      role: 'gateway',
      rootCertificate: pem,
    },
    {
      nodeId: 'b',
      host: '::1',
      port: 7051,
      secure: false,
      mspId: 'Org2MSP',
      role: 'peer',
      serverName: 'p',
    },
  ]);
});

test.each([
  ['tls_ca_certificate', { tls_ca_certificate: broken }],
  ['tls_client_key', { tls_client_certificate: pem, tls_client_key: other.privateKey }],
  ['tls_client_key', { tls_client_certificate: pem }],
])('rejects an invalid value of the node property %s', (name, properties) => {
  const nodes = [{ nodeId: 'a', uri: 'grpcs://peer:7051', properties }];
  expect(() => readPeers(ledger({}, nodes), read({}))).toThrowError(
    expect.objectContaining({
      problem: expect.objectContaining({
        issues: [expect.objectContaining({ pointer: `/nodes/0/properties/${name}` })],
      }),
    }),
  );
});

test.each([
  'https://peer:7051',
  'grpcs://peer',
  'grpcs://user:secret@peer:7051',
  'grpcs://peer:7051/path',
  'peer:7051',
])('rejects the address %s without quoting it', (uri) => {
  expect(() => readPeers(ledger({}, [{ nodeId: 'a', uri }]), read({}))).toThrowError(
    expect.objectContaining({ message: expect.not.stringContaining('secret') }),
  );
});

test('accepts peers without TLS only on this machine, unless the ledger sets allow_unencrypted', () => {
  const at = (uri: string, properties = {}) =>
    readPeers(ledger({}, [{ nodeId: 'a', uri }]), read(properties)).map(({ secure }) => secure);
  for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]', '[::ffff:127.0.0.1]']) {
    expect([host, at(`grpc://${host}:7051`)]).toEqual([host, [false]]);
  }
  for (const host of [
    'peer.example',
    '10.0.0.1',
    '127.0.0.1.example',
    '127.1',
    '0.0.0.0',
    '[::]',
    '[fd00::1]',
  ]) {
    const uri = `grpc://${host}:7051`;
    expect(() => at(uri), host).toThrowError(
      expect.objectContaining({
        problem: expect.objectContaining({
          code: 'invalid-argument',
          issues: [{ pointer: '/nodes/0/uri', detail: expect.stringContaining('allow_unencrypted') }],
        }),
      }),
    );
    expect(() => at(uri, { allow_unencrypted: false }), host).toThrowError();
    expect([host, at(uri, { allow_unencrypted: true })]).toEqual([host, [false]]);
  }
  expect(at('grpcs://peer.example:7051')).toEqual([true]);
});

test('accepts a CA without TLS only on this machine, even if the ledger allows peers without TLS', () => {
  for (const ca_url of ['http://ca.example', 'http://10.0.0.1:7054', 'http://127.0.0.1.example']) {
    expect(() => read({ ca_url, allow_unencrypted: true }), ca_url).toThrowError(
      /ca_url must start with https/,
    );
  }
});
