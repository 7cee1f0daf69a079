import type { Outcome, Phase } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/outbound';
import { type Address, address, getAddressDecoder } from '@solana/kit';
import { signaturesIn, statusesOf } from '../blocks/final.ts';
import type { SentSteps } from '../deployment/sent-steps.ts';
import { oldestHeight, readFinal } from '../expire.ts';
import { invalid } from '../invalid.ts';
import type { SolanaProperties } from '../properties.ts';
import { answers, ask } from '../rpc/answers.ts';
import type { SolanaNode } from '../rpc/node.ts';
import type { Nodes } from '../rpc/nodes.ts';
import type { SignedStep } from '../transactions/signed.ts';
import { systemProgram } from '../transactions/system.ts';

type NonceStep = Extract<SignedStep, { kind: 'nonce' }>;

const phase = 'confirm';
/** Version, state, authority, nonce, fee. */
const size = 80;

/**
 * The nonce that an account holds; undefined where it is no nonce account that is in use.
 * @param least slot that whatever answers has to have
 * @throws NodeError `behind`
 */
async function readNonce(
  { nodeId, rpc }: SolanaNode,
  account: string,
  { commitment, least = 0n }: { commitment: 'confirmed' | 'finalized'; least?: bigint },
): Promise<{ authority: Address; nonce: string; slot: bigint } | undefined> {
  const call = rpc.getAccountInfo(address(account), { commitment, encoding: 'base64' });
  const {
    context: { slot },
    value,
  } = await ask(nodeId, call, answers.account);
  if (slot < least) throw new NodeError('behind', `Node ${nodeId} is behind slot ${least}.`);
  if (value?.owner !== systemProgram) return undefined;
  const bytes = Buffer.from(value.data[0], 'base64');
  if (bytes.length !== size || bytes.readUInt32LE(0) !== 1 || bytes.readUInt32LE(4) !== 1) return undefined;
  const decoder = getAddressDecoder();
  return { authority: decoder.decode(bytes, 8), nonce: decoder.decode(bytes, 40), slot };
}

/** The nonce to be used now, and a slot in which the account has it. @throws AdapterError `invalid-argument` */
export async function requireNonce(
  node: SolanaNode,
  account: string,
  wallet: string,
  at: Phase,
): Promise<{ nonce: string; slot: bigint }> {
  const found = await readNonce(node, account, { commitment: 'confirmed' });
  if (found?.authority === wallet) return found;
  throw invalid(at, '/native/nonceAccount', 'is no nonce account of the wallet on the ledger');
}

/**
 * Of transactions with a durable nonce, those that certainly never execute: on every node that answers, the account has
 * another nonce in a final block, all blocks since the signature are there, and none shows the transaction. A nonce never comes
 * again.
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
  const found = await nodes.onEvery(phase, (node) => spentOn(node, due, properties));
  const all = [...found.answers.values()];
  if (all.length === 0 || [...found.failures.values()].some(({ code }) => code === 'behind')) return [];
  return [...due].flatMap(([txId, { plan }]): Outcome[] => {
    const places = all.map((spent) => spent.get(txId));
    const [place] = places;
    if (place === undefined || places.includes(undefined)) return [];
    const detail = 'Another transaction has used its nonce: it is made anew with the next one.';
    return [{ txId, status: 'continue', ...place, plan, detail }];
  });
}

async function spentOn(
  node: SolanaNode,
  due: ReadonlyMap<string, NonceStep>,
  properties: SolanaProperties,
): Promise<Map<string, { height: number; blockHash: string }>> {
  // In this order: the account is read with all blocks up to one above the signature, so that no nonce from before looks like
  // a newer one; and what used the nonce up to here is shown by what is asked last.
  const final = await readFinal(node, properties);
  const nonces = new Map<string, string | undefined>();
  let newest = final.slot;
  for (const { account } of due.values()) {
    if (nonces.has(account)) continue;
    const found = await readNonce(node, account, { commitment: 'finalized', least: final.slot });
    nonces.set(account, found?.nonce);
    if (found !== undefined && found.slot > newest) newest = found.slot;
  }
  const changed = [...due].filter(([, { account, nonce }]) => nonces.get(account) !== nonce);
  const spent = new Map<string, { height: number; blockHash: string }>();
  if (changed.length === 0) return spent;
  const ids = signaturesIn(changed.map(([txId]) => txId));
  const shown = await statusesOf(node, ids, newest);
  const oldest = await oldestHeight(node);
  for (const [txId, { account, since }] of changed) {
    const isAbsent = ![...shown.keys()].some((id) => id === txId);
    // An account that cannot be read says nothing.
    if (nonces.get(account) === undefined || !isAbsent || oldest > since) continue;
    if (final.height <= since) throw new NodeError('behind', `Node ${node.nodeId} is behind the signature.`);
    spent.set(txId, { height: final.height, blockHash: final.hash });
  }
  return spent;
}
