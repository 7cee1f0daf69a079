import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkContent,
  effectiveOperation,
  ethereum,
  ethereumGloContent,
  fabricGloContent,
  type GloContent,
  GloError,
  type GloTechnology,
  gloJsonSchema,
  hyperledgerFabric,
  type JsonObject,
  operationKey,
  parseGlo,
  parseJson,
  parseLocator,
  readEthereumContent,
  readFabricContent,
  readTechnology,
  serialiseGlo,
  technologyNamed,
  withoutSecrets,
} from '../index.ts';

/** An unknown technology. */
const notebook: GloContent = {
  schema: {
    type: 'object',
    properties: {
      page: { type: 'string', pattern: '^[a-z]+$' },
      ink: { format: 'quantity', maximum: 1000 },
      words: { type: 'string' },
      cipher: { type: 'string', writeOnly: true },
      margins: { type: 'array', items: { format: 'quantity' } },
    },
    additionalProperties: false,
  },
  version: '^[12]$',
  currentVersion: '2',
  overrides: { address: 'page', amount: 'ink', data: 'words' },
};

function document(
  content: JsonObject,
  {
    technology = 'notebook',
    version = '1',
    type = 'contract_call',
  }: { technology?: string; version?: string; type?: string } = {},
) {
  const locator = { lookup_service: { type: 'ledger', value: technology }, resource: 'cover' };
  const options: Record<string, object> = {
    transfer: { recipient: locator, amount: '5' },
    contract_call: { contract_instance: locator, method_name: 'write', args: ['a'] },
    contract_deploy: {
      contract_source: { lookup_service: { type: 'service', value: 'service' }, resource: 't:1' },
      args: [],
    },
  };
  return {
    version: '0.1.0',
    type,
    options: options[type],
    meta: { ledger: { [technology]: { version, native_transaction_content: content } } },
  };
}

function issuesOf(run: () => unknown): { code: string; issues: unknown } {
  try {
    run();
  } catch (error) {
    if (error instanceof GloError) return { code: error.code, issues: error.issues };
    throw error;
  }
  throw new Error('expected a GloError');
}

const at = '/meta/ledger/notebook/native_transaction_content';

