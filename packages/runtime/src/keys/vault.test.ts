import { randomBytes } from 'node:crypto';
import { createFairQueue, createMasterKey, Problem, SealError, Secret } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { createKeysWorld, failure, password, who } from '../../test/keys-world.ts';
import type { WalletRow } from '../wallets/types.ts';
import type { Signer } from './signer.ts';
import type { GrantBinding } from './vault.ts';

const right = new Secret(password);
const wrong = (n = 0) => new Secret(`wrong password ${n}`);
const digest = Buffer.alloc(32, 9);
async function signature(signer: Signer): Promise<Buffer> {
  const [signed] = await signer.sign([{ curve: 'secp256k1', digest }]);
  return Buffer.from(signed ?? []);
}

describeStores('the vault', (open) => {
  it('the vault opens a sealed key only with its password', async () => {
    const { vault, wallet, signers } = await createKeysWorld(await open());
    const privateKey = randomBytes(32).toString('hex');
    const row = await wallet('a', { privateKey });
    const expected = await signature(signers.open('secp256k1', Buffer.from(privateKey, 'hex')));
    expect(await signature(await vault.unlock(row, right, who('me')))).toEqual(expected);
    expect(await signature(await vault.unlock(row, right, who('me')))).toEqual(expected);
    expect(await failure(vault.unlock(row, wrong(), who('me')))).toMatchObject({
      problem: 'wrong-wallet-password',
    });
  });

  it('concurrent unlocks share one key derivation, and unlocks in the next five minutes use the cache', async () => {
    const { wallet, secondVault, clock } = await createKeysWorld(await open());
    const row = await wallet('a');
    // No derivation can wait in this queue, so while one is running, another one would be rejected.
    const vault = secondVault({ derivations: createFairQueue({ limit: 1, capacity: 0 }) });
    const callers = Array.from({ length: 20 }, (_, i) => `caller ${i % 4}`);
    const keys = await Promise.all(callers.map((caller) => vault.unlock(row, right, who(caller))));
    const signatures = await Promise.all(keys.map(signature));
    expect(new Set(signatures.map((one) => one.toString('hex'))).size).toBe(1);
    // A row without derivation parameters can be opened only from the cache.
    const bare = { ...row, kdf: '{}' };
    clock.now += 299_000;
    await vault.unlock(bare, right, who('me'));
    clock.now += 299_000;
    await vault.unlock(bare, right, who('me'));
    clock.now += 300_001;
    expect(await failure(vault.unlock(bare, right, who('me')))).toMatchObject({ problem: 'internal' });
  });

  it('the cache does not open with a different password, key version or sealed secret', async () => {
    const { vault, wallet } = await createKeysWorld(await open());
    const row = await wallet('a');
    const other = await wallet('b');
    await vault.unlock(row, right, who('me'));
    expect(await failure(vault.unlock(row, wrong(), who('me')))).toMatchObject({
      problem: 'wrong-wallet-password',
    });
    expect(
      await failure(vault.unlock({ ...row, sealedSecret: other.sealedSecret }, right, who('me'))),
    ).toMatchObject({ problem: 'internal' });
    await vault.unlock(row, right, who('me'));
    expect(await failure(vault.unlock({ ...row, keyVersion: 2 }, right, who('me')))).toMatchObject({
      problem: 'wrong-wallet-password',
    });
  });

  it('after ten wrong passwords, a caller must wait longer and longer, up to 15 minutes', async () => {
    const { vault, wallet, clock } = await createKeysWorld(await open());
    const row = await wallet('a');
    const waits: number[] = [];
    for (let tried = 0; tried < 100; ) {
      const error = await failure(vault.unlock(row, wrong(tried), who('attacker')));
      if (!(error instanceof Problem)) throw error;
      if (error.problem === 'wrong-wallet-password') {
        tried += 1;
        continue;
      }
      expect(error.problem).toBe('too-many-requests');
      const wait = error.retryAfter ?? 0;
      waits.push(wait);
      // The delay ends one millisecond later.
      clock.now += wait * 1_000 - 1;
      expect(await failure(vault.unlock(row, wrong(tried), who('attacker')))).toMatchObject({
        retryAfter: 1,
      });
      clock.now += 1;
    }
    // After ten free attempts, each failed attempt causes a delay, in seconds.
    expect(waits).toEqual([15, 30, 60, 120, 240, 480, ...Array(84).fill(900)]);
  });

  it('concurrent wrong passwords cannot exceed the limit of free attempts', async () => {
    const { vault, wallet } = await createKeysWorld(await open());
    const row = await wallet('a');
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, n) => failure(vault.unlock(row, wrong(n), who('attacker')))),
    );
    const named = outcomes.map((error) => (error instanceof Problem ? error.problem : String(error)));
    expect(named.filter((name) => name === 'wrong-wallet-password')).toHaveLength(10);
    expect(named.filter((name) => name === 'too-many-requests')).toHaveLength(20);
  });

  it('throttling one caller does not affect other callers or wallets, and applies even if the wallet is cached', async () => {
    const { vault, wallet, secondVault, clock } = await createKeysWorld(await open());
    const row = await wallet('a');
    const another = await wallet('b');
    const second = secondVault();
    await vault.unlock(row, right, who('attacker'));
    for (let n = 0; n < 10; n += 1) await failure(second.unlock(row, wrong(n), who('attacker')));
    // Every server rejects even the right password, cached or not. Otherwise, the cache would reveal which
    // password is right.
    for (const server of [second, secondVault(), vault]) {
      clock.now += 1_000;
      const error = await failure(server.unlock(row, right, who('attacker')));
      expect(error).toMatchObject({ problem: 'too-many-requests' });
    }
    await second.unlock(another, right, who('attacker'));
    await second.unlock(row, right, who('owner'));
  });

  it('forgets wrong passwords after the right password, or after ten minutes without a wrong password', async () => {
    const { store, vault, wallet, clock } = await createKeysWorld(await open());
    const row = await wallet('a');
    for (let n = 0; n < 9; n += 1) await failure(vault.unlock(row, wrong(n), who('me')));
    await vault.unlock(row, right, who('me'));
    expect(await store.read.all('SELECT key FROM wallet_throttle WHERE points > 0')).toEqual([]);
    for (let n = 0; n < 9; n += 1) await failure(vault.unlock(row, wrong(n), who('me')));
    clock.now += 600_001;
    for (let n = 0; n < 10; n += 1) {
      expect(await failure(vault.unlock(row, wrong(n), who('me')))).toMatchObject({
        problem: 'wrong-wallet-password',
      });
    }
    expect(await failure(vault.unlock(row, wrong(), who('me')))).toMatchObject({
      problem: 'too-many-requests',
    });
  });

  it('checks only the first ten of 100 concurrent guesses, even if the owner uses the wallet and one guess is right', async () => {
    const { vault, wallet } = await createKeysWorld(await open());
    const row = await wallet('a');
    await vault.unlock(row, right, who('owner'));
    const guesses = Array.from({ length: 100 }, (_, n) => (n === 60 ? right : wrong(n)));
    const outcomes = await Promise.all(
      guesses.map((guess) => failure(vault.unlock(row, guess, who('attacker')))),
    );
    const named = outcomes.map((error) => (error instanceof Problem ? error.problem : String(error)));
    expect(named.filter((name) => name === 'wrong-wallet-password')).toHaveLength(10);
    expect(named[60]).toBe('too-many-requests');
    await vault.unlock(row, right, who('owner'));
  });

  it('does not use the cache for a new caller, or after a wrong password of the same caller', async () => {
    const { store, vault, wallet, clock } = await createKeysWorld(await open());
    const row = await wallet('a');
    const points = async (caller: string) => {
      const key = `${row.uid} ${caller}`;
      const [its] = await store.read.all('SELECT points, right_at FROM wallet_throttle WHERE key = $1', [
        key,
      ]);
      return its;
    };
    await vault.unlock(row, right, who('owner'));
    expect(await points('owner')).toMatchObject({ points: 0, right_at: clock.now });
    expect(await points('newcomer')).toBeUndefined();
    await vault.unlock(row, right, who('newcomer'));
    expect(await points('newcomer')).toMatchObject({ points: 0, right_at: clock.now });
    await failure(vault.unlock(row, wrong(), who('newcomer')));
    expect(await points('newcomer')).toMatchObject({ points: 1 });
    await vault.unlock(row, right, who('newcomer'));
    expect(await points('newcomer')).toMatchObject({ points: 0 });
  });

  it('for one wallet, checks thirty wrong passwords of all callers together, and then one every five minutes', async () => {
    const { vault, wallet, secondVault, clock } = await createKeysWorld(await open());
    const row = await wallet('a');
    const another = await wallet('b');
    await vault.unlock(row, right, who('owner'));
    const guesses = Array.from({ length: 10 }, (_, account) =>
      Array.from({ length: 10 }, (_, n) =>
        failure((n % 2 ? vault : secondVault()).unlock(row, wrong(n), who(`account ${account}`))),
      ),
    ).flat();
    const named = (await Promise.all(guesses)).map((error) => error instanceof Problem && error.problem);
    expect(named.filter((name) => name === 'wrong-wallet-password')).toHaveLength(30);
    expect(named.filter((name) => name === 'too-many-requests')).toHaveLength(70);
    // The other callers have used up the wallet's limit, so a new caller is refused even with the right password.
    const refused = await failure(vault.unlock(row, right, who('fresh')));
    expect(refused).toMatchObject({ problem: 'too-many-requests', retryAfter: 300 });
    clock.now += 300_000;
    expect(await failure(vault.unlock(row, wrong(), who('fresh')))).toMatchObject({
      problem: 'wrong-wallet-password',
    });
    expect(await failure(vault.unlock(row, right, who('fresh')))).toMatchObject({ retryAfter: 300 });
    // A caller that recently used the right password does not count toward the wallet's limit, on any server.
    await vault.unlock(row, right, who('owner'));
    await secondVault().unlock(row, right, who('owner'));
    expect(await failure(vault.unlock(row, wrong(), who('owner')))).toMatchObject({
      problem: 'wrong-wallet-password',
    });
    await secondVault().unlock(row, right, who('owner'));
    await vault.unlock(another, right, who('fresh'));
  });

  it('a single caller can never exhaust the attempts of a wallet', async () => {
    const { vault, wallet, clock } = await createKeysWorld(await open());
    const row = await wallet('a');
    for (let tried = 0; tried < 60; ) {
      const error = await failure(vault.unlock(row, wrong(tried), who('attacker')));
      if (!(error instanceof Problem)) throw error;
      if (error.problem === 'wrong-wallet-password') tried += 1;
      else clock.now += (error.retryAfter ?? 0) * 1_000;
    }
    expect(await failure(vault.unlock(row, wrong(), who('newcomer')))).toMatchObject({
      problem: 'wrong-wallet-password',
    });
    await vault.unlock(row, right, who('newcomer'));
  });

  it('the timeline records each checked wrong password with its caller', async () => {
    const { store, vault, wallet } = await createKeysWorld(await open());
    const row = await wallet('a');
    for (let n = 0; n < 12; n += 1) await failure(vault.unlock(row, wrong(n), who('attacker')));
    await vault.unlock(row, right, who('owner'));
    const records = await store.read.all(
      "SELECT identity, app_id, resource_uid, resource_id, service, target_object FROM timeline WHERE action = 'wrong-password'",
    );
    expect(records).toEqual(
      Array(10).fill({
        ...{ identity: 'attacker', app_id: 'app', resource_uid: row.uid, resource_id: 'a' },
        ...{ service: 'cloud-wallet', target_object: 'main' },
      }),
    );
  });

  it('does not count password attempts that were rejected because the queue was full', async () => {
    const { store, wallet, secondVault } = await createKeysWorld(await open());
    const rows = [await wallet('a'), await wallet('b'), await wallet('c')];
    const derivations = createFairQueue({ limit: 1, capacity: 1 });
    const vault = secondVault({ derivations });
    // The queue's only slot stays occupied until two attempts have been rejected, even if the database is
    // slow.
    const turn = Promise.withResolvers<void>();
    const held = derivations.run(['other'], () => turn.promise);
    const refusals = Promise.withResolvers<void>();
    let count = 0;
    const attempts = rows.map((row) => vault.unlock(row, right, who('me')));
    for (const attempt of attempts) {
      attempt.catch(() => {
        count += 1;
        if (count === 2) refusals.resolve();
      });
    }
    await refusals.promise;
    turn.resolve();
    await held;
    const results = await Promise.allSettled(attempts);
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(2);
    expect(refused).toMatchObject([
      { reason: { problem: 'too-many-requests', retryAfter: 1 } },
      { reason: { problem: 'too-many-requests', retryAfter: 1 } },
    ]);
    const [points] = await store.read.all('SELECT sum(points) AS points FROM wallet_throttle');
    expect(Number(points?.points)).toBe(0);
  });

  it('a wallet cannot be opened if one of its sealed columns was changed or comes from another wallet', async () => {
    const { wallet, secondVault } = await createKeysWorld(await open());
    const row = await wallet('a');
    const other = await wallet('b');
    const changed = (bytes: Uint8Array, at: number) => {
      const copy = Uint8Array.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ 1;
      return copy;
    };
    const tampered: Partial<WalletRow>[] = [
      ...[0, 1, 13, 29].flatMap((at) => [
        { sealedSecret: changed(row.sealedSecret, at) },
        { sealedDataKey: changed(row.sealedDataKey, at) },
      ]),
      { sealedSecret: new Uint8Array(0) },
      { sealedDataKey: new Uint8Array(5) },
      { sealedSecret: other.sealedSecret },
      { sealedDataKey: other.sealedDataKey },
      { sealedDataKey: other.sealedDataKey, kdf: other.kdf },
      { sealedSecret: other.sealedSecret, sealedDataKey: other.sealedDataKey, kdf: other.kdf },
      { kdf: other.kdf },
      { kdf: row.kdf.replace('"passes":1', '"passes":2') },
      { kdf: row.kdf.replace('"memory":64', '"memory":99999999999') },
      { kdf: 'none' },
      { uid: other.uid },
      { ledgerUid: 'other' },
      { keyType: 'p256' },
      { publicKey: other.publicKey },
      { address: other.address },
      { keyVersion: 2 },
    ];
    for (const [index, change] of tampered.entries()) {
      // Creates a new vault each time, so that nothing is cached and no caller is throttled.
      const error = await failure(secondVault().unlock({ ...row, ...change }, right, who(`caller ${index}`)));
      expect(error).toBeInstanceOf(Problem);
      expect(['wrong-wallet-password', 'internal']).toContain(error instanceof Problem && error.problem);
    }
    await secondVault().unlock(row, right, who('me'));
  });

  it('using a wallet upgrades a key derivation with too low a cost, and the wallet still opens', async () => {
    const { wallet, row, secondVault } = await createKeysWorld(await open(), {
      cost: { memory: 64, passes: 1, parallelism: 1 },
    });
    const cheap = await wallet('a');
    expect(JSON.parse(cheap.kdf)).toMatchObject({ memory: 64, passes: 1 });
    const current = secondVault({ cost: { memory: 128, passes: 2, parallelism: 1 } });
    const key = await signature(await current.unlock(cheap, right, who('me')));
    const upgraded = await row('a');
    expect(JSON.parse(upgraded.kdf)).toMatchObject({ memory: 128, passes: 2 });
    expect(upgraded.keyVersion).toBe(cheap.keyVersion);
    expect(upgraded.sealedSecret).toEqual(cheap.sealedSecret);
    expect(await signature(await secondVault().unlock(upgraded, right, who('me')))).toEqual(key);
    expect(await failure(secondVault().unlock(upgraded, wrong(), who('me')))).toMatchObject({
      problem: 'wrong-wallet-password',
    });
  });

  it('accepts a password in every Unicode form and rejects similar passwords', async () => {
    const { wallet, secondVault } = await createKeysWorld(await open());
    const row = await wallet('a', { walletPassword: 'p\u00e4ssw\u00f6rd long' });
    await secondVault().unlock(row, new Secret('pa\u0308sswo\u0308rd long'), who('me'));
    for (const similar of ['passw\u00f6rd long', 'p\u00e4ssw\u00f6rd long ', '']) {
      expect(await failure(secondVault().unlock(row, new Secret(similar), who('me')))).toMatchObject({
        problem: 'wrong-wallet-password',
      });
    }
  });

  it('opens a grant only for exactly the values that the grant is bound to', async () => {
    const { vault, wallet, secondVault } = await createKeysWorld(await open());
    const key = await vault.unlock(await wallet('a'), right, who('me'));
    const binding: GrantBinding = {
      actionId: 'action',
      walletUid: 'wallet',
      ledgerUid: 'ledger',
      operation: '{"type":"transfer"}',
    };
    const sealed = vault.sealGrant(key, binding);
    const signed = vault.sealGrant(key, { ...binding, sequence: 7 });
    const expected = await signature(key);
    key.destroy();
    expect(await signature(vault.openGrant(signed, 'secp256k1', { ...binding, sequence: 7 }))).toEqual(
      expected,
    );
    for (const other of [binding, { ...binding, sequence: 8 }]) {
      expect(() => vault.openGrant(signed, 'secp256k1', other)).toThrow(SealError);
    }
    // Another server with the same master key can also open the grant.
    for (const opener of [vault, secondVault()]) {
      expect(await signature(opener.openGrant(sealed, 'secp256k1', binding))).toEqual(expected);
    }
    for (const change of [
      { actionId: 'other' },
      { walletUid: 'other' },
      { ledgerUid: 'other' },
      { operation: '{"type":"transfer" }' },
      { sequence: 0 },
      { actionId: 'action","wallet', walletUid: '' },
    ]) {
      expect(() => vault.openGrant(sealed, 'secp256k1', { ...binding, ...change })).toThrow(SealError);
    }
    const stranger = secondVault({ masterKey: createMasterKey(randomBytes(32)) });
    expect(() => stranger.openGrant(sealed, 'secp256k1', binding)).toThrow(SealError);
    expect(() => vault.openGrant(sealed.slice(0, -1), 'secp256k1', binding)).toThrow(SealError);
  });

  it('refuses to seal a grant with a destroyed key', async () => {
    const { vault, wallet } = await createKeysWorld(await open());
    const key = await vault.unlock(await wallet('a'), right, who('me'));
    key.destroy();
    const binding = { actionId: 'a', walletUid: 'w', ledgerUid: 'l', operation: 'o' };
    expect(() => vault.sealGrant(key, binding)).toThrow('destroyed');
  });
});
