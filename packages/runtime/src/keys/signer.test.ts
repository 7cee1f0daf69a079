import { AdapterError } from '@ledger-ops/adapter';
import { expect, test, vi } from 'vitest';
import { ActionSigner, type CoSigner } from './signer.ts';
import { Signers } from './signers.ts';

const signers = new Signers();
const digest = new Uint8Array(32).fill(3);
const ask = {
  secp256k1: { curve: 'secp256k1', digest },
  p256: { curve: 'p256', digest },
  ed25519: { curve: 'ed25519', message: digest },
} as const;

test.each(['secp256k1', 'p256', 'ed25519'] as const)(
  '%s keys that co-sign an operation sign only the requests for their own wallets',
  async (keyType) => {
    const open = (fill: number) => signers.open(keyType, new Uint8Array(32).fill(fill));
    const [own, second] = [open(1), open(2)];
    const coSigner: CoSigner = { walletUid: 'b', wallet: { address: 'B' }, signer: second };
    const request = ask[keyType];
    const alone = [...(await own.sign([request])), ...(await second.sign([request]))];
    const joint = new ActionSigner(own, [coSigner]);
    expect(await joint.sign([request, { ...request, signer: 'B' }])).toEqual(alone);
    expect(await joint.sign([{ ...request, signer: 'B' }, request])).toEqual(alone.toReversed());

    const refusal = expect.objectContaining({ code: 'adapter-fault' });
    for (const signer of ['C', 'b', '', '__proto__', 'constructor']) {
      const spy = vi.spyOn(second, 'sign');
      await expect(joint.sign([{ ...request, signer }])).rejects.toThrow(refusal);
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
    // A single key signs only for its own wallet, whichever signer the request names.
    await expect(own.sign([{ ...request, signer: 'A' }])).rejects.toThrow(AdapterError);
    const single = new ActionSigner(own);
    expect(await single.sign([request])).toEqual(alone.slice(0, 1));
    await expect(single.sign([{ ...request, signer: 'A' }])).rejects.toThrow(AdapterError);

    joint.destroy();
    for (const key of [own, second]) await expect(key.sign([request])).rejects.toThrow('destroyed');
  },
);