describe('a technology passed to the parser', () => {
  const technology = readTechnology('notebook', notebook);
  const technologies = [technology];

  it('validates content of a given technology with exact pointers, and normalizes its quantities', () => {
    const glo = parseGlo(document({ ink: '0x10', margins: [1, '007'] }), { technologies });
    expect(glo.meta?.notebook).toEqual({ version: '1', content: { ink: '16', margins: ['1', '7'] } });
    const wrong = document({ page: 'A', ink: 1001, margins: ['x'], other: 1 });
    expect(issuesOf(() => parseGlo(wrong, { technologies, pointer: '/glo' }))).toEqual({
      code: 'invalid-glo',
      issues: [
        { pointer: `/glo${at}/page`, detail: 'must match the pattern "^[a-z]+$"' },
        { pointer: `/glo${at}/ink`, detail: 'must be at most 1000' },
        { pointer: `/glo${at}/margins/0`, detail: expect.stringContaining('integer') },
        { pointer: `/glo${at}/other`, detail: expect.stringContaining('not a known member') },
      ],
    });
  });

  it('accepts the meta versions of a given technology', () => {
    expect(parseGlo(document({}, { version: '2' }), { technologies }).type).toBe('contract_call');
    expect(issuesOf(() => parseGlo(document({}, { version: '3' }), { technologies }))).toEqual({
      code: 'unsupported-version',
      issues: [{ pointer: '/meta/ledger/notebook/version', detail: expect.stringContaining('^[12]$') }],
    });
  });

  it('meta content overrides the options that the technology declares', () => {
    const glo = parseGlo(document({ page: 'back', ink: 7, words: 'xyz', cipher: 'hunter2' }), {
      technologies,
    });
    const { operation, overrides } = effectiveOperation(glo, technology);
    expect(operation).toEqual({
      type: 'contract_call',
      contract: { type: 'ledger', technology: 'notebook', resource: 'back' },
      data: 'xyz',
      value: 7n,
      native: { technology: 'notebook', content: { cipher: 'hunter2' } },
    });
    expect(overrides.map(({ field }) => field)).toEqual([
      'contract_instance',
      'method_name',
      'args',
      'value',
    ]);
    const shown = withoutSecrets(operation, technology);
    expect(operationKey(shown)).not.toContain('hunter2');
    expect(withoutSecrets(shown, technology)).toBe(shown);
  });

  it('compares addresses case-sensitively unless the technology declares ignoreCase', () => {
    const ignoring = readTechnology('notebook', {
      schema: { type: 'object' },
      overrides: { address: 'page', ignoreCase: true },
    });
    for (const [one, count] of [
      [technologyOf({ address: 'page' }), 1],
      [ignoring, 0],
    ] as const) {
      const glo = parseGlo(document({ page: 'COVER' }), { technologies: [one] });
      expect(effectiveOperation(glo, one).overrides).toHaveLength(count);
    }
  });

  it('validates content that was parsed before its technology was known', () => {
    const glo = parseGlo(document({ ink: '0x10' }));
    expect(glo.meta?.notebook?.content).toEqual({ ink: '0x10' });
    expect(checkContent(glo, technology)).toEqual(parseGlo(document({ ink: '0x10' }), { technologies }));
    const wrong = parseGlo(document({ ink: 'hunter2' }));
    expect(issuesOf(() => checkContent(wrong, technology, '/glo'))).toEqual({
      code: 'invalid-glo',
      issues: [{ pointer: `/glo${at}/ink`, detail: expect.not.stringContaining('hunter2') }],
    });
    const plain = parseGlo({ ...document({}), meta: undefined });
    expect(checkContent(plain, technology)).toBe(plain);
  });

  it('a technology can declare a content schema per operation type', () => {
    const byType = readTechnology('notebook', {
      schema: {
        transfer: { type: 'object', properties: { memo: { type: 'string' } }, additionalProperties: false },
        contract_call: { type: 'object' },
      },
    });
    const read = (type: string, content: JsonObject) =>
      parseGlo(document(content, { type }), { technologies: [byType] });
    expect(read('transfer', { memo: 'x' }).type).toBe('transfer');
    expect(read('contract_call', { anything: [1] }).type).toBe('contract_call');
    expect(read('contract_deploy', {}).type).toBe('contract_deploy');
    for (const type of ['transfer', 'contract_deploy']) {
      expect(issuesOf(() => read(type, { anything: 1 }))).toMatchObject({
        issues: [{ pointer: `${at}/anything` }],
      });
    }
  });

  it('arguments and secrets share the limit that applies to arguments', () => {
    const large = 'x'.repeat(1_048_576);
    const glo = (args: string[], cipher: string) => {
      const { options, ...rest } = document({ cipher });
      return { ...rest, options: { ...options, args } };
    };
    expect(parseGlo(glo([large], large), { technologies }).type).toBe('contract_call');
    expect(issuesOf(() => parseGlo(glo([large, 'x'], large), { technologies }))).toMatchObject({
      issues: [{ pointer: '' }],
    });
  });

  it('refuses an invalid technology, with pointers to the faults', () => {
    const refused = (content: unknown, name = 'notebook') =>
      // A value from another process may have any type.
      issuesOf(() => readTechnology(name, content as GloContent)).issues;
    expect(refused({ schema: { type: 'x' } })).toMatchObject([{ pointer: '/schema/type' }]);
    expect(refused({ schema: { transfer: { not: {} } } })).toMatchObject([
      { pointer: '/schema/transfer/not' },
    ]);
    expect(refused({ schema: {}, version: '(?=x)' })).toMatchObject([{ pointer: '/version' }]);
    expect(refused({ schema: {}, version: 1 })).toMatchObject([{ pointer: '/version' }]);
    for (const current of [{}, { currentVersion: '2' }, { currentVersion: 1 }, { currentVersion: '' }]) {
      expect(refused({ schema: {}, version: '^1$', ...current })).toMatchObject([
        { pointer: '/currentVersion' },
      ]);
    }
    expect(refused({ schema: {}, currentVersion: '1'.repeat(257) })).toMatchObject([
      { pointer: '/currentVersion' },
    ]);
    expect(refused({ schema: {}, overrides: { to: 'x', amount: 5, addressParts: ['one'] } })).toMatchObject([
      { pointer: '/overrides/to' },
      { pointer: '/overrides/amount' },
      { pointer: '/overrides/addressParts' },
    ]);
    const secret = { properties: { page: { type: 'string', writeOnly: true } } };
    expect(
      refused({ schema: { transfer: secret }, overrides: { addressParts: ['x', 'page'] } }),
    ).toMatchObject([{ pointer: '/overrides/addressParts', detail: expect.stringContaining('writeOnly') }]);
    expect(refused({ schema: {} }, 'No name')).toMatchObject([{ pointer: '' }]);
    expect(refused({})).toMatchObject([{ pointer: '/schema' }]);
  });

  it('refuses to override an option with a value other than a string or quantity, even if the schema allows it', () => {
    const loose = readTechnology('notebook', { schema: {}, overrides: { address: 'page', amount: 'ink' } });
    for (const [content, member] of [
      [{ page: 5 }, 'page'],
      [{ ink: 'much' }, 'ink'],
    ] as const) {
      const glo = parseGlo(document(content), { technologies: [loose] });
      expect(issuesOf(() => effectiveOperation(glo, loose))).toMatchObject({
        issues: [{ pointer: `${at}/${member}` }],
      });
    }
  });
});

