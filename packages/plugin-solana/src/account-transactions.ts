import { type AccountTransactions, AdapterError, type TransactionsRequest } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import type { ReadonlyUint8Array } from '@solana/codecs';
import {
  type CompiledTransactionMessage,
  getCompiledTransactionMessageDecoder,
} from '@solana/transaction-messages';
import { getTransactionDecoder } from '@solana/transactions';
import { readBlock, readHead } from './blocks/head.ts';
import { loader } from './deployment/loader.ts';
import { lifetime, oldestHeight } from './expire.ts';
import { answers } from './rpc/answers.ts';
import type { SolanaNode } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';
import { readable, refusesMethod, UnusableAnswer } from './rpc/unusable-answer.ts';
import { requireAddress } from './transactions/address.ts';
import { isSignatureText } from './transactions/base58.ts';
import { computeBudgetProgram } from './transactions/compute-budget.ts';
import { idOfSigned } from './transactions/signed.ts';

const phase = 'lookup';

/** Maximum number of signatures in one answer, and in total for one account. */
const [listedAtOnce, mostListed] = [1_000, 20_000];
/** Margin in slots: nodes add transactions to the index of an account some time after their block. */
const indexMargin = 150;
/** Number of blocks after which a transaction is certainly listed on nodes whose index is healthy. */
const usualLag = 32;
/** Maximum number of transactions that are read concurrently. */
const readAtOnce = 16;

/** The transactions of an account that one node lists. */
interface Listing {
  head: number;
  /** Slots of transactions above the height, by signature. */
  slots: Map<string, bigint>;
  incomplete?: string;
}

/**
 * Returns the transactions that mention an account, above a height. Queries every node and returns the union of their
 * lists, so a transaction is found if any node lists it. The result is complete if the list of one node is.
 */
export async function transactionsOf(
  { address, since }: TransactionsRequest,
  { nodes }: { nodes: Nodes },
): Promise<AccountTransactions> {
  const account = requireAddress(address, phase, '/address');
  if (since === null) {
    const { height } = await nodes.onNode(phase, (node) => readHead(node));
    return { txIds: [], head: height, completeTo: height };
  }
  const { answers: listings, failures } = await nodes.onEach(phase, (node) => listOn(node, account, since));
  const all = [...listings.values()];
  const [first] = all;
  if (first === undefined) {
    const failure = [...failures.values()][0] ?? new NodeError('unavailable', 'No node answers.');
    throw failure.toAdapterError(phase);
  }
  const slots = new Map(all.flatMap((one) => [...one.slots]));
  const newest = [...slots].toSorted(([, one], [, other]) => (one < other ? 1 : one > other ? -1 : 0));
  const head = Math.max(...all.map((one) => one.head));
  const isComplete = all.some(({ incomplete }) => incomplete === undefined);
  return {
    txIds: newest.slice(0, mostListed).map(([signature]) => signature),
    head,
    completeTo: Math.max(since, Math.min(...all.map((one) => one.head)) - indexMargin),
    expiresBy: head + lifetime + usualLag,
    ...(isComplete || first.incomplete === undefined ? {} : { incomplete: first.incomplete }),
  };
}

async function listOn(node: SolanaNode, account: string, since: number): Promise<Listing> {
  const { nodeId } = node;
  const head = await readHead(node);
  if (head.height < since) throw new NodeError('behind', `Node ${nodeId} is behind height ${since}.`);
  const listing: Listing = { head: head.height, slots: new Map() };
  for (let before: string | undefined; ; ) {
    const config = {
      ...{ commitment: 'confirmed', limit: listedAtOnce },
      ...(before === undefined ? {} : { before }),
    };
    const page = await readable(node.ask('getSignaturesForAddress', [account, config], answers.signatures));
    if (page instanceof UnusableAnswer) {
      // Other errors are temporary: the list is requested again.
      if (page.error !== undefined && !refusesMethod(page)) throw page;
      return { ...listing, incomplete: page.message };
    }
    const above = await countAbove(node, page, since);
    for (const { signature, slot } of page.slice(0, above)) listing.slots.set(signature, slot);
    if (above < page.length) return listing;
    if (page.length < listedAtOnce) break;
    if (listing.slots.size >= mostListed) {
      const incomplete = `The account ${account} has more than ${mostListed} transactions above height ${since}.`;
      return { ...listing, incomplete };
    }
    before = page.at(-1)?.signature;
  }
  const oldest = await oldestHeight(node, head);
  if (oldest <= since + 1) return listing;
  const which = Number.isFinite(oldest) ? `no block below height ${oldest}` : 'no old blocks';
  const incomplete = `Node ${nodeId} has ${which}, but transactions above height ${since} must be compared. Add a node that has the history.`;
  return { ...listing, incomplete };
}

