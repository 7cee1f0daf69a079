import { createHash, randomBytes } from 'node:crypto';
import { Secret } from '@ledger-ops/base';
import { nextId, uuidv7 } from '@ledger-ops/store';
import type { Auth } from '../src/index.ts';
import { formOf, type Installation, type Tenant } from '../src/testing/index.ts';

export const client = { source: '192.0.2.1' };

/** A user and their password. */
export interface User {
  readonly serviceId: string;
  readonly email: string;
  readonly password: Secret;
  login(options?: { previous?: Secret; source?: string; password?: Secret }): ReturnType<Auth['login']>;
}

/** Adds an identity without a password. */
export async function addIdentity(
  { change, clock }: Installation,
  email: string,
  status = 'PENDING',
  type = 'USER',
): Promise<string> {
  const serviceId = uuidv7();
  await change(async (tx) => {
    const times = { createdAt: clock.ms, updatedAt: clock.ms };
    await tx.db.insert(tx.t.identity).values({
      serviceId,
      id: await nextId(tx, 'identity'),
      identifier: email,
      identifierKey: email,
      type,
      status,
      ...times,
    });
  });
  return serviceId;
}

/** Creates a user who has set a password. */
export async function addUser(here: Installation): Promise<User> {
  const email = `user-${randomBytes(6).toString('hex')}@example.com`;
  const password = new Secret(`correct horse ${randomBytes(6).toString('hex')}`);
  const serviceId = await addIdentity(here, email);
  const { initToken } = await here.change((tx) => here.auth.createInitToken(tx, serviceId));
  await here.auth.initUser({ initToken, acceptTnC: true, additional: { name: 'User', password }, client });
  return {
    serviceId,
    email,
    password,
    login: ({ previous, source = client.source, password: other = password } = {}) =>
      here.auth.login({
        username: email,
        password: other,
        client: { source },
        ...(previous === undefined ? {} : { previous }),
      }),
  };
}

export const wrong = new Secret('not the password');
export const redirectUri = 'https://app.example/callback?from=ledger';

/** PKCE values that a client keeps between the two requests. */
export function pkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Returns the parameters of an authorization request; null omits one. */
export function requestOf(
  tenant: Tenant,
  challenge: string,
  changes: Record<string, string | null> = {},
): URLSearchParams {
  return new URLSearchParams([
    ...formOf({
      response_type: 'code',
      client_id: tenant.app.appId,
      redirect_uri: redirectUri,
      state: 'state-1',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...changes,
    }),
  ]);
}

/** Gives consent and returns the code. */
export async function codeFor(
  { auth }: Installation,
  tenant: Tenant,
  session: Secret,
  challenge: string,
): Promise<string> {
  const request = await auth.authorization.read(requestOf(tenant, challenge));
  const target = await auth.authorization.approve(
    request,
    session,
    auth.authorization.csrfToken(request, session),
  );
  return new URL(target).searchParams.get('code') ?? '';
}

/** Returns the token request for the code. */
export function codeForm(
  tenant: Tenant,
  code: string,
  verifier: string,
  changes: Record<string, string | null> = {},
): Map<string, string> {
  return formOf({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    client_id: tenant.app.appId,
    code_verifier: verifier,
    ...changes,
  });
}
