import type { Outcome, Phase } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import { type Address, getAddressDecoder } from '@solana/kit';
import { signaturesIn, statusesOf } from '../blocks/final.ts';
import type { SentSteps } from '../deployment/sent-steps.ts';
import { oldestHeight, readFinal } from '../expire.ts';
import { invalid } from '../invalid.ts';
import type { SolanaProperties } from '../properties.ts';
import { answers } from '../rpc/answers.ts';
import type { SolanaNode } from '../rpc/node.ts';
import type { Nodes } from '../rpc/nodes.ts';
import { readable, UnusableAnswer } from '../rpc/unusable-answer.ts';
import type { SignedStep } from '../transactions/signed.ts';
import { systemProgram } from '../transactions/system.ts';

type NonceStep = Extract<SignedStep, { kind: 'nonce' }>;

const phase = 'confirm';
/** Version, state, authority, nonce, fee. */
const size = 80;

/**
 * The nonce in an account; undefined if it is not an initialized nonce account.
 * @param least slot that the answering machine must have reached
 * @throws NodeError `behind`
 */
async function readNonce(
  node: SolanaNode,
  account: string,
  { commitment, least = 0n }: { commitment: 'confirmed' | 'finalized'; least?: bigint },
): Promise<{ authority: Address; nonce: string; slot: bigint } | undefined> {
  const config = { commitment, encoding: 'base64' };
  const {
    context: { slot },
    value,
  } = await node.ask('getAccountInfo', [account, config], answers.account);
  if (slot < least) throw new NodeError('behind', `Node ${node.nodeId} is behind slot ${least}.`);
  if (value?.owner !== systemProgram) return undefined;
  const bytes = Buffer.from(value.data[0], 'base64');
  if (bytes.length !== size || bytes.readUInt32LE(0) !== 1 || bytes.readUInt32LE(4) !== 1) return undefined;
  const decoder = getAddressDecoder();
  return { authority: decoder.decode(bytes, 8), nonce: decoder.decode(bytes, 40), slot };
}

/** The claim of a transaction with a durable nonce: the account has this nonce once only. */
export function durableNonceClaim(account: string, nonce: string): string {
  return `nonce:${account}:${nonce}`;
}

/** The nonce to use now, and a slot in which the account has it. @throws AdapterError `invalid-argument` */
export async function requireNonce(
  node: SolanaNode,
  account: string,
  wallet: string,
  at: Phase,
): Promise<{ nonce: string; slot: bigint }> {
  const found = await readNonce(node, account, { commitment: 'confirmed' });
  if (found?.authority === wallet) return found;
  throw invalid(at, '/native/nonceAccount', 'is not a nonce account of the wallet on the ledger');
}

/**
 * Returns the transactions that certainly never execute, among those with a durable nonce: on every answering node, the
 * account has another nonce in a final block, all blocks since the signature are available, and none contains the
 * transaction. A nonce never repeats.
 */
export async function spentNonces(
  open: readonly string[],
  steps: SentSteps,
  nodes: Nodes,
  properties: SolanaProperties,
): Promise<Outcome[]> {
  const due = new Map<string, NonceStep>();
  for (const txId of open) {
    const step = steps.find(txId);
    if (step?.kind === 'nonce') due.set(txId, step);
  }
  if (due.size === 0) return [];
  const found = await nodes.onEach(phase, (node) => spentOn(node, due, properties));
  const all = [...found.answers.values()];
  if (all.length === 0 || [...found.failures.values()].some(({ code }) => code === 'behind')) return [];
  return [...due].flatMap(([txId, { plan }]): Outcome[] => {
    const places = all.map((spent) => spent.get(txId));
    const [place] = places;
    if (place === undefined || places.includes(undefined)) return [];
    const detail =
      'Another transaction has used its nonce. The transaction is created again with the next nonce.';
    // Read from finalized blocks, which no reorg removes.
    return [{ txId, status: 'continue', ...place, plan, detail, expired: true }];
  });
}

async function spentOn(
  node: SolanaNode,
  due: ReadonlyMap<string, NonceStep>,
  properties: SolanaProperties,
): Promise<Map<string, { height: number; blockHash: string }>> {
  // The order matters: the account is read as of a block after the signature, so that an older nonce does not look like
  // a newer one; the last query then shows what used the nonce until here.
  const final = await readFinal(node, properties);
  const nonces = new Map<string, string | undefined>();
  let newest = final.slot;
  for (const { account } of due.values()) {
    if (nonces.has(account)) continue;
    const reading = readNonce(node, account, { commitment: 'finalized', least: final.slot });
    const found = await readable(reading);
    const isRead = found !== undefined && !(found instanceof UnusableAnswer);
    nonces.set(account, isRead ? found.nonce : undefined);
    if (isRead && found.slot > newest) newest = found.slot;
  }
  const changed = [...due].filter(([, { account, nonce }]) => nonces.get(account) !== nonce);
  const spent = new Map<string, { height: number; blockHash: string }>();
  if (changed.length === 0) return spent;
  const ids = signaturesIn(changed.map(([txId]) => txId));
  const { shown, unreadable } = await statusesOf(node, ids, newest);
  const seen = new Set<string>([...shown.keys(), ...unreadable.keys()]);
  const oldest = await oldestHeight(node, final);
  for (const [txId, { account, since }] of changed) {
    // In the final block, the account may still have an older nonce than the transaction's.
    if (final.height <= since) continue;
    // An unreadable account proves nothing.
    if (nonces.get(account) === undefined || seen.has(txId) || oldest > since) continue;
    spent.set(txId, { height: final.height, blockHash: final.hash });
  }
  return spent;
}
