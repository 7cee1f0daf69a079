import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapterError } from '@ledger-ops/adapter';
import { createTestSigner, type TestSigner } from '@ledger-ops/adapter-kit/conformance';
import { createRoot, issueIdentity, issueRevocationList } from '@ledger-ops/devnet-fabric';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type CaClient, createCaClient } from '../src/ca/ca-client.ts';
import { Enrollment } from '../src/ca/enrollment.ts';
import { readProperties } from '../src/properties.ts';
import { defaultTiming } from '../src/timing.ts';
import { advanceWallet, createWallet } from '../src/wallet.ts';
import { openNetwork, skipped } from './network.ts';
import { ledgerOf, type Member, memberOf, organizationAt, userOf } from './profile.ts';
import {
  enter,
  execute,
  freshKey,
  importWallet,
  openSession,
  problemOf,
  roleCall,
  sign,
  signPlan,
  type TestSession,
} from './stage.ts';

const network = await openNetwork();
const { profile } = network;
const { mspId } = organizationAt(profile);
const folder = mkdtempSync(join(tmpdir(), 'identities-'));
let opened: TestSession;
/** A ledger on which the creator of a wallet may choose an attribute. */
let allowing: TestSession;

beforeAll(async () => {
  opened = await openSession(ledgerOf(profile));
  allowing = await openSession(ledgerOf(profile, { properties: { ca_attributes: ['level'] } }));
});
afterAll(async () => {
  await opened?.session.close();
  await allowing?.session.close();
  await network.close();
  rmSync(folder, { recursive: true });
});

function memberOfPair({ certificate, privateKey }: { certificate: string; privateKey: string }): Member {
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(certFile, certificate);
  writeFileSync(keyFile, privateKey);
  return memberOf({ certFile, keyFile });
}

