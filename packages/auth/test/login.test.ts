import { Secret } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { beforeAll, expect, it } from 'vitest';
import { expectProblem, type Installation, install, problemOf } from '../src/testing/index.ts';
import { addIdentity, addUser, client, type User, wrong } from './users.ts';

const minute = 60_000;

describeStores('login', (open) => {
  let here: Installation;
  beforeAll(async () => {
    here = await install(await open());
  });
  const statusOf = async (user: User) => {
    const [row] = await here.store.read.all<{ status: string }>(
      'select status from identity where service_id = $1',
      [user.serviceId],
    );
    return row?.status;
  };
  const fail = async (user: User, times: number, source?: string) => {
    for (let i = 0; i < times; i += 1) {
      await expectProblem(
        user.login({ password: wrong, ...(source === undefined ? {} : { source }) }),
        'login-failed',
      );
    }
  };

  it('starts a session for the right password, regardless of upper and lower case in the user name', async () => {
    const { auth, clock } = here;
    const user = await addUser(here);
    const { identity, session, expiresAt } = await user.login();
    expect(identity).toEqual({
      id: expect.any(Number),
      serviceId: user.serviceId,
      identifier: user.email,
      displayName: 'User',
      type: 'USER',
      status: 'ENABLED',
      createdAt: clock.ms,
      updatedAt: clock.ms,
    });
    expect(session.reveal()).toMatch(/^ses_[A-Za-z0-9_-]{43}$/);
    expect(expiresAt).toBe(clock.ms + 12 * 60 * minute);
    expect(await auth.sessionOf(session)).toMatchObject({
      serviceId: user.serviceId,
      identifier: user.email,
    });
    const { password } = user;
    await expect(auth.login({ username: user.email.toUpperCase(), password, client })).resolves.toBeDefined();
  });

  it('accepts a password in any Unicode composition', async () => {
    const { auth, change } = here;
    const serviceId = await addIdentity(here, 'composed@example.com');
    const { initToken } = await change((tx) => auth.createInitToken(tx, serviceId));
    const additional = { name: 'C', password: new Secret('p\u00e4ssw\u00f6rter sind lang') };
    await auth.initUser({ initToken, acceptTnC: true, additional, client });
    const password = new Secret('pa\u0308sswo\u0308rter sind lang');
    await expect(auth.login({ username: 'composed@example.com', password, client })).resolves.toBeDefined();
  });

  it('responds identically to unknown users, wrong passwords, and identities that may not log in', async () => {
    const { auth, change } = here;
    const user = await addUser(here);
    await addIdentity(here, 'pending@example.com');
    await addIdentity(here, 'saml@example.com', 'ENABLED', 'SAML');
    await addIdentity(here, 'nothing-set@example.com', 'ENABLED');
    const [disabled, locked] = [await addUser(here), await addUser(here)];
    await change((tx) => auth.setIdentityStatus(tx, disabled.serviceId, 'DISABLED'));
    await change((tx) =>
      tx.run("update identity set status = 'LOCKED' where service_id = $1", [locked.serviceId]),
    );
    const tenant = await here.tenant('Tenant');
    const attempts = [
      user.login({ password: wrong }),
      user.login({ password: new Secret('') }),
      user.login({ password: new Secret('x'.repeat(1_025)) }),
      disabled.login(),
      locked.login(),
      ...['nobody@example.com', 'pending@example.com', 'saml@example.com', 'nothing-set@example.com', ''].map(
        (username) => auth.login({ username, password: wrong, client }),
      ),
      auth.login({ username: 'x'.repeat(100_000), password: wrong, client }),
      auth.login({ username: tenant.account.accountId, password: tenant.account.apiToken, client }),
    ];
    const problems = await Promise.all(attempts.map(problemOf));
    expect(new Set(problems.map(({ problem }) => problem))).toEqual(new Set(['login-failed']));
    expect(new Set(problems.map(({ message }) => message)).size).toBe(1);
    expect(problems.map(({ status }) => status)).toContain(401);
  });

  it('locks the identity at the tenth failure, refuses even the right password, and unlocks it later', async () => {
    const { clock } = here;
    const user = await addUser(here);
    await fail(user, 9);
    expect(await statusOf(user)).toBe('ENABLED');
    await fail(user, 1);
    expect(await statusOf(user)).toBe('LOCKED');
    const problem = await problemOf(user.login());
    expect([problem.problem, problem.retryAfter]).toEqual(['too-many-requests', 60]);
    clock.ms += minute;
    expect((await user.login()).identity.status).toBe('ENABLED');
    expect(await statusOf(user)).toBe('ENABLED');
    await fail(user, 9);
    await expect(user.login()).resolves.toBeDefined();
  });

  it('a lock gets longer with each further failure, up to an hour, and failures are forgotten after a day', async () => {
    const { clock } = here;
    const user = await addUser(here);
    await fail(user, 10);
    const waits: number[] = [];
    for (let i = 0; i < 9; i += 1) {
      const { retryAfter = 0 } = await problemOf(user.login({ password: wrong }));
      waits.push(retryAfter / 60);
      clock.ms += retryAfter * 1_000;
      await fail(user, 1);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    clock.ms += 25 * 60 * minute;
    await fail(user, 9);
    await expect(user.login()).resolves.toBeDefined();
  });

  it('checks only ten of 100 wrong passwords, even concurrent ones', async () => {
    const user = await addUser(here);
    const problems = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        problemOf(user.login({ password: wrong, source: `198.51.100.${i}` })),
      ),
    );
    const count = (name: string) => problems.filter(({ problem }) => problem === name).length;
    expect([count('login-failed'), count('too-many-requests')]).toEqual([10, 90]);
    await expectProblem(user.login(), 'too-many-requests');
  });

  it('failed logins of nonexistent users are counted like those of existing users', async () => {
    const { auth } = here;
    const username = 'never-existed@example.com';
    const attempt = () =>
      problemOf(auth.login({ username, password: wrong, client: { source: 'elsewhere' } }));
    for (let i = 0; i < 10; i += 1) expect((await attempt()).problem).toBe('login-failed');
    const blocked = await attempt();
    expect([blocked.problem, blocked.retryAfter]).toEqual(['too-many-requests', 60]);
  });

  it('failed logins from unknown sources do not lock a user out of a known source, and do not end sessions and tokens', async () => {
    const { auth } = here;
    const user = await addUser(here);
    const { session } = await user.login({ source: 'home' });
    await fail(user, 10, 'stranger');
    expect(await statusOf(user)).toBe('LOCKED');
    expect(await auth.sessionOf(session)).not.toBeNull();
    await expect(user.login({ source: 'home' })).resolves.toBeDefined();
    await expectProblem(user.login({ source: 'new place' }), 'too-many-requests');
    await fail(user, 10, 'home');
    await expectProblem(user.login({ source: 'home' }), 'too-many-requests');
  });

  it("an administrator's lock takes a user's permissions away, but a lock after failed logins does not", async () => {
    const { auth, change } = here;
    const user = await addUser(here);
    const tenant = await here.tenant('locked');
    const principal = { serviceId: user.serviceId, appUid: tenant.app.uid };
    const granted = async () => {
      // A server with an empty cache.
      const fresh = await here.server();
      return (await fresh.decide(principal, ['project:read'], tenant.projectUid)).result;
    };
    await change((tx) =>
      auth.assignRole(tx, {
        holder: { identity: user.serviceId },
        role: 'viewer',
        resourceUid: tenant.projectUid,
      }),
    );
    await fail(user, 10);
    expect(await statusOf(user)).toBe('LOCKED');
    expect(await granted()).toBe(true);
    await change(async (tx) => {
      await auth.setIdentityStatus(tx, user.serviceId, 'DISABLED');
      await tx.run("update identity set status = 'LOCKED' where service_id = $1", [user.serviceId]);
    });
    expect(await granted()).toBe(false);
  });

  it('refuses a source after a hundred failures with many user names, but not other sources', async () => {
    const { auth, clock } = here;
    const from = (source: string) => (i: number) =>
      problemOf(auth.login({ username: `guess-${source}-${i}`, password: wrong, client: { source } }));
    for (let i = 0; i < 100; i += 1) expect((await from('botnet')(i)).problem).toBe('login-failed');
    const blocked = await from('botnet')(100);
    expect([blocked.problem, blocked.retryAfter]).toEqual(['too-many-requests', 60]);
    const user = await addUser(here);
    await expectProblem(user.login({ source: 'botnet' }), 'too-many-requests');
    await expect(user.login({ source: 'neighbour' })).resolves.toBeDefined();
    clock.ms += minute;
    await expect(user.login({ source: 'botnet' })).resolves.toBeDefined();
  });

  it('a disabled identity stays disabled when its lock expires, and enabling it removes the lock', async () => {
    const { auth, change, clock } = here;
    const user = await addUser(here);
    await fail(user, 10);
    await change((tx) => auth.setIdentityStatus(tx, user.serviceId, 'DISABLED'));
    clock.ms += 120 * minute;
    await auth.sweep();
    expect(await statusOf(user)).toBe('DISABLED');
    await expectProblem(user.login(), 'login-failed');
    await change((tx) => auth.setIdentityStatus(tx, user.serviceId, 'ENABLED'));
    await expect(user.login()).resolves.toBeDefined();
  });

  it('shows an identity as enabled when its lock has expired, even without a login', async () => {
    const { auth, clock } = here;
    const user = await addUser(here);
    await fail(user, 10);
    await auth.sweep();
    expect(await statusOf(user)).toBe('LOCKED');
    clock.ms += minute;
    await auth.sweep();
    expect(await statusOf(user)).toBe('ENABLED');
  });

  it("authenticates a user's password without starting a session", async () => {
    const { auth, store } = here;
    const user = await addUser(here);
    const { email, password } = user;
    const sessions = async () => (await store.read.all('select id from session')).length;
    const before = await sessions();
    const credentials = 'password';
    for (const input of [
      { credentials, username: email, password, client },
      { credentials, username: { value: email }, password: { value: password }, client },
    ]) {
      expect(await auth.authenticateUser(input)).toMatchObject({ serviceId: user.serviceId, type: 'USER' });
    }
    expect(await sessions()).toBe(before);
    await expectProblem(
      auth.authenticateUser({ credentials, username: email, password: wrong, client }),
      'login-failed',
    );
    await expectProblem(
      auth.authenticateUser({ credentials: 'token', username: email, password, client }),
      'invalid-request',
    );
  });

  it('stores passwords as Argon2id hashes with their parameters, and rehashes when the cost is raised', async () => {
    const { auth, store, server } = here;
    const user = await addUser(here);
    const row = async () => {
      const [found] = await store.read.all<{ hash: string; params: string }>(
        'select hash, params from identity_password where service_id = $1',
        [user.serviceId],
      );
      return { hash: found?.hash, params: JSON.parse(found?.params ?? '{}') };
    };
    const before = await row();
    expect(before.params).toEqual({
      algorithm: 'argon2id',
      memory: 64,
      passes: 1,
      parallelism: 1,
      salt: expect.stringMatching(/^[A-Za-z0-9+/]{22}==$/),
    });
    await user.login();
    expect(await row()).toEqual(before);
    const dearer = await server(store, { passwordCost: { memory: 128, passes: 2, parallelism: 1 } });
    const { email: username, password } = user;
    await dearer.login({ username, password, client });
    const after = await row();
    expect(after.params).toMatchObject({ memory: 128, passes: 2 });
    expect(after.hash).not.toBe(before.hash);
    for (const each of [auth, dearer]) await each.login({ username, password, client });
  });

  it('a login takes as long for an unknown user as for a wrong password', async () => {
    const slow = await here.server(here.store, {
      passwordCost: { memory: 19_456, passes: 2, parallelism: 1 },
    });
    const serviceId = await addIdentity(here, 'timed@example.com');
    const { initToken } = await here.change((tx) => slow.createInitToken(tx, serviceId));
    const additional = { name: 'T', password: new Secret('a long enough password') };
    await slow.initUser({ initToken, acceptTnC: true, additional, client });
    // Processor time including hashing threads, so that a busy machine does not matter.
    const time = async (username: string) => {
      const before = process.cpuUsage();
      await expectProblem(
        slow.login({ username, password: wrong, client: { source: 'timer' } }),
        'login-failed',
      );
      return process.cpuUsage(before).user;
    };
    const [known, unknown]: [number[], number[]] = [[], []];
    for (let i = 0; i < 7; i += 1) {
      known.push(await time('timed@example.com'));
      unknown.push(await time(`unknown-${i}@example.com`));
    }
    // Without the hash, an unknown user would take a tenth of the time.
    const ratio = median(unknown) / median(known);
    expect(ratio).toBeGreaterThan(0.5);
    expect(ratio).toBeLessThan(2);
  });

  it('serialized logins and their errors contain neither passwords nor session secrets', async () => {
    const { auth } = here;
    const user = await addUser(here);
    const marker = new Secret('marker-of-a-password');
    const problem = await problemOf(auth.login({ username: 'marker-name', password: marker, client }));
    expect(JSON.stringify(problem.toDocument()) + String(problem.stack)).not.toContain('marker-');
    expect(JSON.stringify(await user.login())).not.toContain('ses_');
  });
});

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
