import { Problem } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { retryAfter } from '../adapter-problem.ts';
import type { OpenLedger } from '../types.ts';
import type { LedgerLine } from './ledger-line.ts';
import { failure } from './model.ts';
import { settle } from './settle.ts';
import { textList } from './sql.ts';

/** Whether some actions of the ledger, with one of these plugins, are signed for another chain than this. */
export async function hasSignedElsewhere(
  store: Store,
  open: OpenLedger,
  chain: string,
  plugins: readonly string[],
): Promise<boolean> {
  const rows = await store.read.all(
    `SELECT id FROM action WHERE ledger_uid = $1 AND chain <> $2 AND status = 'PENDING' AND stage = 'signed'
      AND (plugin IS NULL OR plugin IN ${textList(store.dialect, '$3')}) LIMIT 1`,
    [open.record.uid, chain, JSON.stringify(plugins)],
  );
  return rows.length > 0;
}

/**
 * The ledger is on another chain than its actions: what was signed there is lost, the rest moves over.
 *
 * @param plugins those whose actions these are; one that is wrong about the chain takes none along but its own
 * @param isSure every node of the ledger says that it is on this chain
 * @returns the actions that ended by it
 * @throws Problem `ledger-unavailable` when some would, and it is not sure
 */
export async function leaveOldChain(
  store: Store,
  open: OpenLedger,
  chain: string,
  plugins: readonly string[],
  isSure: boolean,
  now: number,
): Promise<string[]> {
  const own = `ledger_uid = $1 AND chain <> $2 AND status = 'PENDING'
      AND (plugin IS NULL OR plugin IN ${textList(store.dialect, '$3')})`;
  const values = [open.record.uid, chain, JSON.stringify(plugins)];
  return store.transaction(async (tx) => {
    const signed = await tx.all<{ id: string }>(
      `SELECT id FROM action WHERE ${own} AND stage = 'signed'`,
      values,
    );
    if (!isSure && signed.length > 0) throw signedMeanwhile(open.record.ledgerId);
    const problem = chainReset(open.record.ledgerId);
    const { ended } = await settle(
      tx,
      signed.map(({ id }) => failure(id, true, problem)),
      now,
    );
    await tx.run(`UPDATE action SET chain = $2, min_height = 0 WHERE ${own} AND stage <> 'signed'`, values);
    return ended;
  });
}

/** How often the history of a chain was lost beyond repair. */
export async function resetsOf(store: Store, base: string): Promise<number> {
  const [row] = await store.read.all<{ resets: number }>('SELECT resets FROM chain_reset WHERE chain = $1', [
    base,
  ]);
  return row?.resets ?? 0;
}

/** More history was lost than is kept here: sequences start anew. Once, although each line on the chain finds it out. */
export async function giveUpChain(store: Store, base: string, resets: number): Promise<void> {
  await store.transaction((tx) =>
    tx.run(
      `INSERT INTO chain_reset (chain, resets) VALUES ($1, 1)
        ON CONFLICT (chain) DO UPDATE SET resets = chain_reset.resets + 1 WHERE chain_reset.resets = $2`,
      [base, resets],
    ),
  );
}

/** Tells whether a chain's key is of before its history was given up, by this server or another one. */
export async function readGivenUp(store: Store): Promise<(key: string) => boolean> {
  const rows = await store.read.all<{ chain: string; resets: number }>(
    'SELECT chain, resets FROM chain_reset',
  );
  return (key) =>
    rows.some(
      ({ chain, resets }) => (key === chain || key.startsWith(`${chain}/`)) && key !== `${chain}/${resets}`,
    );
}

/** Whoever wants to use a line while it is not known which chain its ledger is on. */
export function chainInDoubt(line: LedgerLine): Problem {
  const { ledgerId } = line.open.record;
  const detail = line.trouble() ?? `A node of the ledger ${ledgerId} shows another chain than before.`;
  return new Problem('ledger-unavailable', detail, { retryAfter });
}

/**
 * What is signed is not given up for a node that is only behind: what it has not seen yet may be executed all the same.
 * A development chain is believed, since it has one node, which may make no block before it gets a transaction.
 *
 * @throws Problem `ledger-unavailable`; then the line is in doubt
 */
export function refuseBehind(line: LedgerLine): void {
  const { ledgerId, properties } = line.open.record;
  if (properties.development === true) return;
  line.inDoubt = true;
  const detail = `The node of the ledger ${ledgerId} is behind: it does not have blocks that were read before, and more of them than could be sent again. What is signed is given up only when it shows other blocks in their place; until then nothing is signed or sent.`;
  throw new Problem('ledger-unavailable', detail, { retryAfter });
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
