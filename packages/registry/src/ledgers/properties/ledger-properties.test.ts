import type { Problem } from '@ledger-ops/base';
import { expect, it } from 'vitest';
import { described } from '../../../test/technologies.ts';
import { ledgerForm } from './ledger-properties.ts';

function form(technology: string) {
  const description = described.get(technology);
  if (description === undefined) throw new Error(`No plugin describes ${technology}.`);
  return ledgerForm(technology, description);
}

const pointerOf = (name: string) => `/properties/${name.replaceAll('/', '~1')}`;

function readLedgerProperties(technology: string, values: Record<string, unknown>) {
  const { plain, secrets } = form(technology).read({ values, pointerOf });
  return { ...plain, ...secrets };
}

const refused = (properties: Record<string, unknown>): Problem => {
  try {
    readLedgerProperties('ethereum', properties);
  } catch (error) {
    return error as Problem;
  }
  throw new Error('The properties were accepted.');
};

it('accepts every known property and normalizes quantities', () => {
  expect(
    readLedgerProperties('ethereum', {
      chain_id: '0x1',
      confirmations: 12,
      replace_after: 7.5,
      presigned_replacements: true,
      max_bumps: 3,
      max_fee_cap: '0xde0b6b3a7640000',
      max_in_flight: 16,
      fee_mode: 'eip1559',
      polling_interval: 500,
      rpc_timeout: 10_000,
      rpc_batch: 100,
      plugin_tags: ['besu', 'private'],
      development: true,
    }),
  ).toEqual({
    chain_id: 1,
    confirmations: 12,
    replace_after: 7.5,
    presigned_replacements: true,
    max_bumps: 3,
    max_fee_cap: '1000000000000000000',
    max_in_flight: 16,
    fee_mode: 'eip1559',
    polling_interval: 500,
    rpc_timeout: 10_000,
    rpc_batch: 100,
    plugin_tags: ['besu', 'private'],
    development: true,
  });
});

it('writes a chain id above the safe integers as a decimal string', () => {
  const chain_id = (2n ** 200n).toString();
  expect(readLedgerProperties('ethereum', { chain_id })).toEqual({ chain_id });
});

it('reports every unknown property and lists the known properties', () => {
  const { errors } = refused({ chainId: 1, 'a/b': 2, confirmations: 1 });
  expect(errors.map(({ pointer }) => pointer)).toEqual(['/properties/chainId', '/properties/a~1b']);
  expect(errors[0]?.detail).toContain('chain_id');
});

it.each([
  ['chain_id', 0],
  ['chain_id', -1],
  ['chain_id', 1.5],
  ['chain_id', 'one'],
  ['chain_id', null],
  ['confirmations', 0],
  ['confirmations', '3'],
  ['replace_after', -1],
  ['presigned_replacements', 'true'],
  ['max_fee_cap', '1e18'],
  ['fee_mode', 'cheap'],
  ['plugin_tags', 'besu'],
  ['development', 'yes'],
])('rejects %s = %j with the pointer of the property', (name, value) => {
  expect(refused({ [name]: value }).errors).toMatchObject([{ pointer: `/properties/${name}` }]);
});

it('reports the pointer of a malformed tag', () => {
  expect(refused({ plugin_tags: ['good', 'a,b'] }).errors).toMatchObject([
    { pointer: '/properties/plugin_tags/1' },
  ]);
});

it('accepts every known property of a Fabric ledger', () => {
  const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  const properties = {
    channel: 'mychannel',
    msp_id: 'Org1MSP',
    ca_url: 'https://ca.org1.example:7054',
    ca_name: 'ca-org1',
    ca_registrar_id: 'admin',
    ca_registrar_secret: 'adminpw',
    ca_attributes: ['level'],
    ca_affiliations: ['org1', 'org1.sales'],
    ca_tls_certificate: pem,
    tls_ca_certificate: pem + pem,
    tls_client_certificate: pem,
    tls_client_key: pem,
    observer_certificate: pem,
    observer_private_key: pem,
    transfer_contract: 'mychannel/token/erc20',
    transfer_method: 'Transfer',
    transfer_recipient: 'x509',
    retry_conflicts: 10,
    endorse_timeout: 45_000,
    submit_timeout: 5_000,
    commit_timeout: 60_000,
    max_in_flight: 400,
    max_peer_calls: 200,
  };
  expect(readLedgerProperties('hyperledger-fabric', properties)).toEqual(properties);
  expect(form('hyperledger-fabric').read({ values: properties, pointerOf }).secrets).toEqual({
    ca_registrar_secret: 'adminpw',
    tls_client_key: pem,
    observer_private_key: pem,
  });
});

