import type { Auth, Principal } from '@ledger-ops/auth';
import { invalidRequest, type Paging, Problem, type Secret } from '@ledger-ops/base';
import type { Registry } from '@ledger-ops/registry';
import { type IdempotencyClaim, listPage, readJson, type Store } from '@ledger-ops/store';
import { and, eq } from 'drizzle-orm';
import { problemFrom } from '../adapter-problem.ts';
import { Signers } from '../keys/signers.ts';
import type { Vault } from '../keys/vault.ts';
import type { Ledgers } from '../ledgers.ts';
import type { Log } from '../log.ts';
import type { Page } from '../page.ts';
import { readUnknown } from '../rows/unknown-transactions.ts';
import { createWallet, type WalletContext } from './create-wallet.ts';
import { beginExclusive, type KnownHistory, knownHistoryOf } from './known-history.ts';
import { passwordFault } from './parameters.ts';
import { recordWallet } from './record-wallet.ts';
import type { CreateWalletRequest, WalletDetails, WalletExport, WalletRow, WalletView } from './types.ts';
import { visibleWallets } from './visible.ts';
import { certificateOf, WalletReader, walletSortKeys, walletView } from './wallet-rows.ts';

export interface WalletsOptions {
  store: Store;
  auth: Pick<Auth, 'decide' | 'demand' | 'isTaken' | 'registerResource'>;
  registry: Pick<Registry, 'ledgerByLedgerId'>;
  ledgers: Pick<Ledgers, 'open'>;
  vault: Vault;
  log: Log;
  signers?: Signers;
  /** Returns milliseconds since the epoch. Default: the system's clock. */
  now?: () => number;
  /** Minimum length of a wallet password in characters. Default: 12. */
  minPasswordLength?: number;
}

/**
 * The wallet service.
 *
 * Contains the drafts of wallets that this server is creating, so that no wallet is created twice.
 */
export class Wallets {
  readonly #context: WalletContext;
  readonly #reader: WalletReader;

  constructor(options: WalletsOptions) {
    const { now = Date.now, minPasswordLength = 12, signers = new Signers() } = options;
    this.#context = { ...options, now, minPasswordLength, signers, busy: new Set() };
    this.#reader = new WalletReader(options.store);
  }

