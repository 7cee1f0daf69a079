import type { Secret } from '@ledger-ops/base';
import type { Store, Tx } from '@ledger-ops/store';
import { newToken, tokenHash } from '../credentials.ts';
import { usableIdentity } from '../login/identity-lock.ts';
import { serviceItself } from '../timeline/record-activity.ts';
import { recordChange } from '../timeline/record-change.ts';
import type { Timing } from '../timing.ts';
import { revokeFamily } from './refresh-families.ts';

/** A family of refresh tokens: all tokens that descend from one authorization code. */
export interface RefreshFamily {
  /** Id of its authorization code. */
  readonly id: string;
  readonly serviceId: string;
  readonly appUid: string;
}

/** Refresh tokens of users' applications: 32 random bytes, stored as a hash, each valid for one use. */
export interface RefreshTokens {
  /** Issues the first token of a family, in the transaction that uses up its code. */
  begin(tx: Tx, family: RefreshFamily & { readonly sessionId: string }): Promise<Secret>;
  /**
   * Exchanges a token for its successor. A second use, concurrent or later, revokes the family: if two
   * parties have the same token, one of them stole it.
   *
   * @param isApp whether the request comes from this application
   * @returns null if the token is unknown, expired, used, revoked or belongs to another application
   */
  rotate(
    token: Secret,
    isApp: (appUid: string) => Promise<boolean>,
  ): Promise<(RefreshFamily & { readonly next: Secret }) | null>;
  /** Returns the family of a token, used or not. */
  familyOf(token: Secret): Promise<(RefreshFamily & { readonly appId: string }) | null>;
  sweep(tx: Tx): Promise<void>;
}

/** Options of refresh tokens; lifetimes in milliseconds. */
export interface RefreshTokensOptions {
  readonly store: Store;
  readonly now: () => number;
  /** Lifetime of a family from the issue of its code on, regardless of how often it is refreshed. */
  readonly absolute: number;
  /** Lifetime of an unused token. */
  readonly idle: number;
  /** Lifetime of access tokens, and time for which families are kept after they end. */
  readonly tokenLifetime: number;
  readonly timing: Timing;
}

export function createRefreshTokens(options: RefreshTokensOptions): RefreshTokens {
  const { store, now, absolute, idle, tokenLifetime, timing } = options;

  const add = async (tx: Tx, familyId: string, end: number): Promise<Secret> => {
    const token = newToken('refresh');
    const expiresAt = Math.min(end, now() + idle);
    await tx.db.insert(tx.t.refreshToken).values({ hash: tokenHash(token), familyId, expiresAt });
    return token;
  };

  const familyOf: RefreshTokens['familyOf'] = async (token) => {
    const [row] = await store.read.all<{ id: string; service_id: string; app_uid: string; app_id: string }>(
      `select f.id, f.service_id, f.app_uid, a.app_id
         from refresh_token t join refresh_family f on f.id = t.family_id join app a on a.uid = f.app_uid
        where t.hash = $1`,
      [tokenHash(token)],
    );
    if (row === undefined) return null;
    return { id: row.id, serviceId: row.service_id, appUid: row.app_uid, appId: row.app_id };
  };

  return {
    async begin(tx, { id, serviceId, appUid, sessionId }) {
      const at = now();
      const expiresAt = at + absolute;
      await tx.db
        .insert(tx.t.refreshFamily)
        .values({ id, appUid, serviceId, sessionId, createdAt: at, expiresAt });
      return await add(tx, id, expiresAt);
    },

    async rotate(token, isApp) {
      // The token is read before the transaction, so that a guess does not cause a write, and an application cannot
      // use up another application's token.
      const known = await familyOf(token);
      if (known === null || !(await isApp(known.appUid))) return null;
      const hash = tokenHash(token);
      return await store.transaction(async (tx) => {
        const used = await tx.run(
          `update refresh_token set used_at = $2
            where hash = $1 and used_at is null and expires_at > $2
              and exists (select 1 from refresh_family f join identity i on i.service_id = f.service_id
                           where f.id = refresh_token.family_id and f.ended_at is null and f.revoked_at is null
                             and f.expires_at > $2
                             and ${usableIdentity('i')})`,
          [hash, now()],
        );
        const { id, serviceId, appUid } = known;
        if (used > 0) {
          const [family] = await tx.all<{ expires_at: number }>(
            'select expires_at from refresh_family where id = $1',
            [id],
          );
          return { id, serviceId, appUid, next: await add(tx, id, family?.expires_at ?? 0) };
        }
        const reused = await tx.all(
          'select hash from refresh_token where hash = $1 and used_at is not null',
          [hash],
        );
        if (reused.length > 0 && (await revokeFamily(tx, id, now()))) {
          const change = { action: 'reuse-refresh-token', service: 'access-control' } as const;
          await recordChange(tx, serviceItself, serviceId, { ...change, targetObject: known.appId }, now());
        }
        return null;
      });
    },

    familyOf,

    async sweep(tx) {
      await tx.run('delete from refresh_token where expires_at <= $1', [now() - timing.clocks]);
      await tx.run('delete from refresh_family where expires_at <= $1', [
        now() - tokenLifetime - timing.clocks,
      ]);
    },
  };
}
