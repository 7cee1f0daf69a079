import type { Cursor } from '@ledger-ops/adapter';
import { toBeHex, verifyAuthorization } from 'ethers';
import { changed } from '../blocks/chain-reading.ts';
import type { Receipt } from '../blocks/receipt.ts';
import type { UnreadableReceipts } from '../blocks/unreadable-receipts.ts';
import { blockAt, readBlockOrNull } from '../rpc/block.ts';
import type { RpcAnswer, RpcCall, RpcNode } from '../rpc/node.ts';
import { isObject, readHash, readNumber, readObject, readQuantity, toHex } from '../rpc/quantity.ts';

/** A nonce of an account, and the ids of the transactions signed at it. */
export interface Slot {
  address: string;
  sequence: bigint;
  txIds: readonly string[];
}

/** How a nonce was used, according to one node. */
export type NonceUse =
  /** Used by one of our transactions; with the receipt if the node has it. */
  | { kind: 'own'; height: number; txId: string; receipt: Receipt | undefined }
  /** Used by another transaction. `by` is its id, if it can be found. */
  | { kind: 'foreign'; height: number; blockHash: string; by?: string }
  /**
   * The node counts the nonce as used but does not return the transaction that used it. `isPruned`: the node
   * no longer has the state that a search needs.
   */
  | { kind: 'unclear'; detail: string; isPruned: boolean };

/**
 * Finds the transaction that used a nonce. Searches by bisection for the block in which the account's count
 * passes the nonce, then reads this block. The counts only guide the search: with a wrong count, nothing is
 * found. The block is read together with the cursor's block, from one node.
 *
 * @param hint the height of an earlier finding
 */
export async function findNonceUse(
  node: RpcNode,
  slot: Slot,
  cursor: Cursor,
  {
    chainId,
    hint,
    unreadable,
  }: { chainId: bigint | undefined; hint: number | undefined; unreadable: UnreadableReceipts },
): Promise<NonceUse> {
  const { nodeId } = node;
  const height = await passingHeight(node, slot, cursor.height, hint);
  if (height === 'unused' || height === 'unknown') {
    const detail = `Node ${nodeId} does not count the nonce ${slot.sequence} of ${slot.address} as used at block ${cursor.height}.`;
    return { kind: 'unclear', detail, isPruned: height === 'unknown' };
  }
  const [answer] = await beside(node, cursor, [blockAt(height)]);
  const block = answer?.ok === true ? readBlockOrNull(answer.result) : null;
  const own = slot.txIds.find((txId) => block?.transactions?.includes(txId));
  if (block !== null && own !== undefined) {
    const [receipts] = await beside(node, cursor, [
      { method: 'eth_getBlockReceipts', params: [toHex(height)] },
    ]);
    const found = receiptIn(receipts, own);
    const receipt = found === undefined ? undefined : unreadable.read(nodeId, own, found);
    const isOfBlock = receipt?.blockHash === block.hash && receipt.height === height;
    if (receipt !== undefined && !isOfBlock) unreadable.contradicts(nodeId, receipt);
    return { kind: 'own', height, txId: own, receipt: isOfBlock ? receipt : undefined };
  }
  const foreign = block === null ? undefined : await foreignUse(node, slot, cursor, { height, chainId });
  if (foreign !== undefined && 'kind' in foreign) return foreign;
  const isPruned = foreign?.isPruned === true;
  const what = `Node ${nodeId} counts the nonce ${slot.sequence} of ${slot.address} as used but does not return the transaction`;
  const why =
    block === null
      ? `it does not have block ${height}`
      : isPruned
        ? `it does not keep the state of the blocks before ${height}, which is needed to find the block`
        : `no transaction in block ${height} uses it`;
  return { kind: 'unclear', detail: `${what}: ${why}.`, isPruned };
}

/**
 * Calls a node that has the cursor's block. The block is requested with the calls, because one address may lead to
 * several nodes.
 */
async function beside(node: RpcNode, cursor: Cursor, calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
  const { seen, answers } = await node.witnessed(blockAt(cursor.height), calls);
  const isThere = seen.every((one) => one.ok && readBlockOrNull(one.result)?.hash === cursor.hash);
  if (!isThere) throw changed(node);
  return answers;
}

const countAt = (address: string, height: number): RpcCall => ({
  method: 'eth_getTransactionCount',
  params: [address, toHex(height)],
});

/**
 * Returns the lowest height at which the node counts the nonce as used. The node may have pruned the state
 * below this height.
 */