function technologyOf(overrides: GloContent['overrides']): GloTechnology {
  return readTechnology('notebook', {
    schema: { type: 'object' },
    ...(overrides === undefined ? {} : { overrides }),
  });
}

/** Any JSON object within the limits, with ordinary names. */
const content = fc
  .dictionary(
    fc.stringMatching(/^[a-zA-Z_$][a-zA-Z0-9_$]{0,8}$/).filter((name) => name !== '__proto__'),
    fc
      .jsonValue({ maxDepth: 3, noUnicodeString: true })
      .filter((value) => !JSON.stringify(value).includes('e+')),
    { noNullPrototype: true },
  )
  // JSON parsing removes negative zero.
  .map((value) => JSON.parse(JSON.stringify(value)))
  .filter((value) => {
    try {
      parseJson(JSON.stringify(value));
      return true;
    } catch {
      return false;
    }
  });
const name = fc
  .stringMatching(/^[a-z0-9][a-z0-9-]{0,63}$/)
  .filter((text) => text !== 'ethereum' && text !== 'hyperledger-fabric');

describe('a technology without a description', () => {
  it('opaque content is unchanged after it is written and read again', () => {
    fc.assert(
      fc.property(name, content, fc.constantFrom('transfer', 'contract_call'), (technology, value, type) => {
        const input = document(value, { technology, type });
        const glo = parseGlo(input, { target: technology });
        expect(glo.meta?.[technology]?.content).toEqual(value);
        expect(serialiseGlo(glo).meta).toEqual(input.meta);
        expect(parseGlo(parseJson(JSON.stringify(serialiseGlo(glo))))).toEqual(glo);
        const { operation, overrides } = effectiveOperation(glo, technologyNamed(technology));
        expect(operation.native).toEqual({ technology, content: value });
        expect(overrides).toEqual([]);
      }),
    );
  });

  it('rejects locators and metadata of another ledger technology, even if no plugin describes it', () => {
    const input = document({}, { type: 'transfer' });
    const pointers = ['/options/recipient/lookup_service/value', '/meta/ledger/notebook'];
    const expected = {
      code: 'wrong-ledger',
      issues: pointers.map((pointer) => expect.objectContaining({ pointer })),
    };
    expect(issuesOf(() => parseGlo(input, { target: 'ethereum' }))).toEqual(expected);
    expect(issuesOf(() => effectiveOperation(parseGlo(input), ethereum))).toEqual(expected);
    const locator = { lookup_service: { type: 'ledger', value: 'notebook' }, resource: 'x' };
    expect(() => parseLocator(locator, { target: 'ethereum' })).toThrow(GloError);
  });

  it('opaque content passes the JSON Schema', () => {
    const validate = new Ajv2020({ strict: true, strictTypes: false }).compile(gloJsonSchema());
    expect(validate(document({ anything: [{ goes: null }] }))).toBe(true);
    expect(validate(document({}, { technology: 'Not-A-Name' }))).toBe(false);
    expect(validate(document({ gas: 1 }, { technology: 'ethereum' }))).toBe(false);
  });
});

describe('the specified technologies', () => {
  it('the specified technologies can be read from JSON like the technology of any plugin', () => {
    for (const [own, data] of [
      [ethereum, ethereumGloContent],
      [hyperledgerFabric, fabricGloContent],
    ] as const) {
      const read = readTechnology(own.technology, JSON.parse(JSON.stringify(data)));
      expect([read.overrides, read.versions]).toEqual([own.overrides, own.versions]);
      const samples = [
        {},
        { to: '0x12' },
        { nonce: '0x5', data: '0xab' },
        { channel: 'a/b', transient: { a: 'AA==' } },
      ];
      for (const sample of samples) {
        expect(read.contentOf('transfer').read(sample)).toEqual(own.contentOf('transfer').read(sample));
      }
    }
  });

  it('the specified technologies have typed readers', () => {
    expect(readEthereumContent({ nonce: 5, gasLimit: '0x10', from: `0x${'ab'.repeat(20)}` })).toEqual({
      nonce: 5n,
      gasLimit: 16n,
      from: `0x${'ab'.repeat(20)}`,
    });
    const fabric = { channel: 'c', endorsing_organizations: ['A'], endorsement_policy: 'P' };
    expect(readFabricContent(fabric)).toEqual({
      channel: 'c',
      endorsingOrganizations: ['A'],
      endorsementPolicy: 'P',
    });
    expect(issuesOf(() => readEthereumContent({ nonce: -1 }, '/native'))).toMatchObject({
      issues: [{ pointer: '/native/nonce' }],
    });
    expect(issuesOf(() => readFabricContent({ channel: 'a/b' }))).toMatchObject({
      issues: [{ pointer: '/channel' }],
    });
  });
});
