import type { Secret } from '@ledger-ops/base';
import { type Store, type Tx, uuidv7 } from '@ledger-ops/store';
import { type AccessVersion, bumpAccess } from '../access/access-version.ts';
import { newToken, tokenHash } from '../credentials.ts';
import { endFamilies } from '../grants/refresh-families.ts';
import { usableIdentity } from '../login/identity-lock.ts';
import type { Session } from '../login/types.ts';
import type { AccessState, KnownSession } from '../state.ts';
import { recordChange } from '../timeline/record-change.ts';

/** Sessions in the database. */
export interface Sessions {
  /** Starts a session; the browser's previous one ends. */
  start(serviceId: string, previous: Secret | undefined): Promise<{ session: Secret; expiresAt: number }>;
  find(secret: Secret | undefined): Promise<Session | null>;
  /** Ends a session on the user's request. Refresh tokens issued in it end too. */
  logout(secret: Secret): Promise<void>;
  sweep(tx: Tx): Promise<void>;
}

/** Options of sessions. Lifetimes are in milliseconds. */
export interface SessionsOptions {
  readonly store: Store;
  readonly access: AccessVersion<AccessState>;
  readonly now: () => number;
  readonly idle: number;
  readonly absolute: number;
}

interface Row extends Record<string, string | number | null> {
  id: string;
  service_id: string;
  identifier: string;
  display_name: string | null;
  last_used_at: number;
  expires_at: number;
}

/**
 * Sessions: 32 random bytes in the cookie, their hash in the database. A session is cached until the next
 * change to access, so ending it takes effect immediately on every server. The time of a session's last use
 * is written only occasionally.
 */
export function createSessions({ store, access, now, idle, absolute }: SessionsOptions): Sessions {
  /** Minimum interval between two writes of a session's use, in milliseconds. */
  const written = Math.floor(idle / 20);

  const load = async (hash: string): Promise<KnownSession | null> => {
    const [row] = await store.read.all<Row>(
      `select s.id, s.service_id, s.last_used_at, s.expires_at, i.identifier, i.display_name
         from session s join identity i on i.service_id = s.service_id
        where s.hash = $1 and ${usableIdentity('i')}`,
      [hash],
    );
    if (row === undefined) return null;
    return {
      sessionId: row.id,
      serviceId: row.service_id,
      identifier: row.identifier,
      displayName: row.display_name,
      expiresAt: row.expires_at,
      lastUsedAt: row.last_used_at,
    };
  };

  const record = (tx: Tx, serviceId: string, action: 'login' | 'logout') =>
    recordChange(tx, { serviceId, appId: '' }, serviceId, { action, service: 'access-control' }, now());

  const end = async (secret: Secret, isLogout: boolean) => {
    const hash = tokenHash(secret);
    // An unknown secret must not change anything, not even the counter: a changed counter empties
    // the cache of every server.
    const known = await store.read.all('select id from session where hash = $1', [hash]);
    if (known.length === 0) return;
    await store.transaction(async (tx) => {
      await bumpAccess(tx);
      const ended = await tx.all<{ id: string; service_id: string }>(
        'delete from session where hash = $1 returning id, service_id',
        [hash],
      );
      for (const { id, service_id } of ended) {
        await record(tx, service_id, 'logout');
        await tx.run('delete from authorization_code where session_id = $1 and used_at is null', [id]);
        if (isLogout) await endFamilies(tx, { sessionId: id }, now());
      }
    });
  };

  return {
    async start(serviceId, previous) {
      const session = newToken('session');
      const at = now();
      const expiresAt = at + absolute;
      if (previous !== undefined) await end(previous, false);
      await store.transaction(async (tx) => {
        await tx.db.insert(tx.t.session).values({
          hash: tokenHash(session),
          id: uuidv7(),
          serviceId,
          createdAt: at,
          lastUsedAt: at,
          expiresAt,
        });
        await record(tx, serviceId, 'login');
      });
      return { session, expiresAt };
    },

    async find(secret) {
      if (secret === undefined) return null;
      const hash = tokenHash(secret);
      const state = await access.current();
      const known = await state.sessions.get(hash, () => load(hash));
      if (known === null) return null;
      const at = now();
      if (known.lastUsedAt + idle <= at) {
        // Another server may have recorded a use.
        known.lastUsedAt = (await load(hash))?.lastUsedAt ?? 0;
      }
      if (known.expiresAt <= at || known.lastUsedAt + idle <= at) return null;
      if (known.lastUsedAt + written <= at) {
        known.lastUsedAt = at;
        await store.transaction((tx) =>
          tx.run('update session set last_used_at = $2 where hash = $1 and last_used_at < $2', [hash, at]),
        );
      }
      const { sessionId, serviceId, identifier, displayName, expiresAt } = known;
      return { sessionId, serviceId, identifier, displayName, expiresAt };
    },

    logout: (secret) => end(secret, true),

    async sweep(tx) {
      const at = now();
      await tx.run('delete from session where expires_at <= $1 or last_used_at <= $2', [at, at - idle]);
    },
  };
}
