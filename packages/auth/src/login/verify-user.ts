import { type Argon2Cost, type FairQueue, Problem, type Secret } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { identifierKey } from '../identifier.ts';
import { hashPassword, isOutdated, isPassword, nobodysPassword } from '../passwords/password-hash.ts';
import { isBearable } from '../passwords/password-rules.ts';
import { lockForFailures, unlockAfterFailures, usableIdentity } from './identity-lock.ts';
import type { Throttle } from './throttle.ts';
import type { ClientInfo, UserIdentity } from './types.ts';

/** Returns the identity with this user name and password. */
export type VerifyUser = (username: string, password: Secret, client: ClientInfo) => Promise<UserIdentity>;

export interface VerifyUserOptions {
  readonly store: Store;
  readonly queue: FairQueue;
  readonly throttle: Throttle;
  readonly cost: Argon2Cost;
  readonly now: () => number;
}

interface Row extends Record<string, string | number | null> {
  service_id: string;
  id: number;
  identifier: string;
  display_name: string | null;
  status: string;
  created_at: number;
  updated_at: number;
  usable: number;
  hash: string | null;
  params: string | null;
}

/**
 * Creates a function that checks a password. Unknown users, wrong passwords, and identities that may not log
 * in cause the same work and the same response.
 *
 * @throws (the function) Problem `login-failed`, `too-many-requests` with `retryAfter`
 */
export function createVerifyUser(options: VerifyUserOptions): VerifyUser {
  const { store, queue, throttle, cost, now } = options;
  const nobody = nobodysPassword(cost);

  return (username, password, client) =>
    queue.run([client.source], async () => {
      // Longer values cannot be valid; they are refused without a lookup.
      const bearable = isBearable(password) && username.length <= 320;
      const name = bearable ? username : username.slice(0, 320);
      const attempt = await store.transaction((tx) => throttle.begin(tx, name, client.source));
      const row = bearable ? await load(store, name) : undefined;
      const stored =
        row === undefined || row.hash === null || row.params === null
          ? undefined
          : { hash: row.hash, params: row.params };
      const matches = bearable && (await isPassword(password, stored ?? nobody));
      if (!matches || row === undefined || stored === undefined || row.usable !== 1) {
        const { lock } = attempt;
        if (lock !== null) {
          // These statements also run for users that do not exist, so that both cases take the same time.
          const serviceId = row?.service_id ?? '';
          await store.transaction((tx) => lockForFailures(tx, serviceId, lock, attempt.at));
        }
        throw loginFailed();
      }
      const serviceId = row.service_id;
      const renewed = isOutdated(stored, cost) ? await hashPassword(password, cost) : undefined;
      const unlocks = attempt.keys.counted === attempt.keys.user;
      await store.transaction(async (tx) => {
        await throttle.succeed(tx, attempt);
        if (unlocks) await unlockAfterFailures(tx, serviceId, now());
        if (renewed === undefined) return;
        await tx.run(
          'update identity_password set hash = $2, params = $3, updated_at = $4 where service_id = $1 and hash = $5',
          [serviceId, renewed.hash, renewed.params, now(), stored.hash],
        );
      });
      return {
        id: row.id,
        serviceId,
        identifier: row.identifier,
        displayName: row.display_name,
        type: 'USER',
        status: row.status === 'LOCKED' && !unlocks ? 'LOCKED' : 'ENABLED',
        createdAt: row.created_at,
        updatedAt: row.updated_at,
      };
    });
}

async function load(store: Store, username: string): Promise<Row | undefined> {
  const rows = await store.read.all<Row>(
    `select i.service_id, i.id, i.identifier, i.display_name, i.status, i.created_at, i.updated_at, p.hash, p.params,
            case when ${usableIdentity('i')} then 1 else 0 end as usable
       from identity i left join identity_password p on p.service_id = i.service_id
      where i.identifier_key = $1 and i.type = 'USER'`,
    [identifierKey(username)],
  );
  return rows[0];
}

function loginFailed(): Problem {
  return new Problem(
    'login-failed',
    'The user name or password is wrong, or this user cannot log in at the moment.',
  );
}