it.each(['http://127.0.0.1:7054', 'http://[::1]:7054', 'http://localhost:7054'])(
  'ca_url may be the loopback address %s',
  (ca_url) => {
    expect(readLedgerProperties('hyperledger-fabric', { ca_url })).toEqual({ ca_url });
  },
);

it.each([
  ['channel', 'my/channel'],
  ['channel', ''],
  ['ca_url', 'ca.example:7054'],
  ['ca_url', 'https://admin:adminpw@ca.example'],
  ['ca_url', 'http://ca.example:7054'],
  ['ca_attributes', ['level', 'hf.Revoker']],
  ['ca_affiliations', 'org1'],
  ['observer_certificate', 'none'],
  ['retry_conflicts', 11],
  ['retry_conflicts', -1],
  ['endorse_timeout', 0],
  ['transfer_contract', 'token'],
  ['transfer_recipient', 'name'],
  ['admin_private_key', 'none'],
])('rejects %s = %j of a Fabric ledger with the pointer of the property', (name, value) => {
  const pointer: unknown = expect.stringMatching(new RegExp(`^/properties/${name}(/[0-9]+)?$`));
  expect(() => readLedgerProperties('hyperledger-fabric', { [name]: value })).toThrow(
    expect.objectContaining({ errors: [expect.objectContaining({ pointer })] }),
  );
});

it('keeps the properties of each technology separate', () => {
  expect(readLedgerProperties('hyperledger-fabric', { transfer_contract: 'channel/token' })).toEqual({
    transfer_contract: 'channel/token',
  });
  expect(() => readLedgerProperties('hyperledger-fabric', { chain_id: 1 })).toThrow('chain_id');
});

it.each([
  ['confirmations', 1, 100_000],
  ['max_in_flight', 1, 1_000_000],
  ['polling_interval', 10, 600_000],
  ['rpc_timeout', 100, 600_000],
])('checks the bounds of %s on every ledger', (name, least, most) => {
  const read = (value: number) =>
    ledgerForm('toyledger', {}).read({ values: { [name]: value }, pointerOf }).plain;
  for (const value of [least, most]) expect(read(value)).toEqual({ [name]: value });
  for (const value of [least - 1, most + 1, least + 0.5]) expect(() => read(value)).toThrow(name);
});

it('reads the properties that a plugin describes in addition to the common properties', () => {
  const toy = ledgerForm('toyledger', {
    ledgerProperties: {
      type: 'object',
      properties: {
        colour: { enum: ['red', 'blue'] },
        vault_url: { type: 'string', 'x-address': true },
        vault_key: { type: 'string', writeOnly: true },
        // The host's own definition takes precedence.
        confirmations: { type: 'string' },
      },
      required: ['colour'],
      additionalProperties: false,
    },
  });
  const values = { vault_key: 'hunter2', colour: 'red', confirmations: 3 };
  expect(toy.read({ values, pointerOf })).toEqual({
    plain: { confirmations: 3, colour: 'red' },
    secrets: { vault_key: 'hunter2' },
  });
  expect(['colour', 'vault_url', 'vault_key', 'plugin_tags', 'none'].map(toy.kindOf)).toEqual([
    'plain',
    'address',
    'secret',
    'address',
    'plain',
  ]);
  expect(() => toy.read({ values: { confirmations: 3 }, pointerOf })).toThrow(
    '/properties/colour: is required',
  );
  expect(() => toy.read({ values: { ...values, chain_id: 1 }, pointerOf })).toThrow(
    'of technology toyledger',
  );
});
