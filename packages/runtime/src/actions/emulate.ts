import { AdapterError, type Emulated, type ResolvedOperation } from '@ledger-ops/adapter';
import type { Auth, Principal } from '@ledger-ops/auth';
import { invalidRequest, Problem } from '@ledger-ops/base';
import { problemFrom } from '../adapter-problem.ts';
import type { Engine } from '../engine/engine.ts';
import { signRounds } from '../keys/sign-rounds.ts';
import type { Vault } from '../keys/types.ts';
import type { Ledgers, OpenLedger } from '../open-ledger.ts';
import type { RegistryPort } from '../registry-port.ts';
import type { WalletRow, Wallets } from '../wallets/types.ts';
import { walletIdentity } from '../wallets/wallet-rows.ts';
import { createDryRunTurns } from './dry-run-turns.ts';
import { toldWhatOpens } from './opening.ts';
import { readableWallets } from './other-wallets.ts';
import { adapterPointer } from './pointers.ts';
import { notFoundAt, type Resolver } from './resolve.ts';
import type { EmulateActionRequest, EmulatedAction } from './types.ts';

export interface EmulatorOptions {
  auth: Pick<Auth, 'decide' | 'demand' | 'demandUse'>;
  registry: RegistryPort;
  ledgers: Ledgers;
  wallets: Wallets;
  vault: Vault;
  resolver: Resolver;
  engine: Pick<Engine, 'open'>;
}

export type Emulator = (principal: Principal, request: EmulateActionRequest) => Promise<EmulatedAction>;

/** Nothing is signed or sent. */
export function createEmulator(options: EmulatorOptions): Emulator {
  const { auth, registry, ledgers, wallets, vault, resolver, engine } = options;
  const inTurn = createDryRunTurns();

  async function findWallet(principal: Principal, request: EmulateActionRequest): Promise<WalletRow | null> {
    const { walletId, walletPassword, pointers } = request;
    if (walletId === undefined) {
      if (walletPassword === undefined) return null;
      const detail = 'is the password of a wallet: walletId is needed';
      throw invalidRequest([{ pointer: pointers.walletPassword ?? '', detail }]);
    }
    const permission = walletPassword === undefined ? 'wallet:read' : 'wallet:transact';
    const wallet = await wallets.demand(principal, permission, walletId).catch((error: unknown) => {
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

  /** A ledger that answers as an identity of its own: to see it is not enough. */
  async function findLedger(principal: Principal, request: EmulateActionRequest): Promise<string> {
    const { ledgerId, pointers } = request;
    if (ledgerId === undefined) {
      throw invalidRequest([{ pointer: pointers.walletId, detail: 'a walletId or a ledgerId is needed' }]);
    }
    const ledger = await registry.ledgerByLedgerId(ledgerId, principal.projectUid);
    if (ledger === null || (ledger.projectUid !== null && ledger.projectUid !== principal.projectUid)) {
      const detail = `There is no ledger ${ledgerId} that you may see.`;
      throw new Problem('not-found', detail, { errors: [{ pointer: pointers.ledgerId, detail }] });
    }
    const { uid } = ledger;
    await auth.demandUse(principal, 'ledger:read', uid).catch((error: unknown) => {
      throw notFoundAt(error, pointers.ledgerId, `There is no ledger ${ledgerId} that you may see.`);
    });
    return uid;
  }

  async function dryRun(
    principal: Principal,
    request: EmulateActionRequest,
    { session }: OpenLedger,
    wallet: WalletRow | null,
    asked: { operation: ResolvedOperation; systemContracts?: true },
  ): Promise<Emulated> {
    if (wallet === null) return await session.emulate(asked);
    const identity = walletIdentity(wallet);
    const { walletPassword } = request;
    if (walletPassword === undefined) return await session.emulate({ ...asked, wallet: identity });
    const advance = session.advanceEmulation?.bind(session);
    if (session.emulateAs === undefined || advance === undefined) {
      throw new Problem('plugin-fault', 'The ledger plugin declares signed emulation, and offers none.');
    }
    const key = await vault.unlock(wallet, walletPassword, principal);
    try {
      const first = await session.emulateAs({ ...asked, wallet: identity });
      return await signRounds(first, key, advance);
    } finally {
      key.destroy();
    }
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
    if (request.walletPassword !== undefined && open.definition.capabilities.signedEmulation !== true) {
      const at = request.pointers.walletPassword ?? '';
      const detail = `the ledger ${open.record.ledgerId} asks for no signature: leave the password out`;
      throw new Problem('unsupported-operation', `${at}: ${detail}.`, { errors: [{ pointer: at, detail }] });
    }
    const { chain } = await engine.open(open).catch(async (error: unknown) => {
      throw await toldWhatOpens(error, auth, principal, open.record.uid);
    });
    const { effective, operation } = await resolver.resolve({
      ...{ principal, glo: request.glo, open, chain, pointer },
      walletAddress: readableWallets(wallets, principal, chain),
    });
    const run = (more: { systemContracts?: true }) =>
      inTurn(principal, open.session, () => dryRun(principal, request, open, wallet, { operation, ...more }));
    const { result, fee, figures } = await run({})
      .catch(async (error: unknown) => {
        if (!(error instanceof AdapterError) || error.code !== 'system-contract') throw error;
        // Which contracts these are, the adapter knows; that everybody sees a shared ledger does not open them.
        await auth.demand(principal, 'ledger:inspect', open.record.uid);
        return await run({ systemContracts: true });
      })
      .catch(async (error: unknown) => {
        const problem = problemFrom(error, (at) => pointer + adapterPointer(at, open.record.technology));
        throw await toldWhatOpens(problem, auth, principal, open.record.uid);
      });
    return {
      result,
      fee: fee?.toString() ?? null,
      figures: figures ?? {},
      overrides: effective.overrides,
      warnings: warningsOf(request, open, wallet, figures?.identity),
    };
  };
}

/** An unsigned dry run is another identity's, where the ledger asks for signatures: contracts may look at who calls. */
function warningsOf(
  { walletPassword }: EmulateActionRequest,
  { definition }: OpenLedger,
  wallet: WalletRow | null,
  identity: unknown,
): string[] {
  const isAnothers = definition.capabilities.signedEmulation === true && walletPassword === undefined;
  if (!isAnothers || wallet === null) return [];
  const whose = typeof identity === 'string' ? `as ${identity}` : "as the ledger's own identity";
  return [
    `It ran ${whose}, not as the wallet ${wallet.walletId} (${wallet.address}): where the contract looks at who calls it, the wallet would get another result. Give walletPassword to run it as the wallet.`,
  ];
}
