import { common } from '@hyperledger/fabric-protos';
import type { AdapterHost, Outcome, Remark } from '@ledger-ops/adapter';
import { isConflict, isValid } from '../blocks/validation-code.ts';
import { PeerError } from '../gateway/peer-error.ts';
import type { Peers } from '../gateway/peers.ts';
import type { Qscc } from '../gateway/qscc.ts';
import { endorsersOf, readContent } from '../gateway/transaction-content.ts';
import type { FabricProperties } from '../properties.ts';
import type { Timing } from '../timing.ts';
import { invalidOutcome, needsPlan, type PeerClaim, validOutcome } from './outcome.ts';
import { PeerAgreement } from './peer-agreement.ts';
import type { TransactionCache } from './transaction-cache.ts';

/** The parts of a session that outcomes need. */
export interface ResolveContext {
  peers: Pick<Peers, 'order' | 'failed'>;
  qscc: Qscc;
  transactions: TransactionCache;
  properties: FabricProperties;
  timing: Timing;
  host: AdapterHost;
  /** Called when there may be new outcomes, or new reasons for missing ones. */
  onNews(): void;
}

/** A transaction in a block according to a peer, with its envelope if that was read. */
export type Found = PeerClaim & { envelope?: Uint8Array };

/** Converts transactions in blocks to outcomes. Withholds an outcome while information is missing. */
export interface OutcomeResolver {
  /** Adds the outcome to `outcomes`, or withholds it. */
  resolve(found: Found, outcomes: Map<string, Outcome>): Promise<void>;
  isWithheld(txId: string): boolean;
  /** Adds withheld outcomes that can be resolved now. */
  retry(outcomes: Map<string, Outcome>): Promise<void>;
  /** Starts querying second peers for missing agreements. */
  askPeers(): void;
  /** Drops a transaction whose outcome was returned. */
  forget(txId: string): void;
  keepOnly(pending: { has(txId: string): boolean }): void;
  /** Why transactions in blocks have no outcome yet. */
  remarks(): Remark[];
  close(): void;
}

/**
 * Resolves a valid transaction immediately, and an invalid transaction when a second peer reports the same
 * code. If a conflicting transaction may be proposed again, its outcome is withheld until the host passes its
 * signed bytes, which contain the plan.
 */
export function createOutcomeResolver(context: ResolveContext): OutcomeResolver {
  const { qscc, transactions, properties, timing, host } = context;
  const agreement = new PeerAgreement({
    ...context,
    timing: timing.outcomes,
    longestWait: properties.commitTimeout,
  });
  const withheld = new Map<string, { found: Found; since: number }>();

  async function resolve(shown: Found, outcomes: Map<string, Outcome>, last = false): Promise<void> {
    const { txId } = shown;
    const found = agreed(shown);
    if (found === undefined) {
      withhold(shown);
      return;
    }
    const known = transactions.get(txId);
    let content = known?.content;
    if (content === undefined && isValid(found.code)) {
      const { envelope = await envelopeOf(found), ...bare } = found;
      content = readable(envelope, (bytes) =>
        readContent(common.Envelope.deserializeBinary(bytes).getPayload_asU8()),
      );
      // The next call queries again.
      if (content === undefined) {
        withhold(bare);
        return;
      }
    }
    const seen = known?.seen === true;
    if (!seen && !last && needsPlan(found, content?.chaincode, properties.retryConflicts)) {
      withhold(found);
      return;
    }
    // A deployment step cannot continue without its plan. The host passes the bytes, which contain the plan,
    // again.
    if (!seen && content?.chaincode === '_lifecycle') return;
    if (isValid(found.code) && content !== undefined) {
      outcomes.set(txId, validOutcome(found, content, known?.plan));
      return;
    }
    const { envelope } = found;
    const endorsers = isConflict(found.code) ? undefined : readable(envelope, endorsersOf);
    outcomes.set(
      txId,
      invalidOutcome(found, known?.plan, properties.retryConflicts, endorsers, timing.conflict),
    );
  }

  /** Returns the transaction with the block and code that two peers agree on; undefined until they agree. */
  function agreed(shown: Found): Found | undefined {
    if (isValid(shown.code) && !agreement.has(shown.txId)) return shown;
    const found = agreement.on(shown);
    return found === undefined ? undefined : { ...shown, ...found };
  }

  function withhold(found: Found): void {
    withheld.set(found.txId, { found, since: withheld.get(found.txId)?.since ?? host.now() });
  }

  async function envelopeOf({ txId, channel, block, code }: Found): Promise<Uint8Array | undefined> {
    try {
      const read = await qscc.blockOf(channel, txId);
      return read?.number === block
        ? read.transactions.find((one) => one.txId === txId && one.code === code)?.envelope
        : undefined;
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      host.log('info', 'fabric.transaction.unread', { channel, txId });
      return undefined;
    }
  }

  return {
    resolve,
    isWithheld: (txId) => withheld.has(txId),
    async retry(outcomes) {
      for (const [txId, { found, since }] of withheld) {
        const last = transactions.get(txId)?.seen === true || host.now() - since > timing.outcomes.bytes;
        if (last || agreement.has(txId)) await resolve(found, outcomes, last);
      }
    },
    askPeers: () => agreement.ask(),
    forget: (txId) => void withheld.delete(txId),
    keepOnly(pending) {
      agreement.keepOnly(pending);
      for (const txId of withheld.keys()) if (!pending.has(txId)) withheld.delete(txId);
    },
    remarks: () => agreement.remarks(),
    close: () => agreement.close(),
  };
}

/**
 * Reads the content of an envelope; undefined if it is not a transaction. Anybody may send an envelope with
 * this id, and a peer may return anything.
 */
function readable<Result>(
  envelope: Uint8Array | undefined,
  read: (envelope: Uint8Array) => Result,
): Result | undefined {
  if (envelope === undefined) return undefined;
  try {
    return read(envelope);
  } catch {
    return undefined;
  }
}
