import { boundedJson, type Json } from '@ledger-ops/adapter';
import type { Auth, Principal } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import { type ContractRecord, type LedgerRecord, type Registry, visibleLedger } from '@ledger-ops/registry';
import { type ActionView, blockTimeOf, problemFrom, type Runtime, toProblem } from '@ledger-ops/runtime';

/** A transaction in the deprecated gateway's form. */
export interface FoundTransaction {
  readonly locator: string;
  readonly smartContractAddress: string | null;
  readonly status: ActionView['status'];
  /** The ledger's receipt; null until there is one. */
  readonly receipt: Json;
  /** Milliseconds since the epoch. */
  readonly blockTime: number | null;
  readonly fee: string | null;
  /** Why it failed. */
  readonly reason: string | null;
}

/** Reads ledgers and contracts for the deprecated gateway, on behalf of a caller. */
export interface GatewayPort {
  /**
   * Returns the ledger's technology if the caller may send with the wallet and the wallet is on the ledger; otherwise
   * null.
   */
  technologyOf(principal: Principal, ledgerId: string, walletId: string): Promise<string | null>;
  /** @throws Problem `not-found` at the pointer */
  contract(principal: Principal, contractId: string, pointer: string): Promise<ContractRecord>;
  /** @throws Problem `not-found`, `unsupported-operation`, and those of opening and querying a ledger */
  transaction(principal: Principal, ledgerId: string, locator: string): Promise<FoundTransaction>;
}

export interface GatewayServiceOptions {
  readonly auth: Pick<Auth, 'decide' | 'demandUse'>;
  readonly registry: Pick<Registry, 'ledgerByUid' | 'ledgersByLedgerId' | 'contract'>;
  readonly runtime: Pick<Runtime, 'actions' | 'wallets' | 'ledgers'>;
}

export function createGatewayService({ auth, registry, runtime }: GatewayServiceOptions): GatewayPort {
  const { actions, wallets, ledgers } = runtime;

  /**
   * Returns a ledger that the caller may use. Permission to see the ledger is not enough, because queries run
   * with the ledger's own identity.
   */
  async function usableLedger(principal: Principal, ledgerId: string): Promise<LedgerRecord> {
    const found = await visibleLedger({ auth, registry }, principal, ledgerId);
    await auth.demandUse(principal, 'ledger:read', found.uid);
    return found;
  }

  /** Returns the caller's action that sent this transaction on the ledger; null if there is none. */
  async function actionOf(
    principal: Principal,
    ledgerId: string,
    locator: string,
  ): Promise<ActionView | null> {
    const [view] = await actions.byTransaction(principal, [locator]);
    // An action's id is not a transaction id.
    if (view === undefined || view === null || [view.uid, view.actionId].includes(locator)) return null;
    const its = view.ledgerId ?? (await wallets.demand(principal, 'wallet:read', view.walletId)).ledgerId;
    return its === ledgerId ? view : null;
  }

  return {
    async technologyOf(principal, ledgerId, walletId) {
      // Returns null instead of the error, because the caller's next request, the send, reports why the wallet cannot be used.
      const wallet = await wallets.demand(principal, 'wallet:transact', walletId).catch((error: unknown) => {
        if (error instanceof Problem) return null;
        throw error;
      });
      if (wallet === null || wallet.ledgerId !== ledgerId) return null;
      return (await registry.ledgerByUid(wallet.ledgerUid))?.technology ?? null;
    },

    async contract(principal, contractId, pointer) {
      const found = await registry.contract(principal.projectUid, contractId);
      if (
        found !== null &&
        (await auth.decide(principal, ['smart-contract-instance:read'], found.uid)).result
      ) {
        return found;
      }
      const detail = `The contract ${contractId} does not exist or is not visible to you.`;
      throw new Problem('not-found', detail, { errors: [{ pointer, detail }] });
    },

    async transaction(principal, ledgerId, locator) {
      const ledger = await usableLedger(principal, ledgerId);
      const action = await actionOf(principal, ledgerId, locator);
      const { definition, session } = await ledgers.open(ledger.uid, { projectUid: principal.projectUid });
      if (!definition.capabilities.lookup && action === null) {
        throw new Problem('unsupported-operation', `The ledger ${ledgerId} cannot look up transactions.`);
      }
      const found = definition.capabilities.lookup
        ? await session.lookup(action?.locator ?? locator).catch((error: unknown) => {
            throw problemFrom(error);
          })
        : null;
      if (found !== null) {
        const { txId, contractAddress = null, status, receipt = null, blockTime, fee, problem } = found;
        return {
          locator: txId,
          smartContractAddress: contractAddress,
          status,
          receipt: boundedJson(receipt),
          blockTime: blockTimeOf(blockTime),
          fee: fee?.toString() ?? null,
          reason: problem === undefined ? null : toProblem(problem).message,
        };
      }
      if (action === null) {
        throw new Problem('not-found', `The ledger ${ledgerId} has no transaction ${locator}.`);
      }
      const { contractAddress, status } = action;
      return {
        locator: action.locator ?? locator,
        smartContractAddress: contractAddress,
        status,
        receipt: null,
        blockTime: null,
        fee: null,
        reason: action.problem?.detail ?? null,
      };
    },
  };
}
