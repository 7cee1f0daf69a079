import type { Principal } from '@ledger-ops/auth';
import { invalidRequest, Problem } from '@ledger-ops/base';
import { problemFrom } from '../adapter-problem.ts';
import type { Catalogue } from '../catalogue.ts';
import type { Engine } from '../engine/engine.ts';
import type { EmulateActionRequest, EmulatedAction, Ledgers, WalletRow, Wallets } from '../types.ts';
import { walletIdentity } from '../wallets/wallet-rows.ts';
import { adapterPointer } from './pointers.ts';
import { notFoundAt, type Resolver } from './resolve.ts';

export interface EmulatorOptions {
  catalogue: Catalogue;
  ledgers: Ledgers;
  wallets: Wallets;
  resolver: Resolver;
  engine: Engine;
}

export type Emulator = (principal: Principal, request: EmulateActionRequest) => Promise<EmulatedAction>;

/** What an operation would do now, and what it would cost; nothing is signed or sent. */
export function createEmulator({ catalogue, ledgers, wallets, resolver, engine }: EmulatorOptions): Emulator {
  async function findWallet(principal: Principal, request: EmulateActionRequest): Promise<WalletRow | null> {
    if (request.walletId === undefined) return null;
    const wallet = await wallets
      .demand(principal, 'wallet:read', request.walletId)
      .catch((error: unknown) => {
        throw notFoundAt(
          error,
          request.pointers.walletId,
          `There is no wallet ${request.walletId} that you may see.`,
        );
      });
    if (request.ledgerId !== undefined && request.ledgerId !== wallet.ledgerId) {
      const pointer = request.pointers.ledgerId;
      const detail = `is not ${wallet.ledgerId}, the ledger of the wallet ${wallet.walletId}`;
      throw new Problem('wrong-ledger', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
    }
    return wallet;
  }

  async function findLedger(principal: Principal, request: EmulateActionRequest): Promise<string> {
    const { ledgerId, pointers } = request;
    if (ledgerId === undefined) {
      throw invalidRequest([{ pointer: pointers.walletId, detail: 'a walletId or a ledgerId is needed' }]);
    }
    const ledger = await catalogue.ledgerByLedgerId(ledgerId, principal.projectUid);
    if (ledger === null || (ledger.projectUid !== null && ledger.projectUid !== principal.projectUid)) {
      const detail = `There is no ledger ${ledgerId} that you may see.`;
      throw new Problem('not-found', detail, { errors: [{ pointer: pointers.ledgerId, detail }] });
    }
    return ledger.uid;
  }

  return async (principal, request) => {
    const wallet = await findWallet(principal, request);
    const open = await ledgers.open(wallet?.ledgerUid ?? (await findLedger(principal, request)), {
      projectUid: wallet?.projectId ?? principal.projectUid,
    });
    const pointer = request.pointers.glo;
    if (!open.definition.capabilities.emulation) {
      throw new Problem('unsupported-operation', `The ledger ${open.record.ledgerId} cannot emulate.`);
    }
    const { effective, operation } = await resolver.resolve({
      principal,
      glo: request.glo,
      open,
      chain: await engine.chainOf(open),
      pointer,
    });
    const { result, fee, figures } = await open.session
      .emulate({ operation, ...(wallet === null ? {} : { wallet: walletIdentity(wallet) }) })
      .catch((error: unknown) => {
        throw problemFrom(error, (at) => pointer + adapterPointer(at, open.record.technology));
      });
    return { result, fee: fee?.toString() ?? null, figures: figures ?? {}, overrides: effective.overrides };
  };
}