describe('an imported wallet', () => {
  test('an imported wallet has its certificate’s address, and aliases for the names that chaincode uses', async () => {
    const wallet = await importWallet(opened.session, userOf(profile));
    expect(wallet.address).toMatch(new RegExp(`^${mspId}/.`));
    expect(wallet.aliases).toHaveLength(3);
    expect(wallet.aliases?.[0]).toMatch(/^x509::\/.*CN=.*::\/.*CN=/);
    expect(Buffer.from(wallet.aliases?.[2] ?? '', 'base64').toString()).toBe(wallet.aliases?.[1]);
    expect(wallet.renewAt).toBeUndefined();
  });

  test('rejects an imported wallet with a key that does not match its certificate', async () => {
    const other = { certificate: userOf(profile).certificate, signer: createTestSigner('p256') };
    expect(await problemOf(importWallet(opened.session, other))).toMatchObject({
      code: 'invalid-argument',
      issues: [{ pointer: '/parameters/privateKey', detail: 'is not the key of the certificate' }],
    });
  });

  test('rejects an imported wallet with the wrong MSP, or with an MSP that is not a member of the channel', async () => {
    const member = userOf(profile);
    for (const other of [profile.organizations[1]?.mspId ?? 'AnotherMSP', 'NobodyMSP']) {
      expect(await problemOf(importWallet(opened.session, member, other))).toMatchObject({
        code: 'certificate-invalid',
      });
    }
  });

  test('rejects an imported wallet whose certificate has the right names but the root of another CA', async () => {
    const root = await createRoot({ commonName: 'ca', organization: mspId });
    const foreign = memberOfPair(await issueIdentity(root, { commonName: 'mallory' }));
    expect(await problemOf(importWallet(opened.session, foreign))).toMatchObject({
      code: 'certificate-invalid',
      detail: expect.stringContaining(`not issued by a root of ${mspId}`),
    });
  });

  test('does not sign for an imported wallet once its certificate has expired', async () => {
    const actor = await enter(profile);
    const later = await openSession(ledgerOf(profile), { now: () => Date.now() + 40 * 365 * 24 * 3_600_000 });
    const operation = roleCall(profile, 'write', { key: freshKey() });
    expect(await problemOf(sign({ ...actor, session: later.session }, operation))).toMatchObject({
      code: 'certificate-invalid',
      phase: 'check',
      detail: expect.stringContaining('The certificate expired on'),
    });
    await later.session.close();
    await actor.session.close();
  });

  const root = network.devnet?.organizations[0];
  const noRoot = skipped(
    root === undefined ? "a profile has no CA's key" : undefined,
    'expired certificates',
  );

  test.skipIf(noRoot)('rejects and disables an imported wallet with an expired certificate', async () => {
    const { rootCertificate: certificate = '', rootPrivateKey: privateKey = '' } = root ?? {};
    const issue = async (notAfter: Date) =>
      memberOfPair(
        await issueIdentity(
          { certificate, privateKey },
          {
            ...{ commonName: 'brief', organization: mspId },
            notBefore: new X509Certificate(certificate).validFromDate,
            notAfter,
          },
        ),
      );
    const ended = {
      code: 'certificate-invalid',
      detail: expect.stringContaining('The certificate expired on'),
    };
    expect(
      await problemOf(importWallet(opened.session, await issue(new Date(Date.now() - 1_000)))),
    ).toMatchObject({
      ...ended,
      phase: 'wallet',
    });
    const hour = 3_600_000;
    let ahead = 0;
    const actor = await enter(profile, {
      member: await issue(new Date(Date.now() + hour)),
      now: () => Date.now() + ahead,
    });
    const operation = roleCall(profile, 'write', { key: freshKey() });
    const { plan } = await actor.session.check({ wallet: actor.wallet, operation });
    await signPlan(actor, plan);
    ahead = hour + 1_000;
    for (const [phase, call] of [
      ['check', actor.session.check({ wallet: actor.wallet, operation })],
      ['prepare', signPlan(actor, plan)],
      ['emulate', actor.session.emulateAs?.({ wallet: actor.wallet, operation }) ?? Promise.resolve()],
    ] as const) {
      expect(await problemOf(call)).toMatchObject({ ...ended, phase });
    }
    await actor.session.close();
  });

  test.skipIf(noRoot)(
    'reports which organization revoked a certificate, and wallets with other certificates can still send',
    async () => {
      const { devnet } = network;
      const organization = devnet?.organizations[0];
      if (devnet === undefined || organization === undefined) return;
      const { rootCertificate: certificate, rootPrivateKey: privateKey } = organization;
      const pair = await issueIdentity({ certificate, privateKey }, { commonName: 'leaver', role: 'client' });
      const leaver = await enter(profile, { member: memberOfPair(pair) });
      const other = await enter(profile);
      const operation = roleCall(profile, 'write', { key: freshKey() });
      const { plan } = await leaver.session.check({ wallet: leaver.wallet, operation });
      const early = await enter(profile, { member: memberOfPair(pair) });
      await early.session.check({ wallet: early.wallet, operation });
      const endorsed = await signPlan(leaver, plan);

      const serial = new X509Certificate(pair.certificate).serialNumber;
      const list = await issueRevocationList({ certificate, privateKey }, [{ serial, at: new Date() }]);
      await devnet.setRevocationLists(organization.mspId, [list]);

      // The sessions still use the previous configuration.
      const reason = {
        code: 'certificate-invalid',
        detail: `The wallet's certificate cannot be used: ${mspId} has revoked it. Get a new certificate from ${mspId}, create a wallet with it, and send from that wallet.`,
      };
      const emulated = leaver.session.emulateAs?.({ wallet: leaver.wallet, operation });
      const round = await emulated;
      if (round?.done !== false) throw new TypeError('A signed emulation needs a signature.');
      const signatures = round.requests.map(leaver.signer.sign);
      const dry = leaver.session.advanceEmulation?.({ state: structuredClone(round.state), signatures });
      expect(await problemOf(dry ?? Promise.resolve())).toMatchObject({ ...reason, phase: 'emulate' });
      expect(await problemOf(signPlan(early, plan))).toMatchObject({ ...reason, phase: 'prepare' });
      const checked = leaver.session.check({ wallet: leaver.wallet, operation });
      expect(await problemOf(checked)).toMatchObject({ ...reason, phase: 'check' });
      const [late] = await leaver.session.submit([{ ...endorsed, first: true }]);
      expect(late).toMatchObject({
        problem: { detail: expect.stringContaining('its certificate may be revoked') },
      });
      expect((await execute(other, roleCall(profile, 'write', { key: freshKey() }))).status).toBe(
        'succeeded',
      );
      await early.session.close();
      await leaver.session.close();
      await other.session.close();
      await devnet.setRevocationLists(organization.mspId, []);
    },
  );

  test.skipIf(noRoot)(
    'if the observer’s certificate was revoked, reports the observer as the cause',
    async () => {
      const { devnet } = network;
      const organization = devnet?.organizations[0];
      if (devnet === undefined || organization === undefined) return;
      const { rootCertificate: certificate, rootPrivateKey: privateKey } = organization;
      const pair = await issueIdentity(
        { certificate, privateKey },
        { commonName: 'watcher', role: 'client' },
      );
      const properties = {
        observer_certificate: pair.certificate,
        observer_private_key: pair.privateKey,
      };
      const before = await enter(profile, { properties });
      const operation = roleCall(profile, 'write', { key: freshKey() });
      await execute(before, operation);

      const serial = new X509Certificate(pair.certificate).serialNumber;
      const list = await issueRevocationList({ certificate, privateKey }, [{ serial, at: new Date() }]);
      await devnet.setRevocationLists(organization.mspId, [list]);

      const reason = {
        code: 'unavailable',
        detail: expect.stringMatching(
          /^The peers refused the ledger's observer certificate \(observer_certificate\): .* set observer_certificate and observer_private_key of the ledger\.$/,
        ),
        data: { failure: 'observer-refused' },
      };
      const after = await openSession(ledgerOf(profile, { properties }));
      const { session } = after;
      const address = `${profile.channel}/${profile.chaincode}`;
      for (const call of [
        session.chain({}),
        session.check({ wallet: before.wallet, operation }),
        session.emulate({ operation }),
        session.lookup('0'.repeat(64)),
        session.describeContract?.(address) ?? Promise.resolve(),
        session.contractEvents?.({ contract: { address }, after: null, limit: 1 }) ?? Promise.resolve(),
      ])
        expect(await problemOf(call)).toMatchObject(reason);
      // The stream of the previous session has ended.
      await vi.waitFor(
        async () =>
          expect(await problemOf(before.session.confirm({ cursor: null, pending: new Map() }))).toMatchObject(
            reason,
          ),
        10_000,
      );
      await after.session.close();
      await before.session.close();
      await devnet.setRevocationLists(organization.mspId, []);
    },
  );

  test('an observer requires the private key of its certificate', async () => {
    const root = await createRoot({ commonName: 'ca', organization: mspId });
    const ledger = ledgerOf(profile, { properties: { observer_private_key: root.privateKey } });
    expect(await problemOf(openSession(ledger))).toMatchObject({
      code: 'invalid-argument',
      issues: [{ pointer: '/properties/observer_private_key' }],
    });
  });
});

