import { AdapterError } from '@ledger-ops/adapter';
import { expect, test, vi } from 'vitest';
import { jointKey } from './joint-key.ts';
import { createSigners } from './signers.ts';
import type { OtherKey } from './types.ts';

const signers = createSigners();
const digest = new Uint8Array(32).fill(3);
const ask = {
  secp256k1: { curve: 'secp256k1', digest },
  p256: { curve: 'p256', digest },
  ed25519: { curve: 'ed25519', message: digest },
} as const;

test.each(['secp256k1', 'p256', 'ed25519'] as const)(
  'keys of %s sign together, each what is asked of its wallet and no other',
  (keyType) => {
    const open = (fill: number) => signers.open(keyType, new Uint8Array(32).fill(fill));
    const [own, second] = [open(1), open(2)];
    const other: OtherKey = { walletUid: 'b', wallet: { address: 'B' }, key: second };
    const request = ask[keyType];
    const alone = [...own.sign([request]), ...second.sign([request])];
    const joint = jointKey(own, [other]);
    expect(joint.sign([request, { ...request, signer: 'B' }])).toEqual(alone);
    expect(joint.sign([{ ...request, signer: 'B' }, request])).toEqual(alone.toReversed());

    const refusal = expect.objectContaining({ code: 'adapter-fault' });
    for (const signer of ['C', 'b', '', '__proto__', 'constructor']) {
      const spy = vi.spyOn(second, 'sign');
      expect(() => joint.sign([{ ...request, signer }])).toThrow(refusal);
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
    // One that signs alone is nobody else's, whatever name it is called by.
    expect(() => own.sign([{ ...request, signer: 'A' }])).toThrow(AdapterError);
    expect(jointKey(own, [])).toBe(own);

    joint.destroy();
    for (const key of [own, second]) expect(() => key.sign([request])).toThrow('destroyed');
  },
);
