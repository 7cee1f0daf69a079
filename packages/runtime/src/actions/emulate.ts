import {
  AdapterError,
  boundedJson,
  type Emulated,
  isJsonObject,
  longestDocument,
  type ResolvedOperation,
} from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import type { Auth, Principal } from '@ledger-ops/auth';
import { invalidRequest, Problem } from '@ledger-ops/base';
import { visibleLedger } from '@ledger-ops/registry';
import { problemFrom } from '../adapter-problem.ts';
import type { Engine } from '../engine/engine.ts';
import { signRounds } from '../keys/sign-rounds.ts';
import type { Vault } from '../keys/vault.ts';
import type { Ledgers } from '../ledgers.ts';
import type { OpenLedger } from '../open-ledger.ts';
import type { RegistryPort } from '../registry-port.ts';
import type { WalletRow } from '../wallets/types.ts';
import { walletIdentity } from '../wallets/wallet-rows.ts';
import type { Wallets } from '../wallets/wallets.ts';
import { createDryRunTurns } from './dry-run-turns.ts';
import { readableWallets } from './other-wallets.ts';
import { withOutboundSetting } from './outbound-setting.ts';
import { adapterPointer } from './pointers.ts';
import { notFoundAt, type Resolver } from './resolve.ts';
import type { EmulateActionRequest, EmulatedAction } from './types.ts';

export interface EmulatorOptions {
  auth: Pick<Auth, 'decide' | 'demand' | 'demandUse'>;
  registry: RegistryPort;
  ledgers: Pick<Ledgers, 'open'>;
  wallets: Pick<Wallets, 'demand'>;
  vault: Pick<Vault, 'unlock'>;
  resolver: Pick<Resolver, 'resolve' | 'ledgerOfContract'>;
  engine: Pick<Engine, 'chainOf'>;
}

/** Runs operations without sending them. Tenants take turns on each ledger. */
export class Emulator {
  readonly #options: EmulatorOptions;
  readonly #inTurn = createDryRunTurns();

  constructor(options: EmulatorOptions) {
    this.#options = options;
  }

  async #findWallet(principal: Principal, request: EmulateActionRequest): Promise<WalletRow | null> {
    const { walletId, walletPassword, pointers } = request;
    if (walletId === undefined) {
      if (walletPassword === undefined) return null;
      const detail = 'is only allowed together with walletId';
      throw invalidRequest([{ pointer: pointers.walletPassword ?? '', detail }]);
    }
    const permission = walletPassword === undefined ? 'wallet:read' : 'wallet:transact';
    const wallet = await this.#options.wallets
      .demand(principal, permission, walletId)
      .catch((error: unknown) => {
        throw notFoundAt(
          error,
          request.pointers.walletId,
          `The wallet ${request.walletId} does not exist or is not visible to you.`,
        );
      });
    if (request.ledgerId !== undefined && request.ledgerId !== wallet.ledgerId) {
      const pointer = request.pointers.ledgerId;
      const detail = `must be ${wallet.ledgerId}, the ledger of the wallet ${wallet.walletId}`;
      throw new Problem('wrong-ledger', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
    }
    return wallet;
  }

