import { type Argon2Cost, type FairQueue, invalidRequest, Problem } from '@ledger-ops/base';
import type { Store, Tx } from '@ledger-ops/store';
import { bumpAccess } from '../access-version.ts';
import { checkName } from '../chosen-id.ts';
import { newToken, tokenHash } from '../credentials.ts';
import { hashPassword } from '../passwords/password-hash.ts';
import { checkNewPassword } from '../passwords/password-rules.ts';
import { recordChange } from '../timeline/record-change.ts';
import type { SignIn } from './types.ts';

/** What the first password of a user needs. */
export interface InitUserOptions {
  readonly store: Store;
  readonly queue: FairQueue;
  readonly cost: Argon2Cost;
  readonly minPasswordLength: number;
  /** Milliseconds that a token can be used. */
  readonly lifetime: number;
  readonly now: () => number;
}

/** The two operations by which an invited user gets in. */
export function createInitUser(options: InitUserOptions): Pick<SignIn, 'createInitToken' | 'initUser'> {
  const { store, queue, cost, minPasswordLength, lifetime, now } = options;

  return {
    async createInitToken(tx, serviceId) {
      const [row] = await tx.all<{ type: string; status: string }>(
        'select type, status from identity where service_id = $1',
        [serviceId],
      );
      if (row === undefined) throw new Problem('not-found', 'There is no such identity.');
      if (row.type !== 'USER' || row.status !== 'PENDING') {
        throw new Problem('conflict', 'Only a PENDING user sets its first password.');
      }
      const initToken = newToken('init');
      const at = now();
      const values = { hash: tokenHash(initToken), createdAt: at, expiresAt: at + lifetime };
      const { initToken: table } = tx.t;
      await tx.db
        .insert(table)
        .values({ serviceId, ...values })
        .onConflictDoUpdate({ target: table.serviceId, set: values });
      return { initToken, expiresAt: values.expiresAt };
    },

    async initUser({ initToken, acceptTnC, additional, client }) {
      if (!acceptTnC) {
        throw invalidRequest([
          { pointer: '/acceptTnC', detail: 'the terms and conditions must be accepted' },
        ]);
      }
      const name = checkName(additional.name, '/additional/name');
      const tokensHash = tokenHash(initToken);
      // Before anything costly is done; what counts is the look inside of the transaction.
      const [known] = await store.read.all<{ identifier: string }>(
        `select i.identifier from init_token t join identity i on i.service_id = t.service_id
          where t.hash = $1 and t.expires_at > $2 and i.status = 'PENDING'`,
        [tokensHash, now()],
      );
      if (known === undefined) throw unusable();
      checkNewPassword(additional.password, known.identifier, minPasswordLength, '/additional/password');
      const stored = await queue.run(client.source, () => hashPassword(additional.password, cost));
      return await store.transaction(async (tx) => {
        await bumpAccess(tx);
        const at = now();
        const [used] = await tx.all<{ service_id: string }>(
          'delete from init_token where hash = $1 and expires_at > $2 returning service_id',
          [tokensHash, at],
        );
        if (used === undefined) throw unusable();
        const serviceId = used.service_id;
        const [user] = await tx.all<{ identifier: string }>(
          `update identity set status = 'ENABLED', display_name = $2, updated_at = $3
            where service_id = $1 and status = 'PENDING' and type = 'USER' returning identifier`,
          [serviceId, name, at],
        );
        if (user === undefined) throw unusable();
        const { identityPassword } = tx.t;
        await tx.db
          .insert(identityPassword)
          .values({ serviceId, ...stored, updatedAt: at })
          .onConflictDoUpdate({ target: identityPassword.serviceId, set: { ...stored, updatedAt: at } });
        const change = { action: 'init-user', service: 'access-control' } as const;
        await recordChange(tx, { serviceId, appId: '' }, serviceId, change, at);
        return { email: user.identifier };
      });
    },
  };
}

/** Tokens that nobody used in time. */
export async function sweepInitTokens(tx: Tx, now: number): Promise<void> {
  await tx.run('delete from init_token where expires_at <= $1', [now]);
}

function unusable(): Problem {
  return invalidRequest([
    { pointer: '/initToken', detail: 'is unknown, used or expired; ask for a new invitation' },
  ]);
}
