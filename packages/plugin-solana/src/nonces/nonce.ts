import type { Outcome, Phase } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import { type Address, getAddressDecoder } from '@solana/addresses';
import type { z } from 'zod';
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
/** Number of bytes of a nonce account: version, state, authority, nonce, fee. */
const size = 80;

/** Maximum number of accounts of one call. */
const mostAccounts = 100;

type AccountValue = z.infer<typeof answers.account>['value'];

/** Returns the nonce in an account; undefined if it is not an initialized nonce account. */
function nonceIn(value: AccountValue | undefined): { authority: Address; nonce: string } | undefined {
  if (value?.owner !== systemProgram) return undefined;
  const bytes = Buffer.from(value.data[0], 'base64');
  if (bytes.length !== size || bytes.readUInt32LE(0) !== 1 || bytes.readUInt32LE(4) !== 1) return undefined;
  const decoder = getAddressDecoder();
  return { authority: decoder.decode(bytes, 8), nonce: decoder.decode(bytes, 40) };
}

/**
 * Returns the nonces in accounts as of finalized blocks, and the newest slot of the answers. Omits accounts
 * that cannot be read.
 * @param least lowest slot that the responding node must have reached
 * @throws NodeError `behind`
 */
async function readNonces(
  node: SolanaNode,
  accounts: readonly string[],
  least: bigint,
): Promise<{ nonces: Map<string, string>; newest: bigint }> {
  const nonces = new Map<string, string>();
  let newest = least;
  for (let start = 0; start < accounts.length; start += mostAccounts) {
    const some = accounts.slice(start, start + mostAccounts);
    // One byte more than the size of a nonce account. This shows that an account is larger, and so not a
    // nonce account, without transferring it.
    const dataSlice = { offset: 0, length: size + 1 };
    const config = { commitment: 'finalized', encoding: 'base64', dataSlice };
    const answer = await readable(node.ask('getMultipleAccounts', [some, config], answers.accountsAt));
    if (answer instanceof UnusableAnswer) continue;
    const { context, value } = answer;
    if (context.slot < least) throw new NodeError('behind', `Node ${node.nodeId} is behind slot ${least}.`);
    if (value.length !== some.length)
      throw new NodeError(
        'unavailable',
        `Node ${node.nodeId} did not return a requested account. Check the node or remove it.`,
      );
    if (context.slot > newest) newest = context.slot;
    for (const [index, account] of some.entries()) {
      const found = nonceIn(value[index]);
      if (found !== undefined) nonces.set(account, found.nonce);
    }
  }
  return { nonces, newest };
}

/** Returns the claim of a transaction with a durable nonce. An account has the same nonce only once. */
export function durableNonceClaim(account: string, nonce: string): string {
  return `nonce:${account}:${nonce}`;
}

/**
 * Returns the nonce to use now, and a slot at which the account has this nonce.
 * @throws AdapterError `invalid-argument`
 */
export async function requireNonce(
  node: SolanaNode,
  account: string,
  wallet: string,
  at: Phase,
): Promise<{ nonce: string; slot: bigint }> {
  const config = { commitment: 'confirmed', encoding: 'base64' };
  const { context, value } = await node.ask('getAccountInfo', [account, config], answers.account);
  const found = nonceIn(value);
  if (found?.authority === wallet) return { nonce: found.nonce, slot: context.slot };
  throw invalid(at, '/native/nonceAccount', 'is not a nonce account of the wallet on the ledger');
}

/**
 * Returns the transactions that certainly never execute, among those with a durable nonce. On every answering
 * node, the account must have another nonce in a final block, all blocks since the signature must be
 * available, and none may contain the transaction. A nonce never repeats.
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
    // The nonce was read from finalized blocks, which no reorg removes.
    return [{ txId, status: 'continue', ...place, plan, detail, expired: true }];
  });
}

async function spentOn(
  node: SolanaNode,
  due: ReadonlyMap<string, NonceStep>,
  properties: SolanaProperties,
): Promise<Map<string, { height: number; blockHash: string }>> {
  // Reads the accounts as of a block after the signature, so that an older nonce is not mistaken for a newer one. Reads
  // the statuses after that, so that a transaction that used the nonce up to that block is found.
  const final = await readFinal(node, properties);
  const accounts = [...new Set([...due.values()].map(({ account }) => account))];
  const { nonces, newest } = await readNonces(node, accounts, final.slot);
  const used = [...due].filter(([, { account, nonce, since }]) => {
    const current = nonces.get(account);
    // An unreadable account proves nothing. Before the signature, the account may have had an older nonce.
    return current !== undefined && current !== nonce && since < final.height;
  });
  const spent = new Map<string, { height: number; blockHash: string }>();
  if (used.length === 0) return spent;
  const ids = signaturesIn(used.map(([txId]) => txId));
  const { shown, unreadable } = await statusesOf(node, ids, newest);
  const seen = new Set<string>([...shown.keys(), ...unreadable.keys()]);
  const oldest = await oldestHeight(node, final);
  for (const [txId, { since }] of used)
    if (!seen.has(txId) && oldest <= since) spent.set(txId, { height: final.height, blockHash: final.hash });
  return spent;
}