  /**
   * Finds the ledger of a call without a wallet. The call runs as the ledger's own identity, so the caller needs more
   * than permission to see the ledger.
   */
  async #findLedger(principal: Principal, request: EmulateActionRequest): Promise<string> {
    const { glo, pointers } = request;
    const ledgerId =
      request.ledgerId ??
      (await this.#options.resolver.ledgerOfContract({ principal, glo, pointer: pointers.glo }));
    if (ledgerId === null) {
      const detail = 'is required unless `ledgerId` is given or `glo` calls a registered contract';
      throw invalidRequest([{ pointer: pointers.walletId, detail }]);
    }
    const { uid } = await visibleLedger(this.#options, principal, ledgerId).catch((error: unknown) => {
      const detail = `The ledger ${ledgerId} does not exist or is not visible to you.`;
      throw notFoundAt(error, pointers.ledgerId, detail);
    });
    await this.#options.auth.demandUse(principal, 'ledger:read', uid);
    return uid;
  }

  async #dryRun(
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
      throw new Problem(
        'plugin-fault',
        'The ledger plugin declares signed emulation but does not implement it.',
      );
    }
    const signer = await this.#options.vault.unlock(wallet, walletPassword, principal);
    try {
      const first = await session.emulateAs({ ...asked, wallet: identity });
      return await signRounds(first, signer, advance);
    } finally {
      signer.destroy();
    }
  }

  /** @throws Problem */
  async emulate(principal: Principal, request: EmulateActionRequest): Promise<EmulatedAction> {
    const wallet = await this.#findWallet(principal, request);
    const open = await this.#options.ledgers.open(
      wallet?.ledgerUid ?? (await this.#findLedger(principal, request)),
      {
        projectUid: wallet?.projectId ?? principal.projectUid,
      },
    );
    const pointer = request.pointers.glo;
    if (!open.definition.capabilities.emulation) {
      throw new Problem(
        'unsupported-operation',
        `The ledger ${open.record.ledgerId} does not support emulation.`,
      );
    }
    if (request.walletPassword !== undefined && open.definition.capabilities.signedEmulation !== true) {
      const at = request.pointers.walletPassword ?? '';
      const detail = `the ledger ${open.record.ledgerId} does not require a signature; leave the password out`;
      throw new Problem('unsupported-operation', `${at}: ${detail}.`, { errors: [{ pointer: at, detail }] });
    }
    const chain = await this.#options.engine.chainOf(open).catch(async (error: unknown) => {
      throw await withOutboundSetting(error, this.#options.auth, principal, open.record.uid);
    });
    const { effective, operation } = await this.#options.resolver.resolve({
      ...{ principal, glo: request.glo, open, chain, pointer },
      walletAddress: readableWallets(this.#options.wallets, principal, chain),
    });
    const run = (more: { systemContracts?: true }) =>
      this.#inTurn(principal, open.session, () =>
        this.#dryRun(principal, request, open, wallet, { operation, ...more }),
      );
    const {
      result,
      fee,
      figures = {},
      warnings = [],
    } = await run({})
      .catch(async (error: unknown) => {
        if (!(error instanceof AdapterError) || error.code !== 'system-contract') throw error;
        // The adapter decides which contracts are system contracts. Calling them requires a permission on
        // the ledger.
        await this.#options.auth.demand(principal, 'ledger:inspect', open.record.uid);
        return await run({ systemContracts: true });
      })
      .catch(async (error: unknown) => {
        const problem = problemFrom(error, (at) => pointer + adapterPointer(at, open.record.technology));
        throw await withOutboundSetting(problem, this.#options.auth, principal, open.record.uid);
      });
    const shown = { result: boundedJson(result), figures: boundedJson(figures) };
    const isOmitted = shown.result !== result || shown.figures !== figures;
    return {
      result: shown.result,
      figures: isJsonObject(shown.figures) ? shown.figures : {},
      fee: fee?.toString() ?? null,
      overrides: effective.overrides,
      warnings: [
        ...(isOmitted
          ? [`The result is too long to be shown in full: it has more than ${longestDocument} characters.`]
          : []),
        ...warningsOf(request, open, wallet, figures.identity),
        ...warnings.map((warning) => plainWords(warning)),
      ],
    };
  }
}

/**
 * Returns a warning if the ledger does not run a dry run as the requested wallet, because the request is not signed.
 * Contracts that check the caller may then respond differently.
 */
function warningsOf(
  { walletPassword }: EmulateActionRequest,
  { definition }: OpenLedger,
  wallet: WalletRow | null,
  identity: unknown,
): string[] {
  const isOtherIdentity = definition.capabilities.signedEmulation === true && walletPassword === undefined;
  if (!isOtherIdentity || wallet === null) return [];
  const whose = typeof identity === 'string' ? `as ${identity}` : "as the ledger's own identity";
  return [
    `The call ran ${whose}, not as the wallet ${wallet.walletId} (${wallet.address}). If the contract checks its caller, the wallet could get another result. Set walletPassword to run the call as the wallet.`,
  ];
}
