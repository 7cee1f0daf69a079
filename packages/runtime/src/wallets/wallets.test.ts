import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Principal } from '@ledger-ops/auth';
import { Problem, Secret } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { computeAddress, encryptKeystoreJson, hexlify } from 'ethers';
import { expect, it, vi } from 'vitest';
import { createKeysWorld, failure, password, secrets, who } from '../../test/keys-world.ts';
import { readKeystore } from '../keys/keystore.ts';
import { chainKey } from '../rows/chains/chain-key.ts';
import { storeFirstSequence } from '../rows/chains/sequences.ts';

const right = new Secret(password);
const firstPage = { page: 0, size: 20, sort: [] };
const claim = { scope: 'app:me', key: 'key', fingerprint: 'fingerprint' };

describeStores('wallets', (open, { dialect, locate }) => {
  it("creates a wallet with an account on its ledger, and makes the creator the wallet's owner", async () => {
    const { wallets, caller, auth, row, chain, signers, vault, store } = await createKeysWorld(await open());
    const view = await wallets.create(caller, {
      walletId: 'alice',
      ledgerId: 'main',
      pluginParameters: secrets({ walletPassword: password }),
    });
    expect(view).toEqual({
      walletId: 'alice',
      walletAddress: expect.stringMatching(/^0x[0-9a-f]{40}$/),
      ledgerId: 'main',
      keyType: 'secp256k1',
      exclusive: true,
      createdAt: view.createdAt,
    });
    const stored = await row('alice');
    expect(stored).toMatchObject({
      address: view.walletAddress,
      chainId: chain.identity.id,
      createdBy: caller.serviceId,
      keyVersion: 1,
    });
    const secret = await vault.openSecret(stored, right, who('me'));
    expect(signers.publicKey('secp256k1', secret)).toEqual(stored.publicKey);
    // If the database were restored to this point, the wallet's first transaction would still be detected as unknown.
    expect(await store.read.all('SELECT address, next FROM sequence')).toEqual([
      { address: stored.address, next: 0 },
    ]);
    const owned = ['wallet:transact', 'wallet:export', 'wallet:delete'] as const;
    expect((await auth.decide(caller, owned, stored.uid)).result).toBe(true);
  });

  it.each([
    ['reports that the key was used', () => Promise.resolve([7n])],
    ['does not report transaction counts', () => Promise.reject(new Error('No route to host.'))],
  ])('the first transaction of a new key gets the nonce 0, even if the node %s', async (_, sequences) => {
    const { ledgers, ledger, wallet, caller, store } = await createKeysWorld(await open());
    const { session } = await ledgers.open(ledger.uid, { projectUid: caller.projectUid });
    vi.spyOn(session, 'sequences').mockImplementation(sequences);
    const { address } = await wallet('new');
    expect(await store.read.all('SELECT address, next FROM sequence')).toEqual([{ address, next: 0 }]);
  });

  it('makes a wallet with an imported key exclusive only on request, and counts earlier transactions as known', async () => {
    const { wallets, wallet, caller, chain, store } = await createKeysWorld(await open());
    const [key, other] = [randomBytes(32), randomBytes(32)];
    const use = (privateKey: Uint8Array) => {
      chain.outsideTransaction({ privateKey });
      chain.mine(3);
    };
    const known = () => store.read.all('SELECT address, next FROM sequence ORDER BY next');
    const shared = await wallet('shared', { privateKey: key.toString('hex') });
    const { address } = await wallet('other', { privateKey: other.toString('hex') });
    expect([shared.exclusive, await known()]).toEqual([0, []]);
    for (const one of [shared.address, address]) chain.fund(one, 10n ** 18n);
    use(key);
    const create = (walletId: string) =>
      wallets.create(caller, {
        ...{ walletId, ledgerId: 'main', exclusive: true },
        pluginParameters: secrets({ walletPassword: password, privateKey: key.toString('hex') }),
      });
    expect(await create('own')).toMatchObject({ exclusive: true });
    expect(await known()).toEqual([{ address: shared.address, next: 1 }]);
    // If another wallet with the same key becomes exclusive, later transactions on the ledger must still be found.
    use(key);
    await create('twin');
    await wallets.setExclusive(caller, 'shared', true);
    expect(await known()).toEqual([{ address: shared.address, next: 1 }]);
    for (let used = 0; used < 2; used += 1) use(other);
    expect(await wallets.setExclusive(caller, 'other', true)).toMatchObject({ exclusive: true });
    expect(await known()).toEqual([
      { address: shared.address, next: 1 },
      { address, next: 2 },
    ]);
  });

  it('does not lower the next nonce of an account if its wallet becomes exclusive while a node reports an older count', async () => {
    const { wallets, wallet, caller, chain, store } = await createKeysWorld(await open());
    const { address } = await wallet('shared', { privateKey: randomBytes(32).toString('hex') });
    const next = () => store.read.all('SELECT address, next FROM sequence');
    // Four transactions were signed, but the node does not count any of them yet.
    await store.transaction((tx) =>
      storeFirstSequence(tx, { chain: chainKey(chain.identity, 0), next: 4 }, address),
    );
    await wallets.setExclusive(caller, 'shared', true);
    expect(await next()).toEqual([{ address, next: 4 }]);
  });

  it('the timeline records wallet operations and wrong passwords, but no other failures', async () => {
    const { wallets, wallet, caller, store } = await createKeysWorld(await open());
    const { uid } = await wallet('a');
    const next = new Secret('another long password');
    await wallets.changePassword(caller, 'a', right, next);
    await failure(wallets.changePassword(caller, 'a', right, next));
    await failure(wallets.export(caller, 'a', right));
    await failure(wallets.changePassword(caller, 'a', next, new Secret('short')));
    await wallets.export(caller, 'a', next);
    const rows = await store.read.all(
      "SELECT action, identity, app_id, service, resource_uid, resource_type, target_object FROM timeline WHERE resource_id = 'a' ORDER BY uid",
    );
    const same = {
      ...{ identity: caller.serviceId, app_id: caller.appId, service: 'cloud-wallet' },
      ...{ resource_uid: uid, resource_type: 'cloud-wallet', target_object: 'main' },
    };
    const done = ['create', 'change-password', 'wrong-password', 'wrong-password', 'export'];
    expect(rows).toEqual(done.map((action) => ({ action, ...same })));
  });

  it('generates a new key for each wallet', async () => {
    const { wallet } = await createKeysWorld(await open());
    expect((await wallet('a')).address).not.toBe((await wallet('b')).address);
  });

  it('imports a private key, with and without 0x', async () => {
    const { wallet, vault } = await createKeysWorld(await open());
    const privateKey = randomBytes(32).toString('hex');
    const plain = await wallet('a', { privateKey });
    const prefixed = await wallet('b', { privateKey: `0x${privateKey.toUpperCase()}` });
    expect(prefixed.address).toBe(plain.address);
    const secret = await vault.openSecret(plain, right, who('me'));
    expect(Buffer.from(secret).toString('hex')).toBe(privateKey);
  });

  it('imports a keystore, and reports a wrong keystore parameter by name', async () => {
    const { wallet, vault } = await createKeysWorld(await open());
    const privateKey = randomBytes(32);
    const account = { privateKey: hexlify(privateKey), address: computeAddress(hexlify(privateKey)) };
    const keystore = await encryptKeystoreJson(account, 'of the keystore', { scrypt: { N: 1_024 } });
    const row = await wallet('a', { keystore, keystorePassword: 'of the keystore' });
    expect(Buffer.from(await vault.openSecret(row, right, who('me')))).toEqual(privateKey);
    const foreign = JSON.stringify({ ...JSON.parse(keystore), address: '11'.repeat(20) });
    const refused: [Record<string, string>, string][] = [
      [{ keystore, keystorePassword: password }, 'keystorePassword'],
      [{ keystore: foreign, keystorePassword: 'of the keystore' }, 'keystore'],
      [{ keystore: '{}', keystorePassword: 'of the keystore' }, 'keystore'],
    ];
    for (const [parameters, name] of refused) {
      expect(await failure(wallet('b', parameters))).toMatchObject({
        problem: 'invalid-request',
        errors: [{ pointer: `/pluginParameters/${name}` }],
      });
    }
  });

  it('rejects missing, unknown, malformed or conflicting wallet parameters, and does not quote any value', async () => {
    const { wallet, wallets, caller } = await createKeysWorld(await open());
    const key = '11'.repeat(32);
    const refused: [Record<string, string>, string[]][] = [
      [{ walletPassword: '11 letters!' }, ['walletPassword']],
      [{ walletPassword: 'x'.repeat(1_025) }, ['walletPassword']],
      [{ walletPassword: '🔑🔑🔑🔑🔑🔑' }, ['walletPassword']],
      [{ gas: 's3cret', 'a/b': 's3cret' }, ['gas', 'a~1b']],
      [{ privateKey: 's3cret' }, ['privateKey']],
      [{ privateKey: '00'.repeat(32) }, ['privateKey']],
      [{ privateKey: 'ff'.repeat(32) }, ['privateKey']],
      [{ privateKey: key, keystore: '{}', keystorePassword: 's3cret' }, ['keystore']],
      [{ keystore: 's3cret' }, ['keystorePassword']],
      [{ keystorePassword: 's3cret' }, ['keystorePassword']],
    ];
    for (const [parameters, names] of refused) {
      const error = await failure(wallet('a', parameters));
      expect(error).toMatchObject({
        problem: 'invalid-request',
        errors: names.map((name) => ({ pointer: `/pluginParameters/${name}` })),
      });
      expect(error instanceof Problem && JSON.stringify(error.toDocument())).not.toContain('s3cret');
    }
    const none = wallets.create(caller, { walletId: 'a', ledgerId: 'main', pluginParameters: new Map() });
    expect(await failure(none)).toMatchObject({ errors: [{ pointer: '/pluginParameters/walletPassword' }] });
  });

  it('rejects malformed and reserved wallet ids', async () => {
    const { wallet } = await createKeysWorld(await open());
    for (const walletId of ['', 'a b', 'a/b', '..', 'wallets', 'transactions', 'x'.repeat(65)]) {
      expect(await failure(wallet(walletId))).toMatchObject({
        problem: 'invalid-request',
        errors: [{ pointer: '/walletId' }],
      });
    }
  });

  it('concurrent requests create a wallet id only once per project', async () => {
    const { wallet, store } = await createKeysWorld(await open());
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => wallet('same')));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ problem: 'already-exists' });
    }
    expect(await failure(wallet('same'))).toMatchObject({
      problem: 'already-exists',
      errors: [{ pointer: '/walletId' }],
    });
    const resources = await store.read.all("SELECT uid FROM resource WHERE type = 'cloud-wallet'");
    expect(resources).toHaveLength(1);
  });

  it('creates wallets only on active ledgers of the project or of the installation', async () => {
    const { wallets, caller, registry, store, project, other, addLedger } = await createKeysWorld(
      await open(),
    );
    await addLedger({ ledgerId: 'own', projectUid: project.uid, parentResourceUid: project.uid });
    await addLedger({ ledgerId: 'foreign', projectUid: other.uid, parentResourceUid: other.uid });
    const { uid } = await addLedger({ ledgerId: 'closed' });
    await store.transaction((tx) => registry.updateLedger(tx, uid, { active: false }));
    const create = (ledgerId: string) =>
      wallets.create(caller, {
        walletId: 'a',
        ledgerId,
        pluginParameters: secrets({ walletPassword: password }),
      });
    for (const ledgerId of ['foreign', 'none']) {
      expect(await failure(create(ledgerId))).toMatchObject({
        problem: 'not-found',
        errors: [{ pointer: '/ledgerId' }],
      });
    }
    expect(await failure(create('closed'))).toMatchObject({ problem: 'conflict' });
    expect(await create('own')).toMatchObject({ ledgerId: 'own' });
  });

  it('creating a wallet requires wallet:create on the project', async () => {
    const { wallet, addCaller } = await createKeysWorld(await open());
    expect(await failure(wallet('a', {}, await addCaller('viewer')))).toMatchObject({
      problem: 'not-permitted',
    });
    expect(await failure(wallet('a', {}, await addCaller()))).toMatchObject({ problem: 'not-found' });
    expect(await wallet('a', {}, await addCaller('operator'))).toMatchObject({ walletId: 'a' });
  });

  it('stores the response for the Idempotency-Key in the transaction that creates the wallet', async () => {
    const { wallets, caller, row, store } = await createKeysWorld(await open());
    const create = (walletId: string) =>
      wallets.create(
        caller,
        { walletId, ledgerId: 'main', pluginParameters: secrets({ walletPassword: password }) },
        claim,
      );
    const results = await Promise.allSettled([create('a'), create('b')]);
    const [won, lost] = results[0]?.status === 'fulfilled' ? ['a', 'b'] : ['b', 'a'];
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { problem: 'conflict' },
    });
    expect(await store.read.all('SELECT scope, key, fingerprint, status, body FROM idempotency')).toEqual([
      { ...claim, status: 201, body: JSON.stringify({ walletAddress: (await row(won ?? '')).address }) },
    ]);
    await expect(row(lost ?? '')).rejects.toThrow('no wallet');
    expect(await store.read.all("SELECT uid FROM resource WHERE type = 'cloud-wallet'")).toHaveLength(1);
  });

  it('lists the wallets that the caller may see, with paging and sort keys', async () => {
    const world = await createKeysWorld(await open());
    const { wallets, wallet, caller, addCaller, addLedger, auth, store, row, clock } = world;
    await addLedger({ ledgerId: 'second' });
    for (const walletId of ['c', 'a', 'b']) {
      clock.now += 1;
      await wallet(walletId);
    }
    await wallets.create(caller, {
      walletId: 'd',
      ledgerId: 'second',
      pluginParameters: secrets({ walletPassword: password }),
    });
    const list = async (principal: Principal, query = {}) => {
      const { items, total } = await wallets.list(principal, { ...firstPage, ...query });
      return [items.map(({ walletId }) => walletId).join(' '), total];
    };
    expect(await list(caller)).toEqual(['c a b d', 4]);
    expect(await list(caller, { ledgerId: 'main' })).toEqual(['c a b', 3]);
    expect(await list(caller, { sort: [{ key: 'walletId', direction: 'desc' }] })).toEqual(['d c b a', 4]);
    expect(await list(caller, { page: 1, size: 3 })).toEqual(['d', 4]);
    expect(await failure(list(caller, { sort: [{ key: 'kdf', direction: 'asc' }] }))).toMatchObject({
      problem: 'invalid-request',
      errors: [{ pointer: 'sort' }],
    });

    expect(await list(await addCaller('viewer'))).toEqual(['c a b d', 4]);
    const guest = await addCaller();
    expect(await list(guest)).toEqual(['', 0]);
    const { uid } = await row('b');
    await store.transaction((tx) =>
      auth.assignRole(tx, { holder: { identity: guest.serviceId }, role: 'viewer', resourceUid: uid }),
    );
    expect(await list(guest)).toEqual(['b', 1]);
    // The application needs the permission, too.
    const app = await store.transaction((tx) =>
      auth.createApp(tx, { projectUid: world.other.uid, name: 'Foreign' }),
    );
    const foreign = { ...caller, appUid: app.uid, appId: app.appId };
    expect(await list(foreign)).toEqual(['', 0]);
    await store.transaction((tx) =>
      auth.assignRole(tx, { holder: { app: app.uid }, role: 'viewer', resourceUid: uid }),
    );
    expect(await list(foreign)).toEqual(['b', 1]);
  });

  it('returns a wallet with its balance and without sealed or derived material', async () => {
    const { wallets, caller, wallet, chain } = await createKeysWorld(await open());
    const { address } = await wallet('a');
    chain.fund(address, 10n ** 30n);
    const view = await wallets.get(caller, 'a');
    expect(view).toMatchObject({ walletId: 'a', walletAddress: address, balance: 10n ** 30n });
    expect(view).toMatchObject({ aliases: [], certificate: null });
    expect(Object.keys(view).sort()).toEqual([
      'aliases',
      'balance',
      'certificate',
      'createdAt',
      'exclusive',
      'keyType',
      'ledgerId',
      'walletAddress',
      'walletId',
    ]);
    expect(await failure(wallets.get(caller, 'none'))).toMatchObject({ problem: 'not-found' });
  });

  it('hides wallets of other projects and wallets that the caller may not read', async () => {
    const { wallets, caller, wallet, other, addCaller } = await createKeysWorld(await open());
    await wallet('a');
    const elsewhere = { ...caller, projectUid: other.uid, projectId: other.projectId };
    for (const principal of [elsewhere, await addCaller()]) {
      expect(await failure(wallets.get(principal, 'a'))).toMatchObject({ problem: 'not-found' });
      expect(await failure(wallets.demand(principal, 'wallet:transact', 'a'))).toMatchObject({
        problem: 'not-found',
      });
    }
    const viewer = await addCaller('viewer');
    expect(await failure(wallets.demand(viewer, 'wallet:transact', 'a'))).toMatchObject({
      problem: 'not-permitted',
    });
    expect(await wallets.demand(viewer, 'wallet:read', 'a')).toMatchObject({ walletId: 'a' });
  });

  it('exports a keystore encrypted with the wallet password if the caller may export and knows the password', async () => {
    const { wallets, caller, wallet, addCaller, lines } = await createKeysWorld(await open());
    const privateKey = randomBytes(32).toString('hex');
    await wallet('a', { privateKey });
    const { format, document } = await wallets.export(caller, 'a', right);
    expect(format).toBe('keystore-v3');
    expect(Buffer.from(await readKeystore(document, right)).toString('hex')).toBe(privateKey);
    expect(lines.filter((line) => line.includes('wallet.exported'))).toHaveLength(1);
    expect(await failure(wallets.export(caller, 'a', new Secret('wrong')))).toMatchObject({
      problem: 'wrong-wallet-password',
    });
    expect(await failure(wallets.export(await addCaller('transactor'), 'a', right))).toMatchObject({
      problem: 'not-permitted',
    });
  });

  it('a password change invalidates the old password and keeps the sealed secret', async () => {
    const { wallets, caller, wallet, row, vault, addCaller } = await createKeysWorld(await open());
    const before = await wallet('a');
    const next = new Secret('another long password');
    await vault.unlock(before, right, who('me'));
    await wallets.changePassword(caller, 'a', right, next);
    const after = await row('a');
    expect(after.keyVersion).toBe(2);
    expect(after.sealedSecret).toEqual(before.sealedSecret);
    expect(after.sealedDataKey).not.toEqual(before.sealedDataKey);
    expect(await failure(vault.unlock(after, right, who('me')))).toMatchObject({
      problem: 'wrong-wallet-password',
    });
    expect(await vault.openSecret(after, next, who('me'))).toEqual(
      await vault.openSecret(before, right, who('me')),
    );
    expect(await failure(wallets.changePassword(caller, 'a', right, next))).toMatchObject({
      problem: 'wrong-wallet-password',
    });
    expect(await failure(wallets.changePassword(caller, 'a', next, new Secret('short')))).toMatchObject({
      errors: [{ pointer: '/newPassword' }],
    });
    expect(
      await failure(wallets.changePassword(await addCaller('transactor'), 'a', next, right)),
    ).toMatchObject({ problem: 'not-permitted' });
  });

  it('only one of two concurrent password changes succeeds', async () => {
    const { wallets, caller, wallet, row, vault } = await createKeysWorld(await open());
    await wallet('a');
    // Both requests read the wallet before either of them continues.
    const reseal = vault.reseal.bind(vault);
    const { promise: bothRead, resolve: readByBoth } = Promise.withResolvers<void>();
    const resealing = vi.spyOn(vault, 'reseal').mockImplementation(async (...args) => {
      if (resealing.mock.calls.length === 2) readByBoth();
      await bothRead;
      return await reseal(...args);
    });
    const passwords = ['first new password', 'second new password'].map((text) => new Secret(text));
    const results = await Promise.allSettled(
      passwords.map((next) => wallets.changePassword(caller, 'a', right, next)),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { problem: 'conflict' },
    });
    const winner = passwords[results.findIndex(({ status }) => status === 'fulfilled')];
    await vault.unlock(await row('a'), winner ?? right, who('me'));
  });

  it('wrong passwords from other callers do not lock the creator out of a wallet, even at the first use', async () => {
    const { caller, wallet, vault, secondVault } = await createKeysWorld(await open());
    const row = await wallet('a');
    const guesses = Array.from({ length: 100 }, (_, n) =>
      failure(
        (n % 2 ? vault : secondVault()).unlock(
          row,
          new Secret('a wrong password'),
          who(`stranger ${Math.floor(n / 10)}`),
        ),
      ),
    );
    await Promise.all(guesses);
    expect(await failure(vault.unlock(row, right, who('newcomer')))).toMatchObject({
      problem: 'too-many-requests',
    });
    await vault.unlock(row, right, who(caller.serviceId));
  });

  it('does not write passwords or keys to the database or the log', async () => {
    const location = await locate();
    const store = await open(location);
    const { wallets, caller, wallet, row, vault, lines } = await createKeysWorld(store);
    const privateKey = randomBytes(32);
    const hex = privateKey.toString('hex');
    const keystorePassword = 'password of the keystore';
    const newPassword = 'the new and other password';
    await wallet('a', { privateKey: hex });
    const account = { privateKey: hexlify(privateKey), address: computeAddress(hexlify(privateKey)) };
    const keystore = await encryptKeystoreJson(account, keystorePassword, { scrypt: { N: 1_024 } });
    await wallet('b', { keystore, keystorePassword });
    await failure(wallet('c', { keystore, keystorePassword: `${keystorePassword}!` }));
    await failure(wallet('c', { privateKey: `${hex}0` }));
    await failure(vault.unlock(await row('a'), new Secret(`${password}!`), who('me')));
    const key = await vault.unlock(await row('a'), right, who('me'));
    const binding = { actionId: 'action', walletUid: 'w', ledgerUid: 'l', operation: '{}' };
    await store.transaction((tx) =>
      tx.insertMany('action_grant', ['action_id', 'sealed'], [['action', vault.sealGrant(key, binding)]]),
    );
    await wallets.export(caller, 'a', right);
    await wallets.changePassword(caller, 'a', right, new Secret(newPassword));

    const log = Buffer.from(lines.join('\n'));
    const tables = ['wallet', 'action_grant', 'idempotency', 'wallet_throttle', 'resource'];
    const rows = await Promise.all(tables.map((table) => store.read.all(`SELECT * FROM ${table}`)));
    const stored = rows
      .flat(2)
      .flatMap((found) =>
        Object.values(found).map((value) =>
          value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value)),
        ),
      );
    expect(stored.length).toBeGreaterThan(50);
    const files =
      dialect === 'sqlite'
        ? await Promise.all(['', '-wal'].map((suffix) => readFile(`${location.file}${suffix}`)))
        : [];
    // The search works: it finds the address, which is not secret.
    const { address } = await row('a');
    const holding = (all: Buffer[]) => all.some((bytes) => bytes.includes(address));
    expect([holding(stored), holding(files)]).toEqual([true, dialect === 'sqlite']);
    const needles = [password, keystorePassword, newPassword, hex, hex.toUpperCase()].map((text) =>
      Buffer.from(text),
    );
    needles.push(privateKey, Buffer.from(privateKey.toString('base64')));
    for (const needle of needles) {
      for (const bytes of [log, ...stored, ...files]) expect(bytes.includes(needle)).toBe(false);
    }
    expect(lines.length).toBeGreaterThan(0);
  });
});