const { ca } = organizationAt(profile);
describe.skipIf(skipped(ca === undefined ? 'the profile has no CA' : undefined, 'enrollment'))(
  'an enrolled wallet',
  () => {
    const enrol = async (
      parameters: Record<string, string>,
      signer = createTestSigner('p256'),
      { session } = opened,
    ) => {
      let round = await session.createWallet({
        walletId: freshKey(),
        publicKey: signer.publicKey,
        parameters,
      });
      while (!round.done) {
        const signatures = round.requests.map(signer.sign);
        round = await session.advanceWallet({ state: structuredClone(round.state), signatures });
      }
      return { wallet: round.result, signer };
    };

    /** Interrupts an enrollment before the CA gets the request, or before its answer arrives. */
    const breakOff = async (enrollmentId: string, signer: TestSigner, answered: boolean) => {
      const properties = readProperties(ledgerOf(profile));
      if (properties.ca === undefined) throw new TypeError('The profile has no CA.');
      const client = createCaClient(properties.ca, undefined, properties.rpcTimeout, { now: Date.now });
      const ended = () => adapterError('unavailable', 'The process ended.', { phase: 'wallet' });
      const broken: CaClient = {
        close: () => client.close(),
        async post(request, refusal) {
          const [who] = Buffer.from(request.authorization.slice(6), 'base64').toString().split(':');
          const own = request.path === '/api/v1/enroll' && who === enrollmentId;
          if (own && !answered) throw ended();
          const answer = await client.post(request, refusal);
          if (own) throw ended();
          return answer;
        },
      };
      const enrollment = new Enrollment(broken, properties.ca, defaultTiming.registrarRenewal);
      const pass = async () => undefined;
      const msps = { requireValid: pass, requireAccepted: pass, requireMembers: pass };
      const context = { msps, enrollment, properties, now: Date.now };
      const request = { walletId: 'w', publicKey: signer.publicKey, parameters: { enrollmentId } };
      const round = await createWallet(request, context);
      if (round.done) throw new TypeError('An enrollment needs a signature.');
      const signatures = round.requests.map(signer.sign);
      const problem = await problemOf(advanceWallet({ state: round.state, signatures }, context));
      expect(problem).toMatchObject({ detail: 'The process ended.' });
      await client.close();
    };

    test('registering a wallet with only an enrollment id also enrolls it, so that it can sign immediately', async () => {
      const enrollmentId = freshKey();
      const { wallet, signer } = await enrol({ enrollmentId });
      expect(wallet.address).toBe(`${mspId}/${enrollmentId}`);
      const { renewAt = 0 } = wallet;
      expect(renewAt).toBeGreaterThan(Date.now());
      const { txId } = await sign(
        { ...opened, wallet, signer },
        roleCall(profile, 'write', { key: freshKey() }),
      );
      expect(txId).toMatch(/^[0-9a-f]{64}$/);
    });

    test('a wallet without an enrollment name is registered under its wallet id', async () => {
      const { wallet } = await enrol({});
      expect(wallet.address).toMatch(new RegExp(`^${mspId}/k[0-9a-f]{32}$`));
    });

    test('registers a wallet once, and uses its enrollment secret once', async () => {
      const enrollmentId = freshKey();
      await enrol({ enrollmentId });
      expect(await problemOf(enrol({ enrollmentId }))).toMatchObject({
        code: 'invalid-argument',
        issues: [{ pointer: '/parameters/enrollmentId' }],
      });
      expect(await problemOf(enrol({ enrollmentId, enrollmentSecret: 'wrong' }))).toMatchObject({
        code: 'invalid-argument',
        issues: [{ pointer: '/parameters/enrollmentSecret' }],
      });
    });

    test.each([
      ['before the CA certified it', false],
      ['after the CA certified it, with a lost answer', true],
    ])('if an enrollment was interrupted %s, the same request continues it', async (_, answered) => {
      const [enrollmentId, signer] = [freshKey(), createTestSigner('p256')];
      await breakOff(enrollmentId, signer, answered);
      // The CA issues the certificate neither for another key nor for another identity.
      for (const [other, parameters] of [
        [createTestSigner('p256'), {}],
        [signer, { attributes: '{"level":"3"}' }],
      ] as const) {
        expect(await problemOf(enrol({ enrollmentId, ...parameters }, other, allowing))).toMatchObject({
          code: 'invalid-argument',
          issues: [{ pointer: '/parameters/enrollmentId' }],
        });
      }
      const { wallet } = await enrol({ enrollmentId }, signer);
      expect(wallet.address).toBe(`${mspId}/${enrollmentId}`);
      const actor = { ...opened, wallet, signer };
      expect((await sign(actor, roleCall(profile, 'write', { key: freshKey() }))).txId).toHaveLength(64);
    });

    test('a wallet cannot choose attributes that the ledger does not allow, nor an affiliation', async () => {
      const { wallet } = await enrol({ attributes: '{"level":"3"}' }, createTestSigner('p256'), allowing);
      const { raw } = new X509Certificate(String(wallet.material?.certificate));
      expect(raw.includes('"level":"3"')).toBe(true);
      for (const [parameters, pointer] of [
        [{ attributes: '{"level":"3","role":"admin"}' }, '/parameters/attributes'],
        [{ affiliation: 'alpha' }, '/parameters/affiliation'],
      ] as const) {
        expect(await problemOf(enrol(parameters, createTestSigner('p256'), allowing))).toMatchObject({
          code: 'invalid-argument',
          issues: [{ pointer }],
        });
      }
      expect(await problemOf(enrol({ attributes: '{"level":"3"}' }))).toMatchObject({
        code: 'invalid-argument',
        issues: [{ pointer: '/parameters/attributes', detail: expect.stringContaining('ca_attributes') }],
      });
    });

    test('enrolls a wallet by name and secret', async () => {
      const { enrollmentId = '', enrollmentSecret = '' } = ca?.registrar ?? {};
      const properties = { ca_registrar_id: null, ca_registrar_secret: null };
      const other = await openSession(ledgerOf(profile, { properties }));
      const { wallet } = await enrol({ enrollmentId, enrollmentSecret }, createTestSigner('p256'), other);
      expect(wallet.address).toBe(`${mspId}/${enrollmentId}`);
      await other.session.close();
    });

    test("does not enroll a wallet under the name of the ledger's registrar, because wrong secrets would lock the registrar", async () => {
      const { enrollmentId = '' } = ca?.registrar ?? {};
      for (const parameters of [{ enrollmentId }, { enrollmentId, enrollmentSecret: 'wrong' }]) {
        expect(await problemOf(enrol(parameters))).toMatchObject({
          code: 'invalid-argument',
          issues: [{ pointer: '/parameters/enrollmentId', detail: expect.stringContaining('registrar') }],
        });
      }
    });

    test('renews a wallet under the same address and key, and signs with the new certificate', async () => {
      const { wallet, signer } = await enrol({ enrollmentId: freshKey() });
      let round = await opened.session.renewWallet?.(wallet);
      let rounds = 0;
      while (round?.done === false) {
        rounds += 1;
        const signatures = round.requests.map(signer.sign);
        round = await opened.session.advanceWallet({ state: structuredClone(round.state), signatures });
      }
      expect(rounds).toBe(2);
      const renewed = round?.result ?? wallet;
      expect(renewed.address).toBe(wallet.address);
      expect(renewed.material?.certificate).not.toBe(wallet.material?.certificate);
      const actor = { ...opened, wallet: renewed, signer };
      await sign(actor, roleCall(profile, 'write', { key: freshKey() }));
    });

    test('rejects a wallet with contradicting parameters', async () => {
      for (const [parameters, pointer] of [
        [{ enrollmentId: 'a/b' }, '/parameters/enrollmentId'],
        [{ enrollmentId: 'a', mspId: 'AnotherMSP' }, '/parameters/mspId'],
        [{ enrollmentId: 'a', enrollmentSecret: 's', attributes: '{}' }, '/parameters/attributes'],
        [{ enrollmentId: 'a', attributes: '{"hf.Registrar.Roles":"*"}' }, '/parameters/attributes'],
        [{ nickname: 'a' }, '/parameters/nickname'],
      ] as const) {
        expect(await problemOf(enrol(parameters))).toMatchObject({
          code: 'invalid-argument',
          issues: [{ pointer }],
        });
      }
    });
  },
);
