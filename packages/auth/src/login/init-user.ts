import { type Argon2Cost, type FairQueue, invalidRequest, Problem } from '@ledger-ops/base';
import type { Store, Tx } from '@ledger-ops/store';
import { bumpAccess } from '../access/access-version.ts';
import { checkName } from '../chosen-id.ts';
import { newToken, tokenHash } from '../credentials.ts';
import { revokeFamiliesOf } from '../grants/refresh-families.ts';
import { hashPassword } from '../passwords/password-hash.ts';
import { checkNewPassword } from '../passwords/password-rules.ts';
import { recordChange } from '../timeline/record-change.ts';
import type { FirstPasswordProof, SignIn } from './types.ts';

export interface InitUserOptions {
  readonly store: Store;
  readonly queue: FairQueue;
  readonly cost: Argon2Cost;
  readonly minPasswordLength: number;
  /** Milliseconds for which a token can be used. */
  readonly lifetime: number;
  readonly now: () => number;
}

/** Operations to set a user's first password. */
export function createInitUser(
  options: InitUserOptions,
): Pick<SignIn, 'createInitToken' | 'initUser' | 'setFirstPassword'> {
  const { store, queue, cost, minPasswordLength, lifetime, now } = options;

  const setFirstPassword: SignIn['setFirstPassword'] = async (proof, { acceptTnC, additional, client }) => {
    if (!acceptTnC) {
      throw invalidRequest([{ pointer: '/acceptTnC', detail: 'the terms and conditions must be accepted' }]);
    }
    const name = checkName(additional.name, '/additional/name');
    // A cheap check before the expensive hashing; the check in the transaction is decisive.
    const address = await proof.look();
    checkNewPassword(additional.password, address, minPasswordLength, '/additional/password');
    const stored = await queue.run([client.source], () => hashPassword(additional.password, cost));
    return await store.transaction(async (tx) => {
      await bumpAccess(tx);
      const at = now();
      const serviceId = await proof.use(tx);
      const [user] = await tx.all<{ identifier: string }>(
        `update identity set status = 'ENABLED', display_name = $2, updated_at = $3
          where service_id = $1 and status = 'PENDING' and type = 'USER' returning identifier`,
        [serviceId, name, at],
      );
      if (user === undefined) throw unusableInitToken();
      // Invalidates the user's other init tokens.
      await tx.run('delete from init_token where service_id = $1', [serviceId]);
      const { identityPassword } = tx.t;
      await tx.db
        .insert(identityPassword)
        .values({ serviceId, ...stored, updatedAt: at })
        .onConflictDoUpdate({ target: identityPassword.serviceId, set: { ...stored, updatedAt: at } });
      // Revokes tokens that applications got before the new password.
      await revokeFamiliesOf(tx, serviceId, at);
      const change = { action: 'init-user', service: 'access-control' } as const;
      await recordChange(tx, { serviceId, appId: '' }, serviceId, change, at);
      return { email: user.identifier };
    });
  };

  return {
    async createInitToken(tx, serviceId) {
      const [row] = await tx.all<{ type: string; status: string }>(
        'select type, status from identity where service_id = $1',
        [serviceId],
      );
      if (row === undefined) throw new Problem('not-found', 'The identity does not exist.');
      if (row.type !== 'USER' || row.status !== 'PENDING') {
        throw new Problem('conflict', 'Only a PENDING user can set a first password.');
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

    initUser({ initToken, ...input }) {
      const hash = tokenHash(initToken);
      const proof: FirstPasswordProof = {
        async look() {
          const [known] = await store.read.all<{ identifier: string }>(
            `select i.identifier from init_token t join identity i on i.service_id = t.service_id
              where t.hash = $1 and t.expires_at > $2 and i.status = 'PENDING'`,
            [hash, now()],
          );
          if (known === undefined) throw unusableInitToken();
          return known.identifier;
        },
        async use(tx) {
          const [used] = await tx.all<{ service_id: string }>(
            'delete from init_token where hash = $1 and expires_at > $2 returning service_id',
            [hash, now()],
          );
          if (used === undefined) throw unusableInitToken();
          return used.service_id;
        },
      };
      return setFirstPassword(proof, input);
    },

    setFirstPassword,
  };
}

/** Deletes expired init tokens. */
export async function sweepInitTokens(tx: Tx, now: number): Promise<void> {
  await tx.run('delete from init_token where expires_at <= $1', [now]);
}

/** One error for all cases, because the response must not reveal the cause. */
export function unusableInitToken(): Problem {
  return invalidRequest([
    {
      pointer: '/initToken',
      detail: 'is unknown, used or expired; log in if you have a password, or ask for a new invitation',
    },
  ]);
}
