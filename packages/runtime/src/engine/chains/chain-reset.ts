import { Problem } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { retryAfter } from '../../adapter-problem.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import { type Settled, settle } from '../../rows/actions/settle.ts';
import { moveUnsigned, readAllResets, readSignedElsewhere } from '../../rows/chains/chains.ts';
import { failure } from '../../rows/model.ts';
import type { EngineContext } from '../context.ts';

/**
 * Handles a ledger that moved to another chain: fails the actions signed on the old chain, and moves the unsigned ones
 * to the new chain.
 *
 * @param plugins only actions of these plugins are changed, so that a plugin that reports a wrong chain does not affect
 * other plugins
 * @param isSure whether every node of the ledger reports this chain
 * @returns the actions that failed
 * @throws Problem `ledger-unavailable` if signed actions would fail and `isSure` is false
 */
export async function leaveOldChain(
  { store, dependents, now }: Pick<EngineContext, 'store' | 'dependents' | 'now'>,
  open: OpenLedger,
  chain: string,
  plugins: readonly string[],
  isSure: boolean,
): Promise<Settled> {
  const { uid, ledgerId } = open.record;
  const failing = isSure ? await readSignedElsewhere(store.read, uid, chain, plugins) : [];
  const compared = await dependents.compareOf(failing);
  return store.transaction(async (tx) => {
    const signed = await readSignedElsewhere(tx, uid, chain, plugins);
    if (!isSure && signed.length > 0) throw signedMeanwhile(ledgerId);
    const problem = chainReset(ledgerId);
    const settled = await settle(
      tx,
      signed.map((id) => failure(id, true, problem)),
      now(),
      compared,
    );
    await moveUnsigned(tx, uid, chain, plugins);
    return settled;
  });
}

/** Returns a predicate that is true for the key of a chain that was reset, even if another server noticed the reset. */
export async function readGivenUp(store: Store): Promise<(key: string) => boolean> {
  const rows = await readAllResets(store.read);
  return (key) =>
    rows.some(
      ({ chain, resets }) => (key === chain || key.startsWith(`${chain}/`)) && key !== `${chain}/${resets}`,
    );
}

/** Returns the problem for callers that need a tracker while the identity of its chain is uncertain. */
export function chainUncertain({
  open,
  lastError,
}: {
  readonly open: OpenLedger;
  readonly lastError: string | null;
}): Problem {
  const { ledgerId } = open.record;
  const detail = lastError ?? `A node of the ledger ${ledgerId} reports a different chain than before.`;
  return new Problem('ledger-unavailable', detail, { retryAfter });
}

/**
 * Throws if the node may only be behind. Transactions that such a node has not seen yet may still be executed, so the
 * signed actions must not be given up. Does nothing for a development chain: it has one node, which may produce no
 * block until it gets a transaction.
 *
 *
 * @throws Problem `ledger-unavailable`
 */
export function refuseBehind({ record }: OpenLedger): void {
  const { ledgerId, properties } = record;
  if (properties.development === true) return;
  const detail = `The node of the ledger ${ledgerId} is behind and lacks transactions that this service can no longer resend. Signing and sending are paused until the node catches up. If the node was reset, they continue when it reports different blocks; the signed transactions are then abandoned. Check that the node is syncing.`;
  throw new Problem('ledger-unavailable', detail, { retryAfter });
}

/**
 * Returns the problem for a chain that seems to have lost more transactions than can be resent, as long as not every
 * node has confirmed the loss. Users of any project may see `why`.
 */
export function lossUnsure(why: string): Problem {
  const detail = `A node reports different blocks than before and lacks transactions that this service can no longer resend. Signed transactions are kept until every node of the chain reports these blocks. Not confirmed yet: ${why}`;
  return new Problem('ledger-unavailable', detail, { retryAfter });
}

function signedMeanwhile(ledgerId: string) {
  const detail = `The ledger ${ledgerId} seems to be on a different chain, but actions were signed for the previous chain just now. Try again.`;
  return new Problem('ledger-unavailable', detail, { retryAfter });
}

function chainReset(ledgerId: string) {
  return new Problem(
    'chain-reset',
    `The chain of the ledger ${ledgerId} was reset, or lost transactions that are no longer in the database. Transactions signed for it can no longer be executed.`,
  ).toDocument();
}
