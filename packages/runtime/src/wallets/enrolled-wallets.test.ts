import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import type { Principal } from '@ledger-ops/auth';
import { Problem, Secret } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, it, vi } from 'vitest';
import { certified } from '../../test/certified.ts';
import { createAuthority } from '../../test/enrolling-adapter.ts';
import { createKeysWorld, failure, password, secrets, who } from '../../test/keys-world.ts';
import { readPemKey } from '../keys/pem.ts';
import { Renewals } from './renewals.ts';
import { createDraftSweep } from './sweep-drafts.ts';
import { Wallets } from './wallets.ts';

const right = new Secret(password);
const day = 86_400_000;

describeStores('wallets that are enrolled with the ledger', (open) => {
  async function createWorld() {
    const authority = createAuthority();
    const world = await createKeysWorld(await open(), {}, [authority.adapter]);
    await world.addLedger({ ledgerId: 'fabric', technology: 'hyperledger-fabric' });
    await world.addLedger({ ledgerId: 'second', technology: 'hyperledger-fabric' });
    const create = (walletId: string, parameters: Record<string, string> = {}, more: More = {}) =>
      (more.wallets ?? world.wallets).create(
        more.principal ?? world.caller,
        {
          walletId,
          ledgerId: more.ledgerId ?? 'fabric',
          pluginParameters: secrets({ walletPassword: password, ...parameters }),
        },
        more.claim,
      );
    const drafts = () => world.store.read.all<{ wallet_id: string }>('SELECT * FROM wallet_draft');
    /** Simulates a restart of the server: the new one has nothing in memory. */
    const restarted = () => {
      const { store, auth, registry, ledgers, log, signers, clock } = { ...world, log: () => {} };
      const vault = world.secondVault();
      return new Wallets({ store, auth, registry, ledgers, vault, log, signers, now: () => clock.now });
    };
    return { ...world, authority, create, drafts, restarted };
  }
  interface More {
    principal?: Principal;
    ledgerId?: string;
    claim?: { scope: string; key: string; fingerprint: string };
    wallets?: Wallets;
  }

  it('creating a wallet signs in as many rounds as the ledger requests, and passes its parameters to the adapter', async () => {
    const { create, row, authority, drafts, signers, vault } = await createWorld();
    const parameters = { enrollmentId: 'alice', affiliation: 'org1', attributes: '{}', mspId: 'Org1MSP' };
    const view = await create('alice', parameters);
    expect(authority.receivedParameters).toEqual([parameters]);
    const stored = await row('alice');
    expect(stored).toMatchObject({ keyType: 'p256', address: view.walletAddress });
    expect(authority.enrolled).toEqual([Buffer.from(stored.publicKey).toString('hex')]);
    const secret = await vault.openSecret(stored, right, who('me'));
    expect(signers.publicKey('p256', secret)).toEqual(stored.publicKey);
    expect(await drafts()).toEqual([]);
  });

  it("a wallet's details contain its certificate, the expiry of the certificate, and the aliases", async () => {
    const { create, wallets, caller } = await createWorld();
    const { walletAddress } = await create('alice', { enrollmentId: 'alice' });
    expect(await wallets.get(caller, 'alice')).toMatchObject({
      aliases: [`x509::${walletAddress}`],
      certificate: { pem: certified.certificate, expiresAt: expect.any(Number) },
    });
  });

  it('a key is imported with its certificate, and both are exported', async () => {
    const { create, wallets, caller, authority } = await createWorld();
    await create('alice', certified);
    expect(authority.receivedParameters).toEqual([{ certificate: certified.certificate }]);
    const { format, document, certificate } = await wallets.export(caller, 'alice', right);
    expect([format, certificate]).toEqual(['pem', certified.certificate]);
    const opened = createPrivateKey({ key: document, format: 'pem', passphrase: password });
    const pem = opened.export({ format: 'pem', type: 'sec1' }).toString();
    expect(readPemKey(new Secret(pem))).toEqual(readPemKey(new Secret(certified.privateKey)));
  });

  it('creating a wallet reports every missing, unknown, malformed or conflicting parameter', async () => {
    const { create, drafts } = await createWorld();
    const k1 = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey;
    const { certificate, privateKey } = certified;
    const refused: [Record<string, string>, string[]][] = [
      [{ enrollmentSecret: 's3cret' }, ['enrollmentId']],
      [{ certificate }, ['privateKey']],
      [{ privateKey }, ['certificate']],
      [{ certificate, privateKey: 's3cret' }, ['privateKey']],
      [{ certificate, privateKey: k1.export({ format: 'pem', type: 'pkcs8' }).toString() }, ['privateKey']],
      [{ enrollmentId: 'a', keystore: 's3cret' }, ['keystore']],
      // The name of the CA is a property of the ledger (`ca_name`).
      [{ enrollmentId: 'a', caName: 'ca-org1' }, ['caName']],
      [{ enrollmentId: '' }, ['enrollmentId']],
      [{ enrollmentId: 'a\nb', mspId: 'x'.repeat(257) }, ['enrollmentId', 'mspId']],
    ];
    for (const [parameters, names] of refused) {
      const error = await failure(create('a', parameters));
      expect(error).toMatchObject({
        problem: 'invalid-request',
        errors: names.map((name) => ({ pointer: `/pluginParameters/${name}` })),
      });
      expect(error instanceof Problem && JSON.stringify(error.toDocument())).not.toContain('s3cret');
    }
    expect(await drafts()).toEqual([]);
  });

  it('creating a wallet reports the parameter that the ledger rejects, and does not leave a draft behind', async () => {
    const { create, authority, drafts } = await createWorld();
    authority.behavior = 'rejects';
    const parameters = { enrollmentId: 'alice', enrollmentSecret: 'wrong' };
    expect(await failure(create('alice', parameters))).toMatchObject({
      problem: 'invalid-request',
      errors: [{ pointer: '/pluginParameters/enrollmentSecret' }],
    });
    expect(await drafts()).toEqual([]);
    authority.behavior = 'normal';
    expect(await create('alice', { enrollmentId: 'alice' })).toMatchObject({ walletId: 'alice' });
  });

  it('creating a wallet continues with the same key after a lost response and a server restart', async () => {
    const { create, authority, drafts, restarted, row, wallets, caller, store } = await createWorld();
    authority.behavior = 'loses-responses';
    expect(await failure(create('alice', { enrollmentId: 'alice' }))).toMatchObject({
      problem: 'ledger-unavailable',
    });
    expect(await failure(wallets.get(caller, 'alice'))).toMatchObject({ problem: 'not-found' });
    expect((await wallets.list(caller, { page: 0, size: 20, sort: [] })).total).toBe(0);
    expect(await drafts()).toHaveLength(1);
    authority.behavior = 'normal';
    const claim = { scope: 'app:me', key: 'key', fingerprint: 'fingerprint' };
    await create('alice', { enrollmentId: 'alice' }, { wallets: restarted(), claim });
    const key = Buffer.from((await row('alice')).publicKey).toString('hex');
    expect(authority.enrolled).toEqual([key, key]);
    expect(await drafts()).toEqual([]);
    expect(await store.read.all('SELECT status FROM idempotency')).toEqual([{ status: 201 }]);
    expect(await failure(create('alice', { enrollmentId: 'alice' }))).toMatchObject({
      problem: 'already-exists',
    });
  });

  it('creating a wallet keeps the key if the enrollment secret was already used, until a request contains a new secret', async () => {
    const { create, authority, drafts, restarted, row } = await createWorld();
    const once = { enrollmentId: 'alice', enrollmentSecret: 'once' };
    authority.behavior = 'loses-responses';
    await failure(create('alice', once));
    authority.behavior = 'normal';
    expect(await failure(create('alice', once, { wallets: restarted() }))).toMatchObject({
      errors: [{ pointer: '/pluginParameters/enrollmentSecret' }],
    });
    expect(await drafts()).toHaveLength(1);
    await create('alice', { ...once, enrollmentSecret: 'another' }, { wallets: restarted() });
    const key = Buffer.from((await row('alice')).publicKey).toString('hex');
    expect(authority.enrolled).toEqual([key, key]);
  });

  it('only the creator of an unfinished wallet can finish it, on the same ledger and with the same password', async () => {
    const { create, authority, addCaller, drafts } = await createWorld();
    authority.behavior = 'loses-responses';
    await failure(create('alice', { enrollmentId: 'alice' }));
    authority.behavior = 'normal';
    const enrollment = { enrollmentId: 'alice' };
    const stranger = { principal: await addCaller('operator') };
    for (const more of [stranger, { ledgerId: 'second' }]) {
      expect(await failure(create('alice', enrollment, more))).toMatchObject({ problem: 'already-exists' });
    }
    expect(await failure(create('alice', certified))).toMatchObject({ problem: 'already-exists' });
    const wrong = { ...enrollment, walletPassword: `${password}!` };
    expect(await failure(create('alice', wrong))).toMatchObject({ problem: 'wrong-wallet-password' });
    expect(authority.enrolled).toHaveLength(1);
    expect(await drafts()).toHaveLength(1);
  });

  it('several concurrent requests to create a wallet create one wallet', async () => {
    const { create, authority, store } = await createWorld();
    authority.behavior = 'hangs';
    const first = create('alice', { enrollmentId: 'alice' });
    await vi.waitFor(
      async () => expect(await store.read.all('SELECT uid FROM wallet_draft')).toHaveLength(1),
      30_000,
    );
    expect(await failure(create('alice', { enrollmentId: 'alice' }))).toMatchObject({ problem: 'conflict' });
    authority.behavior = 'normal';
    authority.release();
    expect(await first).toMatchObject({ walletId: 'alice' });
    expect(authority.enrolled).toHaveLength(1);
  });

  it('deletes unfinished wallets after a day', async () => {
    const { create, authority, drafts, clock, store } = await createWorld();
    authority.behavior = 'loses-responses';
    await failure(create('alice', { enrollmentId: 'alice' }));
    await failure(create('bob', { enrollmentId: 'bob' }));
    clock.now += day;
    const sweep = createDraftSweep({ store, now: () => clock.now - 1, log: () => {} });
    sweep.start();
    await sweep.stop();
    expect(await drafts()).toHaveLength(2);
    authority.behavior = 'normal';
    await create('alice', { enrollmentId: 'alice', walletPassword: 'another password' });
    expect(new Set(authority.enrolled).size).toBe(3);
    expect(await drafts()).toEqual([]);
  });

  it('renews a wallet once, in the background, when its key is unlocked', async () => {
    const { create, authority, row, clock, ledgers, vault, store, signers, lines, caller } =
      await createWorld();
    authority.renewAt = clock.now + day;
    await create('alice', { enrollmentId: 'alice' });
    const wallet = await row('alice');
    const log = (_level: string, event: string) => lines.push(event);
    const renewals = new Renewals({ store, signers, log, now: () => clock.now });
    const open = await ledgers.open(wallet.ledgerUid, { projectUid: wallet.projectId });
    const consider = async () => {
      const now = await row('alice');
      const key = await vault.unlock(now, right, caller);
      renewals.consider(now, key, open);
      // The key is destroyed before the renewal, as if the operation that unlocked it had completed.
      key.destroy();
    };
    await consider();
    await renewals.idle();
    expect(authority.enrolled).toHaveLength(1);

    clock.now += day;
    authority.behavior = 'hangs';
    await consider();
    await consider();
    authority.behavior = 'normal';
    authority.release();
    await renewals.idle();
    expect(authority.enrolled).toHaveLength(2);
    const renewed = await row('alice');
    expect(renewed).toMatchObject({ address: wallet.address, renewAt: null });
    expect(renewed.material).not.toBe(wallet.material);
    await vault.unlock(renewed, right, caller);
    expect(lines).toContain('wallet.renewed');
    const records = await store.read.all(
      "SELECT action, identity FROM timeline WHERE resource_id = 'alice' ORDER BY uid",
    );
    expect(records.at(-1)).toEqual({ action: 'renew', identity: '' });
  });

  it('a failed wallet renewal does not change anything and is retried later', async () => {
    const { create, authority, row, clock, ledgers, store, signers } = await createWorld();
    authority.renewAt = clock.now;
    await create('alice', { enrollmentId: 'alice' });
    const wallet = await row('alice');
    const events: string[] = [];
    const log = (_level: string, event: string) => events.push(event);
    const renewals = new Renewals({ store, signers, log, now: () => clock.now });
    const open = await ledgers.open(wallet.ledgerUid, { projectUid: wallet.projectId });
    const consider = async () => {
      const key = signers.open('p256', signers.generate('p256'));
      renewals.consider(wallet, key, open);
      await renewals.idle();
    };
    await consider();
    await consider();
    expect(events).toEqual(['wallet.renewal-failed']);
    expect(await row('alice')).toEqual(wallet);
    clock.now += 600_000;
    await consider();
    expect(events).toHaveLength(2);
  });

  it('keeps the result of the first of two concurrent wallet renewals', async () => {
    const { create, authority, row, clock, ledgers, vault, store, signers, caller } = await createWorld();
    authority.renewAt = clock.now;
    await create('alice', { enrollmentId: 'alice' });
    const wallet = await row('alice');
    const events: string[] = [];
    const log = (_level: string, event: string) => events.push(event);
    const open = await ledgers.open(wallet.ledgerUid, { projectUid: wallet.projectId });
    const servers = [1, 2].map(() => new Renewals({ store, signers, log, now: () => clock.now }));
    for (const renewals of servers) {
      const key = await vault.unlock(wallet, right, caller);
      renewals.consider(wallet, key, open);
    }
    await Promise.all(servers.map((renewals) => renewals.idle()));
    expect(events.sort()).toEqual(['wallet.renewed', 'wallet.renewed-elsewhere']);
  });
});