async function passingHeight(
  node: RpcNode,
  { address, sequence }: Slot,
  top: number,
  hint: number | undefined,
): Promise<number | 'unused' | 'unknown'> {
  const isPassed = async (height: number): Promise<boolean | undefined> => {
    const [answer] = await node.batch([countAt(address, height)]);
    if (answer?.ok !== true) return undefined;
    return BigInt(readNumber(answer.result, 'a transaction count')) > sequence;
  };
  const isUsed = await isPassed(top);
  if (isUsed !== true) return isUsed === undefined ? 'unknown' : 'unused';
  let high = hint !== undefined && hint < top && (await isPassed(hint)) ? hint : top;
  // Starts at the newest blocks, because the nonce was probably used recently and nodes keep the state of
  // these blocks.
  let low = high - 1;
  for (let step = 2; low >= 0 && (await isPassed(low)); step *= 2) {
    high = low;
    low = Math.max(-1, low - step);
  }
  while (high - low > 1) {
    const middle = Math.floor((high + low) / 2);
    if (await isPassed(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Prefix of the code of a delegated account (EIP-7702). */
const delegation = /^0xef0100/i;

/**
 * Searches the block that used the nonce for an outside transaction or authorization. If there is none,
 * returns whether the previous state is pruned.
 */
async function foreignUse(
  node: RpcNode,
  { address, sequence }: Slot,
  cursor: Cursor,
  { height, chainId }: { height: number; chainId: bigint | undefined },
): Promise<(NonceUse & { kind: 'foreign' }) | { isPruned: boolean }> {
  const [full, after, code, before] = await beside(node, cursor, [
    { method: 'eth_getBlockByNumber', params: [toHex(height), true] },
    countAt(address, height),
    { method: 'eth_getCode', params: [address, toHex(height)] },
    countAt(address, Math.max(0, height - 1)),
  ]);
  if (full?.ok !== true || full.result === null) return { isPruned: false };
  const { hash, transactions } = readObject(full.result, 'a block');
  const blockHash = readHash(hash, "a block's hash");
  for (const transaction of Array.isArray(transactions) ? transactions.filter(isObject) : []) {
    const isOfAccount = isAddress(transaction.from, address) && isQuantity(transaction.nonce, sequence);
    if (isOfAccount || authorizes(transaction, { address, sequence, chainId })) {
      return { kind: 'foreign', height, blockHash, by: readHash(transaction.hash, "a transaction's hash") };
    }
  }
  const numbers = [before, after].map((one) =>
    one?.ok === true ? BigInt(readNumber(one.result, 'a transaction count')) : undefined,
  );
  const [had, has] = numbers;
  if (had === undefined) return { isPruned: true };
  // Code of a delegated account can create contracts, and each uses a nonce without a transaction.
  const isDelegated = code?.ok === true && typeof code.result === 'string' && delegation.test(code.result);
  const isPassed = had <= sequence && has !== undefined && has > sequence;
  return isDelegated && isPassed ? { kind: 'foreign', height, blockHash } : { isPruned: false };
}

function isAddress(value: unknown, address: string): boolean {
  return typeof value === 'string' && value.toLowerCase() === address.toLowerCase();
}

function isQuantity(value: unknown, wanted: bigint): boolean {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) && BigInt(value) === wanted;
}

/**
 * Whether the block contains an authorization by the account's owner with this nonce. Anybody can submit such
 * an authorization, and it uses the nonce.
 */
function authorizes(
  { authorizationList }: Readonly<Record<string, unknown>>,
  { address, sequence, chainId }: { address: string; sequence: bigint; chainId: bigint | undefined },
): boolean {
  if (!Array.isArray(authorizationList)) return false;
  return authorizationList.some((one) => {
    if (!isObject(one)) return false;
    const { nonce, chainId: chain, address: target, r, s, yParity } = one;
    if (!isQuantity(nonce, sequence) || typeof target !== 'string') return false;
    if (!isQuantity(chain, 0n) && (chainId === undefined || !isQuantity(chain, chainId))) return false;
    try {
      const word = (value: unknown) => toBeHex(readQuantity(value, 'a signature'), 32);
      const signature = { r: word(r), s: word(s), yParity: isQuantity(yParity, 0n) ? 0 : 1 } as const;
      const signer = verifyAuthorization(
        { address: target, nonce: sequence, chainId: readQuantity(chain, 'a chain id') },
        signature,
      );
      return isAddress(signer, address);
    } catch {
      // Blocks may contain invalid signatures, which authorize nothing.
      return false;
    }
  });
}

/** Returns the receipt of one transaction among those of its block. */
function receiptIn(answer: RpcAnswer | undefined, txId: string): unknown {
  if (answer?.ok !== true || !Array.isArray(answer.result)) return undefined;
  return answer.result.find((one) => isObject(one) && one.transactionHash === txId);
}
