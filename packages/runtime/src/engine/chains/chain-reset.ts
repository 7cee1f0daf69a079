import { Problem } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { retryAfter } from '../../adapter-problem.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import { type Settled, settle } from '../../rows/actions/settle.ts';
import { moveUnsigned, readAllResets, readSignedElsewhere } from '../../rows/chains/chains.ts';
import { failure } from '../../rows/model.ts';

/**
 * Handles a ledger that moved to another chain: fails the actions signed on the old chain, and moves the
 * unsigned ones to the new chain.
 *
 * @param plugins only actions of these plugins are affected, so that a plugin that is wrong about the chain
 * does not affect the others
 * @param isSure every node of the ledger reports this chain
 * @returns the actions that failed
 * @throws Problem `ledger-unavailable` if signed actions would fail and `isSure` is false
 */
export async function leaveOldChain(
  store: Store,
  open: OpenLedger,
  chain: string,
  plugins: readonly string[],
  isSure: boolean,
  now: number,
): Promise<Settled> {
  const { uid, ledgerId } = open.record;
  return store.transaction(async (tx) => {
    const signed = await readSignedElsewhere(tx, uid, chain, plugins);
    if (!isSure && signed.length > 0) throw signedMeanwhile(ledgerId);
    const problem = chainReset(ledgerId);
    const settled = await settle(
      tx,
      signed.map((id) => failure(id, true, problem)),
      now,
    );
    await moveUnsigned(tx, uid, chain, plugins);
    return settled;
  });
}

/** Returns a predicate: is a chain key from before the last reset of its chain, by this or another server? */
export async function readGivenUp(store: Store): Promise<(key: string) => boolean> {
  const rows = await readAllResets(store.read);
  return (key) =>
    rows.some(
      ({ chain, resets }) => (key === chain || key.startsWith(`${chain}/`)) && key !== `${chain}/${resets}`,
    );
}

/** The problem for callers that need a tracker while the identity of its chain is uncertain. */
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
 * Throws if signed actions would be given up because a node is merely behind: transactions that the node has
 * not seen yet may still be executed. A development chain is exempt: it has one node, which may produce no
 * block until it gets a transaction.
 *
 * @throws Problem `ledger-unavailable`
 */
export function refuseBehind({ record }: OpenLedger): void {
  const { ledgerId, properties } = record;
  if (properties.development === true) return;
  const detail = `The node of the ledger ${ledgerId} is so far behind that not all transactions it lacks can be sent again. Nothing is signed or sent until it catches up. Signed transactions are abandoned only if it reports different blocks.`;
  throw new Problem('ledger-unavailable', detail, { retryAfter });
}

/**
 * The problem if a node's transaction counts are so low that not all missing transactions can be resent, and
 * it is unknown whether every node agrees. `why` is shown to users of any project.
 */
export function lossUnsure(why: string): Problem {
  const detail = `A node reports different blocks than before, and transaction counts so low that not all missing transactions can be sent again. Signed transactions are abandoned only if every node of the chain agrees, which is not confirmed yet: ${why}`;
  return new Problem('ledger-unavailable', detail, { retryAfter });
}

function signedMeanwhile(ledgerId: string) {
  const detail = `The ledger ${ledgerId} seems to be on a different chain, and actions were signed for the previous one in the meantime. Try again.`;
  return new Problem('ledger-unavailable', detail, { retryAfter });
}

function chainReset(ledgerId: string) {
  return new Problem(
    'chain-reset',
    `The chain of the ledger ${ledgerId} was reset, or lost more of its history than is stored here. Transactions signed for it can no longer be executed.`,
  ).toDocument();
}
