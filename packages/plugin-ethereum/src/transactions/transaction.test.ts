import { createTestSigner } from '@ledger-ops/adapter-kit/conformance';
import { Transaction } from 'ethers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bytesOfHex, rlpBytes, rlpList, rlpQuantity } from './rlp.ts';
import { readSigned } from './signed-transaction.ts';
import { assemble, digestOf, encodeUnsigned, type TransactionFields } from './transaction.ts';

const signer = createTestSigner('secp256k1', new Uint8Array(32).fill(7));
const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;
const bytesHex = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(hex);
const quantity = fc.oneof(fc.bigInt(0n, 300n), fc.bigInt(0n, (1n << 256n) - 1n));
const price = fc.oneof(fc.bigInt(0n, 300n), fc.bigInt(0n, (1n << 128n) - 1n));
const fields: fc.Arbitrary<TransactionFields> = fc.record({
  chainId: fc.oneof(fc.bigInt(1n, 300n), fc.bigInt(1n, 1n << 40n)),
  nonce: fc.bigInt(0n, BigInt(Number.MAX_SAFE_INTEGER)),
  to: fc.option(bytesHex(20), { nil: null }),
  value: quantity,
  data: fc
    .oneof(fc.uint8Array({ maxLength: 80 }), fc.uint8Array({ minLength: 250, maxLength: 600 }))
    .map(hex),
  gas: fc.bigInt(0n, 1n << 40n),
  fee: fc.oneof(
    fc.record({ type: fc.constant('legacy' as const), gasPrice: price }),
    fc.tuple(price, price).map(([a, b]) => {
      const [maxPriorityFeePerGas, maxFeePerGas] = a < b ? [a, b] : [b, a];
      return { type: 'eip1559' as const, maxFeePerGas, maxPriorityFeePerGas };
    }),
  ),
  accessList: fc.option(
    fc.array(fc.record({ address: bytesHex(20), storageKeys: fc.array(bytesHex(32), { maxLength: 3 }) }), {
      maxLength: 3,
    }),
    { nil: undefined },
  ),
});

function withEthers({
  chainId,
  nonce,
  to,
  value,
  data,
  gas,
  fee,
  accessList,
}: TransactionFields): Transaction {
  const base = { chainId, nonce: Number(nonce), to, value, data, gasLimit: gas };
  if (fee.type === 'eip1559') {
    const { maxFeePerGas, maxPriorityFeePerGas } = fee;
    return Transaction.from({
      ...base,
      type: 2,
      maxFeePerGas,
      maxPriorityFeePerGas,
      accessList: accessList ?? [],
    });
  }
  const { gasPrice } = fee;
  return accessList === undefined
    ? Transaction.from({ ...base, type: 0, gasPrice })
    : Transaction.from({ ...base, type: 1, gasPrice, accessList });
}

test('digests, signed bytes and ids of all types equal those of ethers', () => {
  fc.assert(
    fc.property(fields, (transaction) => {
      const reference = withEthers(transaction);
      const unsigned = encodeUnsigned(transaction);
      const digest = digestOf(unsigned);
      expect(hex(digest)).toBe(reference.unsignedHash);
      const signature = signer.sign({ curve: 'secp256k1', digest });
      reference.signature = {
        r: hex(signature.subarray(0, 32)),
        s: hex(signature.subarray(32, 64)),
        v: 27 + (signature[64] ?? 0),
      };
      const signed = assemble(unsigned, signature);
      expect(hex(signed.bytes)).toBe(reference.serialized);
      expect(signed.txId).toBe(reference.hash);
    }),
    { numRuns: 200 },
  );
});

test('parses the bytes of a signed transaction, and rejects any other bytes', () => {
  fc.assert(
    fc.property(fields, (transaction) => {
      const unsigned = encodeUnsigned(transaction);
      const digest = digestOf(unsigned);
      const { bytes } = assemble(unsigned, signer.sign({ curve: 'secp256k1', digest }));
      const read = readSigned(bytes);
      expect(read).toMatchObject({ digest: hex(digest), size: bytes.length });
      // The fields that were read must encode to the same digest.
      expect(read && hex(digestOf(encodeUnsigned(read)))).toBe(hex(digest));
    }),
    { numRuns: 200 },
  );
  for (const bytes of [new Uint8Array(), Uint8Array.of(3, 0xc0), Uint8Array.of(0xc1, 0x80)]) {
    expect(readSigned(bytes)).toBeUndefined();
  }
});

test('an unsigned transaction is plain data that survives a structured clone', () => {
  fc.assert(
    fc.property(fields, (transaction) => {
      const unsigned = encodeUnsigned(transaction);
      expect(structuredClone(unsigned)).toStrictEqual(unsigned);
      const digest = digestOf(unsigned);
      expect(digest.byteLength).toBe(digest.buffer.byteLength);
    }),
    { numRuns: 50 },
  );
});

test('the maximum cost is the value plus the gas at the highest price', () => {
  const fee = { type: 'eip1559', maxFeePerGas: 10n, maxPriorityFeePerGas: 1n } as const;
  const base = { chainId: 1n, nonce: 0n, to: null, value: 5n, data: '0x', gas: 100n, accessList: undefined };
  expect(encodeUnsigned({ ...base, fee }).cost).toBe(1005n);
  expect(encodeUnsigned({ ...base, fee: { type: 'legacy', gasPrice: 3n } }).cost).toBe(305n);
});

test('rejects signatures that are not canonical', () => {
  const fee = { type: 'legacy', gasPrice: 3n } as const;
  const unsigned = encodeUnsigned({
    ...{ chainId: 1n, nonce: 0n, to: null, value: 5n, data: '0x', gas: 100n, accessList: undefined },
    fee,
  });
  const good = signer.sign({ curve: 'secp256k1', digest: digestOf(unsigned) });
  const wrong = [
    good.subarray(0, 64),
    Uint8Array.of(...good, 0),
    good.with(64, 27),
    Uint8Array.of(...new Uint8Array(32), ...good.subarray(32)),
    // An s in the upper half of the curve's order.
    Uint8Array.of(...good.subarray(0, 32), ...new Uint8Array(32).fill(0xf0), 0),
  ];
  for (const signature of wrong) {
    expect(() => assemble(unsigned, signature)).toThrow(
      expect.objectContaining({
        problem: expect.objectContaining({ code: 'invalid-argument', phase: 'prepare' }),
      }),
    );
  }
});

test('RLP of long items and lists has a length prefix', () => {
  const long = rlpBytes('00'.repeat(1024));
  expect(long.slice(0, 6)).toBe('b90400');
  expect(rlpList([long]).slice(0, 6)).toBe('f90403');
  expect([rlpQuantity(0n), rlpQuantity(127n), rlpQuantity(128n)]).toEqual(['80', '7f', '8180']);
});

test('text that is not hex is not encoded', () => {
  for (const wrong of ['0', '0g', 'ff0x']) expect(() => bytesOfHex(wrong)).toThrow(/is not hex text/);
  expect(bytesOfHex('00ff')).toEqual(Uint8Array.of(0, 255));
});
