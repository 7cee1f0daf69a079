import type { Cursor } from '@ledger-ops/adapter';
import { toBeHex, verifyAuthorization } from 'ethers';
import { changed } from '../blocks/chain-reading.ts';
import { type Receipt, readReceipt } from '../blocks/receipt.ts';
import { blockAt, readBlockOrNull } from '../rpc/block.ts';
import type { RpcAnswer, RpcCall, RpcNode } from '../rpc/node.ts';
import { readHash, readNumber, readObject, readQuantity, toHex } from '../rpc/quantity.ts';

/** A sequence of an account, and the ids of what is signed at it. */
export interface Slot {
  address: string;
  sequence: bigint;
  txIds: readonly string[];
}

/** How a sequence was used, as a node shows it. */
export type NonceUse =
  /** By one of what is signed at it; the receipt where the node has it. */
  | { kind: 'own'; height: number; txId: string; receipt: Receipt | undefined }
  /** By something else. `by`: its transaction, where one can be named. */
  | { kind: 'foreign'; height: number; blockHash: string; by?: string }
  /** The node counts that it was used, and does not show by what; `isPruned`: since it has not kept where to look. */
  | { kind: 'unclear'; detail: string; isPruned: boolean };

/**
 * Finds what used a sequence: the block in which the node's count of the account passes it, by halving, and in this
 * block what did it. The counts only say where to look, so that a wrong one finds nothing; the block is read beside the
 * cursor's, from one node.
 * @param hint where it was found before
 */
export async function findNonceUse(
  node: RpcNode,
  slot: Slot,
  cursor: Cursor,
  { chainId, hint }: { chainId: bigint | undefined; hint: number | undefined },
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
    return { kind: 'own', height, txId: own, receipt: receiptIn(receipts, own, block.hash) };
  }
  const foreign = block === null ? undefined : await foreignUse(node, slot, cursor, { height, chainId });
  if (foreign !== undefined && 'kind' in foreign) return foreign;
  const isPruned = foreign?.isPruned === true;
  const what = `Node ${nodeId} counts the nonce ${slot.sequence} of ${slot.address} as used, and does not show by what`;
  const why =
    block === null
      ? `it does not have block ${height}`
      : isPruned
        ? `it has not kept the state of the blocks before ${height}, which would say in which one to look`
        : `nothing in block ${height} uses it`;
  return { kind: 'unclear', detail: `${what}: ${why}.`, isPruned };
}

/** The answers of what has the cursor's block, behind the node's address. */
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

/** The lowest height from which on the node counts the sequence as used; below it the node may have kept no state. */
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
  // It happened a short while ago as a rule, and nodes keep the state of the last blocks.
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

/** The designation that an account's code begins with where it is delegated (EIP-7702). */
const delegation = /^0xef0100/i;

/** The use of a sequence in a block by anything that is not signed here; else whether the state before is gone. */
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
  for (const one of Array.isArray(transactions) ? transactions : []) {
    const transaction = readObject(one, "a block's transaction");
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
  // Code of a delegated account makes contracts in its name, each at a nonce of the account, without any of its transactions.
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

/** Whether the account's owner signed an authorization at this sequence, which uses it up, for anybody to put in. */
function authorizes(
  { authorizationList }: Readonly<Record<string, unknown>>,
  { address, sequence, chainId }: { address: string; sequence: bigint; chainId: bigint | undefined },
): boolean {
  if (!Array.isArray(authorizationList)) return false;
  return authorizationList.some((one) => {
    const { nonce, chainId: chain, address: target, r, s, yParity } = readObject(one, 'an authorization');
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
      // A block may hold signatures that are none: they authorize nothing.
      return false;
    }
  });
}

function receiptIn(answer: RpcAnswer | undefined, txId: string, blockHash: string): Receipt | undefined {
  if (answer?.ok !== true || !Array.isArray(answer.result)) return undefined;
  const found = answer.result.find((one) => readObject(one, 'a receipt').transactionHash === txId);
  const receipt = found === undefined ? undefined : readReceipt(found);
  return receipt?.blockHash === blockHash ? receipt : undefined;
}
