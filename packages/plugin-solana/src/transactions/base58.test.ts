import { getBase58Decoder } from '@solana/codecs';
import { expect, test } from 'vitest';
import { expectQuick } from '../../../../testing/longest-block.ts';
import { base58Bytes } from './base58.ts';

test('decodes base58 strings to the encoded bytes', () => {
  for (let length = 0; length < 120; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, at) =>
      at < length % 4 ? 0 : (at * 151 + length * 7) % 256,
    );
    expect(base58Bytes(getBase58Decoder().decode(bytes))).toEqual(Buffer.from(bytes));
  }
  expect(base58Bytes('111')).toEqual(Buffer.alloc(3));
  expect(base58Bytes('0OIl')).toBeUndefined();
});

test('decoding a long base58 string takes little time', async () => {
  await expectQuick(300, () => {
    expect(base58Bytes('z'.repeat(140_000))?.length).toBeGreaterThan(100_000);
  });
});