/**
 * Returns the number of transactions in a list (newest first) that are above a height. Heights count blocks,
 * but lists contain slots, so blocks are read: only one if nothing is new. A block that cannot be read is
 * assumed to be above.
 */
async function countAbove(
  node: SolanaNode,
  page: readonly { slot: bigint }[],
  since: number,
): Promise<number> {
  const isAbove = async (at: number): Promise<boolean> => {
    const slot = page[at]?.slot ?? 0n;
    // A block has at most the height of its slot.
    if (slot <= BigInt(since)) return false;
    const block = await readable(readBlock(node, slot));
    return block === null || block instanceof UnusableAnswer || block.height > since;
  };
  let [low, high] = [0, 0];
  while (high < page.length && (await isAbove(high))) {
    low = high + 1;
    high = Math.min(page.length, 2 * high + 1);
  }
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await isAbove(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the signers of each of these transactions. */
export async function signersOfAll(
  txIds: readonly string[],
  context: { nodes: Nodes },
): Promise<(string[] | null)[]> {
  const found: (string[] | null)[] = [];
  for (let at = 0; at < txIds.length; at += readAtOnce) {
    const some = txIds.slice(at, at + readAtOnce);
    found.push(...(await Promise.all(some.map((txId) => signersOf(txId, context)))));
  }
  return found;
}

/** Returns null if the answering nodes do not have the transaction. */
async function signersOf(txId: string, { nodes }: { nodes: Nodes }): Promise<string[] | null> {
  if (!isSignatureText(txId)) return null;
  let isMissing = false;
  const config = { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 0 };
  try {
    return await nodes.onNode(phase, async (node) => {
      const found = await node.ask('getTransaction', [txId, config], answers.transaction);
      if (found !== null) return signersIn(found.transaction, txId, node.nodeId);
      isMissing = true;
      throw new NodeError('behind', `Node ${node.nodeId} does not have the transaction ${txId}.`);
    });
  } catch (error) {
    if (isMissing && error instanceof AdapterError) return null;
    throw error;
  }
}

/** Returns the signers of a transaction, proved by their signatures. @throws NodeError for other bytes */
function signersIn(answer: unknown, txId: string, nodeId: string): string[] {
  const [text] = Array.isArray(answer) ? answer : [];
  const bytes = Buffer.from(typeof text === 'string' ? text : '', 'base64');
  if (idOfSigned(bytes) !== txId) {
    const detail = `Node ${nodeId} answered getTransaction with bytes that are not the transaction ${txId}.`;
    throw new NodeError('unavailable', detail);
  }
  const { messageBytes } = getTransactionDecoder().decode(bytes);
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  // The host knows only the id of a deployment's last write. Writes do not move lamports, and repeating them
  // has no effect.
  if (onlyWritesCode(message)) return [];
  return message.staticAccounts.slice(0, message.header.numSignerAccounts);
}

/** Whether a transaction only writes the code of a program into a buffer. */
function onlyWritesCode(message: CompiledTransactionMessage): boolean {
  if (!('instructions' in message)) return false;
  const own = message.instructions.filter(
    ({ programAddressIndex }) => message.staticAccounts[programAddressIndex] !== computeBudgetProgram,
  );
  return (
    own.length > 0 && own.every((one) => isWrite(message.staticAccounts[one.programAddressIndex], one.data))
  );
}

function isWrite(program: string | undefined, data: ReadonlyUint8Array = new Uint8Array()): boolean {
  return program === loader && data.length >= 4 && Buffer.from(data).readUInt32LE(0) === 1;
}
