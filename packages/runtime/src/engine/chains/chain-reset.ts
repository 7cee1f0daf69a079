import { Problem } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { retryAfter } from '../../adapter-problem.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import { type Settled, settle } from '../../rows/actions/settle.ts';
import { moveUnsigned, readAllResets, readSignedElsewhere } from '../../rows/chains/chains.ts';
import { failure } from '../../rows/model.ts';
import type { Tracker } from '../tracking/types.ts';

/**
 * The ledger is on another chain than its actions: what was signed there is lost, the rest moves over.
 *
 * @param plugins those whose actions these are; one that is wrong about the chain takes none along but its own
 * @param isSure every node of the ledger says that it is on this chain
 * @returns what ended by it
 * @throws Problem `ledger-unavailable` when some would, and it is not sure
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

/** Tells whether a chain's key is of before its history was given up, by this server or another one. */
export async function readGivenUp(store: Store): Promise<(key: string) => boolean> {
  const rows = await readAllResets(store.read);
  return (key) =>
    rows.some(
      ({ chain, resets }) => (key === chain || key.startsWith(`${chain}/`)) && key !== `${chain}/${resets}`,
    );
}

/** Whoever wants to use a tracker while it is not known which chain its ledger is on. */
export function chainInDoubt(tracker: Tracker): Problem {
  const { ledgerId } = tracker.open.record;
  const detail = tracker.trouble() ?? `A node of the ledger ${ledgerId} shows another chain than before.`;
  return new Problem('ledger-unavailable', detail, { retryAfter });
}

/**
 * Signed actions are not given up for a node that is only behind: one that it has not seen yet may be executed all the
 * same. A development chain is believed: it has one node, which may make no block before it gets a transaction.
 *
 * @throws Problem `ledger-unavailable`
 */
export function refuseBehind(tracker: Tracker): void {
  const { ledgerId, properties } = tracker.open.record;
  if (properties.development === true) return;
  const detail = `The node of the ledger ${ledgerId} is behind: it does not have blocks that were read before, and more of them than could be sent again. What is signed is given up only when it shows other blocks in their place; until then nothing is signed or sent.`;
  throw new Problem('ledger-unavailable', detail, { retryAfter });
}

/** One node counts too little to send again what is missing, and it is not sure that all do. `why`: for people of any project. */
export function lossUnsure(why: string): Problem {
  const detail = `A node shows other blocks than were read before, and counts so few transactions of wallets that not all that is missing can be sent again. What is signed is given up only when every node of every ledger on the chain counts as few, and that is not sure: ${why}`;
  return new Problem('ledger-unavailable', detail, { retryAfter });
}

function signedMeanwhile(ledgerId: string) {
  const detail = `The ledger ${ledgerId} seems to be on another chain, and actions were signed for the former one meanwhile. Try again.`;
  return new Problem('ledger-unavailable', detail, { retryAfter });
}

function chainReset(ledgerId: string) {
  return new Problem(
    'chain-reset',
    `The chain of the ledger ${ledgerId} started anew or lost more of its history than is kept here. What was signed for it cannot be executed any more.`,
  ).toDocument();
}
