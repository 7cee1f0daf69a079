import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Glo, GloError, gloLimits, parseGlo, parseJson, parseLocator, serialiseGlo } from './index.ts';

const transfer = {
  version: '0.1.0',
  type: 'transfer',
  options: {
    recipient: { lookup_service: { type: 'service', value: 'service' }, resource: 'wallet-2' },
    amount: '1',
  },
};
const call = {
  version: '0.1.0',
  type: 'contract_call',
  options: {
    contract_instance: { lookup_service: { type: 'service', value: 'service' }, resource: 'contract-1' },
    method_name: 'set',
  },
};
const ethereumMeta = (content: unknown) => ({
  ledger: { ethereum: { version: '0.1.0', native_transaction_content: content } },
});
const fabricMeta = (content: unknown) => ({
  ledger: { 'hyperledger-fabric': { version: '0.1.0', native_transaction_content: content } },
});

function errorOf(input: unknown): GloError {
  try {
    parseGlo(input);
  } catch (error) {
    if (error instanceof GloError) return error;
    throw error;
  }
  throw new Error('expected a GloError');
}

const name = fc.stringMatching(/^[A-Za-z0-9:._~é𝄞 -]{1,40}$/u);
/** Digits of both cases. Built from bytes, because a pattern of this length takes ten times as long. */
const hex = (bytes: number) =>
  fc
    .tuple(fc.uint8Array({ minLength: bytes, maxLength: bytes }), fc.nat())
    .map(([all, upper]) =>
      Array.from(all, (byte, index) => {
        const digits = byte.toString(16).padStart(2, '0');
        return (upper >> (index % 31)) % 2 === 0 ? digits : digits.toUpperCase();
      }).join(''),
    )
    .map((digits) => `0x${digits}`);
