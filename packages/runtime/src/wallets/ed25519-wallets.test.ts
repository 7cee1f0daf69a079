import { createMemoryLedger } from '@ledger-ops/adapter-kit/memory';
import { Secret } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { base58 } from '@scure/base';
import { expect, it } from 'vitest';
import { createKeysWorld, failure, password } from '../../test/keys-world.ts';

const right = new Secret(password);

describeStores('wallets with ed25519 keys', (open) => {
  async function openWorld() {
    return await createKeysWorld(await open(), {}, [], createMemoryLedger({ keyType: 'ed25519' }));
  }

  it('an ed25519 wallet is exported as a key pair and can be imported from it', async () => {
    const { wallets, caller, wallet } = await openWorld();
    const made = await wallet('made');
    expect(made).toMatchObject({ keyType: 'ed25519', publicKey: expect.objectContaining({ length: 32 }) });
    const { format, document, base58: text } = await wallets.export(caller, 'made', right);
    expect(format).toBe('ed25519-pair');
    const pair = Uint8Array.from(JSON.parse(document));
    expect(pair.subarray(32)).toEqual(made.publicKey);
    expect(base58.decode(text ?? '')).toEqual(pair);
    const forms = { numbers: document, text: text ?? '', seed: base58.encode(pair.subarray(0, 32)) };
    for (const [walletId, privateKey] of Object.entries(forms)) {
      expect((await wallet(walletId, { privateKey })).address).toBe(made.address);
    }
  });

  it('an ed25519 wallet rejects keys of other types and names the required format', async () => {
    const { wallet } = await openWorld();
    const hex = 'ab'.repeat(32);
    expect(await failure(wallet('hex', { privateKey: hex }))).toMatchObject({
      errors: [
        {
          pointer: '/pluginParameters/privateKey',
          detail: expect.stringContaining('must be an Ed25519 key'),
        },
      ],
    });
    expect(await failure(wallet('v3', { keystore: '{}', keystorePassword: 'password' }))).toMatchObject({
      errors: ['keystore', 'keystorePassword'].map((name) => ({
        pointer: `/pluginParameters/${name}`,
        detail: expect.stringContaining('secp256k1'),
      })),
    });
  });
});
