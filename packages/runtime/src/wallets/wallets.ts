import type { Auth } from '@ledger-ops/auth';
import { invalidRequest, Problem } from '@ledger-ops/base';
import type { Registry } from '@ledger-ops/registry';
import { listPage, readJson, type Store } from '@ledger-ops/store';
import { and, eq } from 'drizzle-orm';
import { problemFrom } from '../adapter-problem.ts';
import { createSigners, type Signers } from '../keys/signers.ts';
import type { WalletVault } from '../keys/vault.ts';
import type { Log } from '../log.ts';
import type { Ledgers } from '../open-ledger.ts';
import { createWallet } from './create-wallet.ts';
import { passwordFault } from './parameters.ts';
import { recordWallet } from './record-wallet.ts';
import type { WalletRow, Wallets } from './types.ts';
import { visibleWallets } from './visible.ts';
import { certificateOf, readWallet, walletView } from './wallet-rows.ts';

export interface WalletsOptions {
  store: Store;
  auth: Pick<Auth, 'decide' | 'demand' | 'isTaken' | 'registerResource'>;
  registry: Pick<Registry, 'ledgerByLedgerId'>;
  ledgers: Pick<Ledgers, 'open'>;
  vault: WalletVault;
  log: Log;
  signers?: Signers;
  /** Milliseconds since the epoch; the system's clock unless given. */
  now?: () => number;
  /** Characters; default 12. */
  minPasswordLength?: number;
}

/** Makes the wallet service. */
export function createWallets(options: WalletsOptions): Wallets {
  const { store, auth, registry, ledgers, vault, log } = options;
  const now = options.now ?? Date.now;
  const minPasswordLength = options.minPasswordLength ?? 12;
  const signers = options.signers ?? createSigners();
  const busy = new Set<string>();
  const context = { store, auth, registry, ledgers, vault, signers, now, minPasswordLength, busy };

  const demand: Wallets['demand'] = async (principal, permission, walletId) => {
    const row = await readWallet(store, principal.projectUid, walletId);
    if (row === null) throw notFound(walletId);
    await auth.demand(principal, permission, row.uid).catch((error: unknown) => {
      // One that the caller may not see is not there, in the same words as one that never was.
      throw error instanceof Problem && error.problem === 'not-found' ? notFound(walletId) : error;
    });
    return row;
  };

  async function balanceOf(row: WalletRow): Promise<bigint | null> {
    const { definition, session } = await ledgers.open(row.ledgerUid, { projectUid: row.projectId });
    if (!definition.capabilities.balance) return null;
    const [balance] = await session.balances([row.address]).catch((error: unknown) => {
      throw problemFrom(error);
    });
    return balance ?? null;
  }

  return {
    demand,

    async create(principal, request, claim) {
      const view = await createWallet(principal, request, claim, context);
      log('info', 'wallet.created', { walletId: view.walletId, ledgerId: view.ledgerId });
      return view;
    },

    async list(principal, { ledgerId, ...query }) {
      const table = store.read.t.wallet;
      const visible = await visibleWallets(store.read, auth, principal);
      const { items, total } = await listPage(
        store.read,
        {
          table,
          where: and(visible, ledgerId === undefined ? undefined : eq(table.ledgerId, ledgerId)),
          columns: {
            walletId: table.walletId,
            walletAddress: table.address,
            ledgerId: table.ledgerId,
            keyType: table.keyType,
            createdAt: table.createdAt,
          },
          created: table.createdAt,
          tieBreaker: table.uid,
        },
        query,
      );
      return { items: items.map(walletView), total };
    },

    async get(principal, walletId) {
      const row = await demand(principal, 'wallet:read', walletId);
      return {
        ...walletView(row),
        balance: await balanceOf(row),
        aliases: readJson<string[]>(row.aliases) ?? [],
        certificate: certificateOf(row),
      };
    },

    async export(principal, walletId, password) {
      const row = await demand(principal, 'wallet:export', walletId);
      if (row.keyType === 'remote') {
        const detail = `The key of the wallet ${walletId} is not here: the ledger's plugin keeps it.`;
        throw new Problem('unsupported-operation', detail);
      }
      const secret = await vault.openSecret(row, password, principal);
      try {
        const written = await vault.inTurn(principal, () => signers.write(row.keyType, secret, password));
        // Before the key leaves.
        await store.transaction((tx) => recordWallet(tx, principal, 'export', row, now()));
        log('info', 'wallet.exported', { walletId, ledgerId: row.ledgerId });
        const certificate = certificateOf(row)?.pem;
        return {
          ...written,
          ...(certificate === undefined ? {} : { certificate }),
        };
      } finally {
        secret.fill(0);
      }
    },

    async changePassword(principal, walletId, from, to) {
      const row = await demand(principal, 'wallet:update', walletId);
      const fault = passwordFault(to, minPasswordLength);
      if (fault !== null) throw invalidRequest([{ pointer: '/newPassword', detail: fault }]);
      const sealed = await vault.reseal(row, from, to, principal);
      const changed = await store.transaction(async (tx) => {
        const at = now();
        const rows = await tx.run(
          'UPDATE wallet SET sealed_data_key = $1, kdf = $2, key_version = $3, updated_at = $4 WHERE uid = $5 AND key_version = $6',
          [sealed.sealedDataKey, sealed.kdf, sealed.keyVersion, at, row.uid, row.keyVersion],
        );
        if (rows > 0) await recordWallet(tx, principal, 'change-password', row, at);
        return rows;
      });
      if (changed === 0) {
        throw new Problem(
          'conflict',
          `The password of the wallet ${walletId} was changed at the same moment.`,
        );
      }
      log('info', 'wallet.password-changed', { walletId, ledgerId: row.ledgerId });
    },
  };
}

function notFound(walletId: string): Problem {
  return new Problem('not-found', `There is no wallet ${walletId} that you may see.`);
}