  /**
   * Returns a wallet's row if the caller has the permission on the wallet. @throws Problem `not-found`, `not-permitted`
   */
  async demand(principal: Principal, permission: `wallet:${string}`, walletId: string): Promise<WalletRow> {
    const row = await this.#reader.read(principal.projectUid, walletId);
    if (row === null) throw notFound(walletId);
    await this.#context.auth.demand(principal, permission, row.uid).catch((error: unknown) => {
      // A caller that may not see a wallet gets the same error as for a wallet that never existed.
      throw error instanceof Problem && error.problem === 'not-found' ? notFound(walletId) : error;
    });
    return row;
  }

  async create(
    principal: Principal,
    request: CreateWalletRequest,
    claim?: IdempotencyClaim,
  ): Promise<WalletView> {
    const view = await createWallet(principal, request, claim, this.#context);
    this.#context.log('info', 'wallet.created', { walletId: view.walletId, ledgerId: view.ledgerId });
    return view;
  }

  async list(
    principal: Principal,
    { ledgerId, ...query }: Paging & { ledgerId?: string },
  ): Promise<Page<WalletView>> {
    const table = this.#context.store.read.t.wallet;
    const visible = await visibleWallets(this.#context.store.read, this.#context.auth, principal);
    const { items, total } = await listPage(
      this.#context.store.read,
      {
        table,
        without: ['material', 'aliases', 'sealedSecret', 'sealedDataKey'],
        where: and(visible, ledgerId === undefined ? undefined : eq(table.ledgerId, ledgerId)),
        columns: walletSortKeys(table),
        created: table.createdAt,
        tieBreaker: table.uid,
      },
      query,
    );
    return { items: items.map(walletView), total };
  }

  /** Returns a wallet with its balance in the smallest unit. @throws Problem `not-found`, `ledger-unavailable` */
  async get(principal: Principal, walletId: string): Promise<WalletDetails> {
    const row = await this.demand(principal, 'wallet:read', walletId);
    return {
      ...walletView(row),
      balance: await this.#balanceOf(row),
      aliases: readJson<string[]>(row.aliases) ?? [],
      certificate: certificateOf(row),
    };
  }

  /**
   * Exports the key: as a V3 keystore (secp256k1) or PEM (p256), encrypted with the password, or as a key pair that is
   * not encrypted (ed25519). Requires `wallet:export`.
   */
  async export(principal: Principal, walletId: string, password: Secret): Promise<WalletExport> {
    const row = await this.demand(principal, 'wallet:export', walletId);
    const { keyType } = row;
    if (keyType === null) {
      const detail = `The ledger's plugin keeps the key of the wallet ${walletId}, so this service cannot export it.`;
      throw new Problem('unsupported-operation', detail);
    }
    const secret = await this.#context.vault.openSecret(row, password, principal);
    try {
      const written = await this.#context.vault.inTurn(principal, () =>
        this.#context.signers.write(keyType, secret, password),
      );
      // The export is recorded before the key is returned.
      await this.#context.store.transaction((tx) =>
        recordWallet(tx, principal, 'export', row, this.#context.now()),
      );
      this.#context.log('info', 'wallet.exported', { walletId, ledgerId: row.ledgerId });
      const certificate = certificateOf(row)?.pem;
      return {
        ...written,
        ...(certificate === undefined ? {} : { certificate }),
      };
    } finally {
      secret.fill(0);
    }
  }

  async changePassword(principal: Principal, walletId: string, from: Secret, to: Secret): Promise<void> {
    const row = await this.demand(principal, 'wallet:update', walletId);
    const fault = passwordFault(to, this.#context.minPasswordLength);
    if (fault !== null) throw invalidRequest([{ pointer: '/newPassword', detail: fault }]);
    const sealed = await this.#context.vault.reseal(row, from, to, principal);
    const changed = await this.#context.store.transaction(async (tx) => {
      const at = this.#context.now();
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
        `Another request changed the password of the wallet ${walletId} at the same time. Try again with the new password.`,
      );
    }
    this.#context.log('info', 'wallet.password-changed', { walletId, ledgerId: row.ledgerId });
  }

  /**
   * Sets whether only this installation signs with the key. Transactions that are on the ledger now count as known.
   * @throws Problem `unsupported-operation` if the plugin of the ledger holds the key, `ledger-unavailable`, `conflict`
   * if the wallet has unknown transactions, because later ones must still be found
   */
  async setExclusive(principal: Principal, walletId: string, exclusive: boolean): Promise<WalletView> {
    const row = await this.demand(principal, 'wallet:update', walletId);
    if (exclusive && row.keyType === null) {
      const detail = `The ledger's plugin keeps the key of the wallet ${walletId}, so the wallet cannot be exclusive.`;
      throw new Problem('unsupported-operation', detail);
    }
    const value = exclusive ? 1 : 0;
    const known = exclusive ? await this.#knownHistoryOf(row) : null;
    await this.#context.store.transaction(async (tx) => {
      const at = this.#context.now();
      const changed = await tx.run(
        'UPDATE wallet SET exclusive = $1, updated_at = $2 WHERE uid = $3 AND exclusive <> $1',
        [value, at, row.uid],
      );
      if (changed === 0) return;
      if (exclusive && (await readUnknown(tx, row)).length > 0) throw hasUnknown(walletId);
      if (known !== null) await beginExclusive(tx, row, known);
      const changes = [{ name: 'exclusive', from: String(!exclusive), to: String(exclusive) }];
      await recordWallet(tx, principal, 'update', row, at, changes);
    });
    return walletView({ ...row, exclusive: value });
  }

  async #knownHistoryOf({ ledgerUid, projectId, address }: WalletRow): Promise<KnownHistory | null> {
    const open = await this.#context.ledgers.open(ledgerUid, { projectUid: projectId });
    return knownHistoryOf(this.#context.store, open, address, false);
  }

  async #balanceOf(row: WalletRow): Promise<bigint | null> {
    const { definition, session } = await this.#context.ledgers.open(row.ledgerUid, {
      projectUid: row.projectId,
    });
    if (!definition.capabilities.balance) return null;
    const [balance] = await session.balances([row.address]).catch((error: unknown) => {
      throw problemFrom(error);
    });
    return balance ?? null;
  }
}

function notFound(walletId: string): Problem {
  return new Problem('not-found', `The wallet ${walletId} does not exist or is not visible to you.`);
}

function hasUnknown(walletId: string): Problem {
  const detail = `The wallet ${walletId} has unknown transactions (on the ledger, but not in the service's database). Mark each matching action as executed, release it or cancel it; then resume the wallet.`;
  return new Problem('conflict', detail);
}