const quantity = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const halfQuantity = fc.bigInt({ min: 0n, max: 2n ** 255n - 1n });
const quantityText = quantity.map(String);
const wellFormed = fc.string({ unit: 'binary', maxLength: 60 });
const base64 = fc.base64String({ maxLength: 60 });
/** Names of technologies without a description. */
const technologyName = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,20}$/);
const locator = fc.oneof(
  fc.record({ type: fc.constant('service' as const), resource: name }),
  fc.record({
    type: fc.constant('ledger' as const),
    technology: fc.oneof(fc.constantFrom('ethereum', 'hyperledger-fabric'), technologyName),
    resource: name,
  }),
);
/** Valid combinations of gas price fields. */
const prices = fc.oneof(
  fc.constant({}),
  fc.record({ gasPrice: quantityText }),
  fc.record({ maxFeePerGas: quantityText }),
  fc.record({ maxPriorityFeePerGas: quantityText }),
  fc.tuple(halfQuantity, halfQuantity).map(([tip, base]) => ({
    maxFeePerGas: `${tip + base}`,
    maxPriorityFeePerGas: `${tip}`,
  })),
);
const ethereumFields = fc.record(
  {
    from: hex(20),
    to: hex(20),
    data: fc
      .uint8Array({ maxLength: 40 })
      .map((bytes) => `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`),
    chainId: quantityText,
    nonce: quantityText,
    value: quantityText,
    gasLimit: quantityText,
    accessList: fc.array(fc.record({ address: hex(20), storageKeys: fc.array(hex(32), { maxLength: 3 }) }), {
      maxLength: 3,
    }),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const ethereumContent = fc.tuple(ethereumFields, prices).map(([rest, fee]) => ({ ...rest, ...fee }));
// `__proto__` is refused as a name, and fast-check likes to generate it.
const part = fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/).filter((text) => text !== '__proto__');
const fabricContent = fc.record(
  {
    channel: part,
    chaincode: part,
    contract: part,
    transient: fc.dictionary(part, base64, { maxKeys: 4, noNullPrototype: true }),
    endorsing_organizations: fc.array(name, { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const meta = fc
  .record(
    {
      ethereum: fc.record({ version: name, content: ethereumContent }, { noNullPrototype: true }),
      'hyperledger-fabric': fc.record(
        { version: fc.constant('0.1.3'), content: fabricContent },
        { noNullPrototype: true },
      ),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .filter((ledgers) => Object.keys(ledgers).length > 0);
const version = fc.nat().map((patch) => `0.1.${patch % 1_000_000}`);
const args = fc.array(wellFormed, { maxLength: 6 });
const glo: fc.Arbitrary<Glo> = fc
  .oneof(
    fc.record({
      type: fc.constant('transfer' as const),
      options: fc.record({ recipient: locator, amount: quantity }),
    }),
    fc.record({
      type: fc.constant('contract_call' as const),
      options: fc.record({ contractInstance: locator, methodName: name, args }),
    }),
    fc.record({
      type: fc.constant('contract_deploy' as const),
      options: fc.record({ contractSource: locator, args }),
    }),
  )
  .chain((operation) =>
    fc
      .record(
        {
          version: version,
          meta: meta.filter(
            ({ ethereum }) => operation.type !== 'contract_deploy' || ethereum?.content.to === undefined,
          ),
        },
        { requiredKeys: ['version'] },
      )
      .map((rest) => ({ ...operation, ...rest })),
  );

describe('parseGlo and serialiseGlo', () => {
  it("parseGlo and serialiseGlo are each other's inverse for every GLO, even through JSON text", () => {
    fc.assert(
      fc.property(glo, (value) => {
        const parsed = parseGlo(serialiseGlo(value));
        expect(parsed).toEqual(value);
        // toEqual would take longer than everything else here.
        deepStrictEqual(parseGlo(parseJson(JSON.stringify(serialiseGlo(value)))), parsed);
      }),
      { numRuns: 300 },
    );
  });

  it('for any input, parsing and writing throw only GloError', () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      withUnicodeString: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        expect(() => parseGlo(value)).toThrow(GloError);
        expect(() => parseLocator(value)).toThrow(GloError);
      }),
      { numRuns: 500 },
    );
  });

  it('replacing any value of a valid GLO throws only GloError, with pointers at or below the value', () => {
    const good = fc.tuple(
      glo,
      fc.nat(),
      fc.oneof(fc.anything({ withBigInt: true, withNullPrototype: true }), fc.constant(Symbol('x'))),
    );
    fc.assert(
      fc.property(good, ([value, which, replacement]) => {
        const document: unknown = structuredClone(serialiseGlo(value));
        const places = placesOf(document);
        const [holder, key] = places[which % places.length] ?? [{}, ''];
        Reflect.set(holder, key, replacement);
        try {
          parseGlo(document, { pointer: '/glo', target: 'ethereum' });
        } catch (error) {
          if (!(error instanceof GloError)) throw error;
          expect(error.issues.filter((issue) => !issue.pointer.startsWith('/glo'))).toEqual([]);
        }
      }),
      { numRuns: 500 },
    );
  });
});

/** Every position in a document: the containing object or array, and the name in it. */
function placesOf(value: unknown): [holder: object, key: string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const place: [object, string] = [value, key];
    return [place, ...placesOf(member)];
  });
}

describe('hostile documents', () => {
  it('hostile documents do not reach Object.prototype', () => {
    const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    for (const input of [
      JSON.parse(text),
      { ...transfer, meta: JSON.parse(text) },
      { ...transfer, options: JSON.parse(text) },
    ]) {
      expect(errorOf(input).code).toBe('invalid-glo');
    }
    expect({}).not.toHaveProperty('polluted');
  });

  it('keeps transient names that are also members of Object', () => {
    const transient = JSON.parse('{"constructor":"AA==","toString":"AA==","hasOwnProperty":"AA=="}');
    const read = parseGlo({ ...call, meta: fabricMeta({ transient }) });
    expect(read.meta?.['hyperledger-fabric']?.content.transient).toEqual(transient);
  });

  it('refuses 100,000 nested levels anywhere in a document, without a stack overflow', () => {
    let deep: unknown = [];
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    const inputs = [
      deep,
      { ...transfer, x: deep },
      { ...transfer, version: deep },
      { ...transfer, type: deep },
      { ...transfer, options: deep },
      { ...transfer, options: { recipient: deep, amount: deep } },
      { ...call, options: { ...call.options, args: deep } },
      { ...transfer, meta: deep },
      { ...transfer, meta: ethereumMeta({ accessList: deep }) },
      { type: 'contract_call', params: { contractInstance: deep, methodName: deep, args: [deep] } },
    ];
    for (const input of inputs) expect(errorOf(input).code).toBe('invalid-glo');
  });

  it('does not examine the items of a collection that is too large', () => {
    const many = Array.from({ length: 1_000_000 }, () => 1);
    expect(errorOf({ ...call, options: { ...call.options, args: many } }).issues).toEqual([
      { pointer: '/options/args', detail: `must have at most ${gloLimits.args} items` },
    ]);
    expect(
      errorOf({ ...transfer, meta: ethereumMeta({ accessList: [{ storageKeys: many.slice(0, 2000) }] }) })
        .issues,
    ).toHaveLength(1);
    expect(errorOf({ ...transfer, meta: fabricMeta({ endorsing_organizations: many }) }).issues).toHaveLength(
      1,
    );
    const transient = Object.fromEntries(Array.from({ length: 257 }, (_, index) => [`k${index}`, '']));
    expect(errorOf({ ...call, meta: fabricMeta({ transient }) }).issues).toHaveLength(1);
  });

  it('limits the work of parsing a document with faults everywhere', () => {
    const accessList = (entries: number, keys: number) =>
      errorOf({
        ...transfer,
        meta: ethereumMeta({
          accessList: Array.from({ length: entries }, () => ({
            address: 1,
            storageKeys: Array(keys).fill(1),
          })),
        }),
      });
    expect(accessList(16, 1024).issues).toHaveLength(gloLimits.issues);
    expect(accessList(256, 64).issues).toHaveLength(gloLimits.issues);
    expect(accessList(256, 1024).issues).toEqual([
      {
        pointer: expect.stringMatching(/accessList$/),
        detail: 'must have at most 16384 storage keys in total',
      },
    ]);
    // More arguments than a call accepts.
    const unknown = Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [`x${index}`, 1]));
    for (const input of [
      { ...unknown, ...transfer },
      { ...unknown, ...transfer, type: 'x' },
      { ...transfer, meta: unknown },
      { type: 'contract_call', params: { contractInstance: unknown, methodName: unknown } },
    ]) {
      expect(errorOf(input).issues.length).toBeLessThanOrEqual(gloLimits.issues);
    }
  });

  it('returns at most fifty issues, the last of which counts the rest', () => {
    const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x${index}`, 1]));
    const { issues } = errorOf({ ...transfer, ...unknown });
    expect(issues).toHaveLength(gloLimits.issues);
    expect(issues.at(-1)?.detail).toBe('and 4951 more issues');
  });

  it('accepts at most 2 MiB of arguments and transient values in total', () => {
    const half = 'a'.repeat(gloLimits.argLength);
    const args = (...texts: string[]) => ({ ...call, options: { ...call.options, args: texts } });
    expect(parseGlo(args(half, half))).toMatchObject({ type: 'contract_call' });
    expect(errorOf(args(half, half, 'a')).issues).toEqual([
      {
        pointer: '',
        detail: `has arguments and transient values that exceed ${gloLimits.allText} characters in total`,
      },
    ]);
  });

  it('errors of parseGlo do not repeat long names and values', () => {
    const long = 'x'.repeat(1_000_000);
    const inputs = [
      { ...transfer, [long]: 1 },
      { ...transfer, version: long },
      { ...transfer, type: long },
      { ...transfer, options: { ...transfer.options, amount: long } },
      { ...call, meta: fabricMeta({ transient: { [long]: 'AA==', password: 'hunter2!' } }) },
    ];
    for (const input of inputs) {
      const text = JSON.stringify(errorOf(input).issues) + errorOf(input).message;
      expect(text.length).toBeLessThan(5000);
      expect(text).not.toContain('hunter2');
    }
  });
});

describe('bounds', () => {
  it('accepts data of 1 MiB and arguments of 1 MiB, and no more', () => {
    const data = `0x${'ab'.repeat(gloLimits.dataBytes)}`;
    expect(parseGlo({ ...call, meta: ethereumMeta({ data }) }).meta?.ethereum?.content.data).toBe(data);
    expect(errorOf({ ...call, meta: ethereumMeta({ data: `${data}ab` }) }).issues[0]?.detail).toContain(
      '2097154',
    );
    const argument = 'a'.repeat(gloLimits.argLength);
    const withArgs = (args: string[]) => ({ ...call, options: { ...call.options, args } });
    expect(parseGlo(withArgs([argument])).options).toMatchObject({ args: [argument] });
    expect(errorOf(withArgs([`${argument}a`])).issues[0]?.pointer).toBe('/options/args/0');
  });

  it('accepts 1,024 storage keys and a transient value of 1 MiB, and no more', () => {
    const key = `0x${'0'.repeat(64)}`;
    const list = (count: number) => ({
      ...transfer,
      meta: ethereumMeta({
        accessList: [{ address: key.slice(0, 42), storageKeys: Array(count).fill(key) }],
      }),
    });
    expect(parseGlo(list(gloLimits.storageKeys)).type).toBe('transfer');
    expect(errorOf(list(gloLimits.storageKeys + 1)).issues).toHaveLength(1);
    const transient = (length: number) => ({
      ...call,
      meta: fabricMeta({ transient: { k: 'A'.repeat(length) } }),
    });
    expect(parseGlo(transient(gloLimits.transientLength)).type).toBe('contract_call');
    expect(errorOf(transient(gloLimits.transientLength + 4)).issues).toHaveLength(1);
  });
});

describe('a GloError', () => {
  it("a GloError's message contains the first issue and the number of further issues", () => {
    expect(errorOf({ ...transfer, a: 1, b: 2 }).message).toBe(
      '/a is not a known member; remove it or correct its name (and 1 more)',
    );
  });
});
