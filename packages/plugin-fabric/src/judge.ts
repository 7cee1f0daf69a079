import { common } from '@hyperledger/fabric-protos';
import type { AdapterHost, Outcome, Remark } from '@ledger-ops/adapter';
import { invalidOutcome, needsPlan, type Settled, validOutcome } from './outcome.ts';
import { PeerFailure } from './peer-failure.ts';
import type { PeerNode } from './peer-node.ts';
import type { Peers } from './peers.ts';
import type { FabricProperties } from './properties.ts';
import { createSecondWords } from './second-word.ts';
import type { SystemChaincode } from './system-chaincode.ts';
import { endorsersOf, readContent } from './transaction-content.ts';
import type { Transactions } from './transactions.ts';
import { isConflict, isValid } from './validation-code.ts';

/** What judging draws on. */
export interface JudgeContext {
  peers: Pick<Peers, 'order' | 'failed'>;
  system: SystemChaincode;
  transactions: Transactions;
  properties: FabricProperties;
  host: AdapterHost;
  /** There may be outcomes or remarks now. */
  onNews(): void;
}

/** A transaction in a block as a peer shows it, with its envelope where it was read for it. */
export type Found = Settled & { peer: PeerNode; envelope?: Uint8Array };

/** Makes outcomes of transactions in blocks, and withholds them while something is lacking. */
export interface Judge {
  /** Adds the outcome to `outcomes`, or withholds it. */
  hear(found: Found, outcomes: Map<string, Outcome>): Promise<void>;
  isWithheld(txId: string): boolean;
  /** Adds the outcomes of what was withheld and can be judged now. */
  again(outcomes: Map<string, Outcome>): Promise<void>;
  /** Begins to ask for the second words that are lacking. */
  ask(): void;
  /** Its outcome was given. */
  forget(txId: string): void;
  keepOnly(pending: { has(txId: string): boolean }): void;
  /** Why transactions that stand in a block have no outcome. */
  remarks(): Remark[];
  close(): void;
}

/** Milliseconds that a conflict waits for the host to show the bytes again, which it does every few seconds. */
const bytesPatience = 30_000;

/**
 * A valid transaction is judged at once; what one peer shows as invalid counts when another says so, too. A conflict
 * that may be proposed anew waits for the plan, which stands in the signed bytes.
 */
export function createJudge(context: JudgeContext): Judge {
  const { system, transactions, properties, host } = context;
  const words = createSecondWords({ ...context, patience: properties.commitTimeout });
  const withheld = new Map<string, { found: Found; since: number }>();

  async function hear(shown: Found, outcomes: Map<string, Outcome>, last = false): Promise<void> {
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
      // The next call asks again.
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
    // A step of a deployment cannot go on without its plan; the host shows the bytes again.
    if (!seen && content?.chaincode === '_lifecycle') return;
    if (isValid(found.code) && content !== undefined) {
      outcomes.set(txId, validOutcome(found, content, known?.plan));
      return;
    }
    const { envelope } = found;
    const endorsers = isConflict(found.code) ? undefined : readable(envelope, endorsersOf);
    outcomes.set(txId, invalidOutcome(found, known?.plan, properties.retryConflicts, endorsers));
  }

  /** What counts of what a peer shows; undefined as long as another one has to say so, too. */
  function agreed(shown: Found): Found | undefined {
    if (isValid(shown.code) && !words.has(shown.txId)) return shown;
    const agreement = words.on(shown);
    return agreement === undefined ? undefined : { ...shown, ...agreement };
  }

  function withhold(found: Found): void {
    withheld.set(found.txId, { found, since: withheld.get(found.txId)?.since ?? host.now() });
  }

  async function envelopeOf({ txId, channel, block, code }: Found): Promise<Uint8Array | undefined> {
    try {
      const read = await system.blockOf(channel, txId);
      return read?.number === block
        ? read.transactions.find((one) => one.txId === txId && one.code === code)?.envelope
        : undefined;
    } catch (error) {
      if (!(error instanceof PeerFailure)) throw error;
      host.log('info', 'fabric.transaction.unread', { channel, txId });
      return undefined;
    }
  }

  return {
    hear,
    isWithheld: (txId) => withheld.has(txId),
    async again(outcomes) {
      for (const [txId, { found, since }] of withheld) {
        const last = transactions.get(txId)?.seen === true || host.now() - since > bytesPatience;
        if (last || words.has(txId)) await hear(found, outcomes, last);
      }
    },
    ask: words.ask,
    forget: (txId) => void withheld.delete(txId),
    keepOnly(pending) {
      words.keepOnly(pending);
      for (const txId of withheld.keys()) if (!pending.has(txId)) withheld.delete(txId);
    },
    remarks: words.remarks,
    close: words.close,
  };
}

/** Under a transaction's id stands what anybody sent, and a peer shows what it likes: undefined where it is no transaction. */
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
