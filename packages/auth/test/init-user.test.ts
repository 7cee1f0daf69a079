import { Secret } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { beforeAll, expect, it } from 'vitest';
import { expectProblem, type Installation, install, problemOf } from '../src/testing/index.ts';
import { addIdentity, client } from './users.ts';

describeStores('the first password of a user', (open) => {
  let here: Installation;
  let serial = 0;
  beforeAll(async () => {
    here = await install(await open());
  });
  const password = new Secret('a password of some length');
  const additional = { name: 'Ada Example', password };
  const invited = async () => {
    serial += 1;
    const email = `invited-${serial}@example.com`;
    const serviceId = await addIdentity(here, email);
    const { initToken, expiresAt } = await here.change((tx) => here.auth.createInitToken(tx, serviceId));
    return { email, serviceId, initToken, expiresAt };
  };
  const set = (initToken: Secret, changes: Partial<typeof additional> = {}) =>
    here.auth.initUser({ initToken, acceptTnC: true, additional: { ...additional, ...changes }, client });

  it('an initToken sets a first password once and enables the identity', async () => {
    const { auth, clock, store } = here;
    const { email, serviceId, initToken, expiresAt } = await invited();
    expect(expiresAt).toBe(clock.ms + 7 * 86_400_000);
    expect(initToken.reveal()).toMatch(/^ini_[A-Za-z0-9_-]{43}$/);
    expect(JSON.stringify(await store.read.all('select * from init_token'))).not.toContain(
      initToken.reveal(),
    );
    expect(await set(initToken)).toEqual({ email });
    const { identity } = await auth.login({ username: email, password, client });
    expect(identity).toMatchObject({ serviceId, displayName: 'Ada Example', status: 'ENABLED' });
    expect((await problemOf(set(initToken))).errors[0]?.pointer).toBe('/initToken');
  });

  it('concurrent uses of an initToken set the first password once', async () => {
    const { initToken } = await invited();
    const answers = await Promise.allSettled([set(initToken), set(initToken), set(initToken)]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('a first password requires the newest, unexpired token of a pending user', async () => {
    const { auth, change, clock } = here;
    await expectProblem(set(new Secret('ini_unknown')), 'invalid-request');

    const renewed = await invited();
    const newer = await change((tx) => auth.createInitToken(tx, renewed.serviceId));
    await expectProblem(set(renewed.initToken), 'invalid-request');
    await expect(set(newer.initToken)).resolves.toBeDefined();

    const late = await invited();
    const start = clock.ms;
    clock.ms = late.expiresAt;
    await expectProblem(set(late.initToken), 'invalid-request');
    clock.ms = start;

    const disabled = await invited();
    await change((tx) => auth.setIdentityStatus(tx, disabled.serviceId, 'DISABLED'));
    await expectProblem(set(disabled.initToken), 'invalid-request');
  });

  it('a first password requires accepted terms, a name, and a password within the rules', async () => {
    const { auth } = here;
    const { email, initToken } = await invited();
    const pointer = async (promise: Promise<unknown>) => (await problemOf(promise)).errors[0]?.pointer;
    expect(await pointer(auth.initUser({ initToken, acceptTnC: false, additional, client }))).toBe(
      '/acceptTnC',
    );
    expect(await pointer(set(initToken, { name: '' }))).toBe('/additional/name');
    for (const bad of ['elevenchars', '', 'ä'.repeat(11), 'x'.repeat(1_025), email, email.toUpperCase()]) {
      expect(await pointer(set(initToken, { password: new Secret(bad) }))).toBe('/additional/password');
    }
    // None of these attempts used up the token.
    await expect(set(initToken, { password: new Secret('ä'.repeat(12)) })).resolves.toBeDefined();
  });

  it('a first password may be shorter if the operator allows it', async () => {
    const { initToken } = await invited();
    const lenient = await here.server(here.store, { minPasswordLength: 6 });
    const short = { name: 'S', password: new Secret('sixsix') };
    await expect(
      lenient.initUser({ initToken, acceptTnC: true, additional: short, client }),
    ).resolves.toBeDefined();
  });

  it('only pending users get an initToken', async () => {
    const { auth, change } = here;
    const tokenFor = (serviceId: string) => change((tx) => auth.createInitToken(tx, serviceId));
    await expectProblem(tokenFor('nobody'), 'not-found');
    await expectProblem(tokenFor(await addIdentity(here, 'enabled@example.com', 'ENABLED')), 'conflict');
    await expectProblem(tokenFor(await addIdentity(here, 'saml@example.com', 'PENDING', 'SAML')), 'conflict');
    await expectProblem(tokenFor((await here.tenant('T')).account.serviceId), 'conflict');
  });

  it('errors do not contain the first password', async () => {
    const { initToken } = await invited();
    const problem = await problemOf(set(initToken, { password: new Secret('marker') }));
    expect(JSON.stringify(problem.toDocument()) + String(problem.stack)).not.toContain('marker');
  });
});
