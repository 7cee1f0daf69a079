import { createPublicKey, hash } from 'node:crypto';
import type { Store, Tx } from '@ledger-ops/store';
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import { z } from 'zod';
import { tokenEndpoint } from '../authorize/metadata.ts';
import { credential } from '../credentials.ts';
import { usableIdentity } from '../login/identity-lock.ts';
import type { Timing } from '../timing.ts';
import { OAuthError } from '../tokens/oauth-error.ts';
import { field, type Grant } from './grant.ts';

/** `client_assertion_type` (RFC 7523 §2.2). */
const jwtBearer = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export interface ClientAssertionOptions {
  readonly store: Store;
  readonly issuer: string;
  readonly now: () => number;
  readonly timing: Timing;
}

interface Key extends Record<string, string | number> {
  key_id: number;
  account_id: string;
  service_id: string;
  project_uid: string;
  public_key: string;
}

const maxLength = 8_192;
/**
 * Without a `kid`, only the newest ten keys of the oldest ten accounts with the assertion's account id are tried.
 * Otherwise anyone could slow down the check by creating accounts with this id in other projects.
 */
const accountsOfId = `k.service_id in (
  select s.service_id from service_account s where s.account_id = $1
   order by case when exists (select 1 from app p where p.project_uid = s.project_uid and (p.uid = $2 or p.app_id = $2))
                 then 0 else 1 end, s.id limit 10)
  and k.key_id in (select n.key_id from service_account_key n
                    where n.service_id = k.service_id and n.status = 'ENABLED' order by n.key_id desc limit 10)`;

const claimsOfAssertion = z.object({
  iss: z.string(),
  sub: z.string(),
  exp: z.number(),
  jti: z.string().min(1).max(255),
});

/**
 * `client_credentials` with an assertion (RFC 7523 §2.2 and §3) that a key of a service account signed. `iss`
 * and `sub` are the account's id. Clients that use their `client_id` instead name the key with `kid`.
 */
export function clientAssertion({ store, issuer, now, timing }: ClientAssertionOptions): Grant {
  const [longest, ahead] = [timing.assertion.longest / 1_000, timing.assertion.ahead / 1_000];
  const audience = [tokenEndpoint(issuer), issuer];

  const keysFor = async (assertion: string, clientId: string): Promise<Key[]> => {
    const { kid } = decodeProtectedHeader(assertion);
    const [condition, values] =
      kid === undefined
        ? [accountsOfId, [decodeJwt(assertion).iss ?? '', clientId]]
        : ['k.key_id = $1', [/^\d{1,15}$/.test(kid) ? Number(kid) : -1]];
    return await store.read.all<Key>(
      `select k.key_id, a.account_id, a.service_id, a.project_uid, k.public_key
         from service_account_key k
         join service_account a on a.service_id = k.service_id
         join identity i on i.service_id = a.service_id
        where ${condition} and k.status = 'ENABLED' and ${usableIdentity('i')}
        order by a.id, k.key_id desc`,
      values,
    );
  };

  /**
   * Returns the claims, if this key signed them.
   * @throws OAuthError if they are expired or for another service
   */
  const claimsBy = async (key: Key, assertion: string) => {
    const { payload } = await jwtVerify(assertion, createPublicKey(key.public_key), {
      algorithms: ['RS256'],
      audience,
      requiredClaims: ['iss', 'sub', 'aud', 'exp', 'jti'],
      clockTolerance: ahead,
      currentDate: new Date(now()),
    }).catch(unlessSigned);
    const claims = claimsOfAssertion.safeParse(payload);
    if (!claims.success)
      throw refused(
        'iss, sub and jti must be strings, jti must have at most 255 characters, and exp must be a number.',
      );
    const left = claims.data.exp - now() / 1_000;
    if (left <= 0) throw refused('it has expired.');
    if (left <= longest) return claims.data;
    throw refused(
      `it expires more than ${longest} seconds from now; sign an assertion with a shorter lifetime.`,
    );
  };

  /** Returns false if the assertion was accepted before. */
  const isFirstUse = async (serviceId: string, jti: string, exp: number) => {
    const key = hash('sha256', JSON.stringify([serviceId, jti]), 'hex');
    return await store.transaction(async (tx) => {
      const { clientAssertion: table } = tx.t;
      const added = await tx.db
        .insert(table)
        .values({ key, expiresAt: Math.ceil(exp * 1_000) })
        .onConflictDoNothing()
        .returning({ key: table.key });
      return added.length > 0;
    });
  };

  return {
    secretOf: 'account',
    async prove(form, clients) {
      if (field(form, 'client_assertion_type') !== jwtBearer) {
        throw new OAuthError('invalid_request', `client_assertion_type must be ${jwtBearer}.`);
      }
      const assertion = field(form, 'client_assertion');
      if (assertion.length > maxLength || !(await clients.exist())) return null;
      const clientId = form.get('client_id');
      try {
        const named = decodeProtectedHeader(assertion).kid !== undefined;
        for (const key of await keysFor(assertion, clientId ?? '')) {
          const claims = await claimsBy(key, assertion).catch(unlessForeign);
          if (claims === null) continue;
          const { account_id, service_id, project_uid } = key;
          const mayBe = (name: string) => name === account_id || (named && name === clientId);
          if (!mayBe(claims.sub) || !(claims.iss === claims.sub || claims.iss === account_id)) {
            throw refused('iss and sub must be the id of the account whose key signed the assertion.');
          }
          if ((form.get('service_account') ?? account_id) !== account_id) {
            throw refused('service_account differs from the account whose key signed the assertion.');
          }
          if (!(await isFirstUse(service_id, claims.jti, claims.exp))) {
            throw refused('its jti was already used; sign a new assertion for each request.');
          }
          return {
            serviceId: service_id,
            projectUid: project_uid,
            cred: credential.of('key', String(key.key_id)),
          };
        }
        return null;
      } catch (error) {
        // Not a JWT: jose throws its own errors, or a TypeError while decoding.
        if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
        throw error;
      }
    },
  };
}

/**
 * Describes invalid claims to the client. This reveals nothing to strangers: jose checks the signature first, so
 * the client has proved that it has the key.
 *
 * @throws OAuthError for claims, otherwise the given error
 */
function unlessSigned(error: unknown): never {
  if (error instanceof errors.JWTExpired) throw refused('it has expired.');
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, reason } = error;
    if (reason === 'missing') throw refused(`the claim ${claim} is missing.`);
    if (claim === 'aud') throw refused('aud must be the token endpoint or the issuer.');
    throw refused(claim === 'nbf' ? 'it is not valid yet (nbf).' : `the claim ${claim} is not valid.`);
  }
  throw error;
}

function refused(why: string): OAuthError {
  return new OAuthError('invalid_client', `The signature of the assertion is valid, but ${why}`);
}

function unlessForeign(error: unknown): null {
  if (error instanceof errors.JOSEError) return null;
  throw error;
}

/** Deletes assertions that are old enough to be rejected as expired. */
export async function sweepAssertions(tx: Tx, before: number): Promise<void> {
  await tx.run('delete from client_assertion where expires_at <= $1', [before]);
}
