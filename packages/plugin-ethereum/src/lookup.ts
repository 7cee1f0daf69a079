import { boundedJson, type LookupResult, type TransactionOrigin } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import { getAddress } from 'ethers';
import { z } from 'zod';
import type { ErrorRegistry } from './abi/error-registry.ts';
import { failureReasons } from './blocks/failure-reason.ts';
import { type Receipt, readReceipt, receiptIn, receiptOf } from './blocks/receipt.ts';
import { detailOf } from './blocks/unreadable-receipts.ts';
import type { EthereumProperties } from './properties.ts';
import { blockAt, latestBlock, readBlock, readBlockOrNull } from './rpc/block.ts';
import { quoteAnswer } from './rpc/errors.ts';
import type { RpcAnswer } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';

/** The parts of a session that `lookup` needs. */
export interface LookupContext {
  nodes: Nodes;
  registry: ErrorRegistry;
  properties: EthereumProperties;
}

const phase = 'lookup';

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .toLowerCase();
const number = z.string().regex(/^0x[0-9a-fA-F]{1,64}$/);
const originSchema = z.object({
  from: address,
  nonce: number,
  to: address.nullish().transform((to) => to ?? null),
  value: number,
  input: z.string().regex(/^0x(?:[0-9a-fA-F]{2})*$/),
});

/** Looks up a transaction by its hash: PENDING until its block has the ledger's required depth; null if unknown. */
export async function lookUp(
  txId: string,
  { nodes, registry, properties }: LookupContext,
): Promise<LookupResult | null> {
  if (!/^0x[0-9a-fA-F]{64}$/.test(txId)) return null;
  const id = txId.toLowerCase();
  return nodes.onNode(phase, async (node) => {
    const [latest, raw, transaction] = await node.batch([
      latestBlock,
      receiptOf(id),
      { method: 'eth_getTransactionByHash', params: [id] },
    ]);
    const head = readBlock(require(latest));
    const value = require(raw);
    if (value === null)
      return require(transaction) === null ? null : { txId: id, status: 'PENDING', ...originOf(transaction) };
    const receipt = readOrBehind(node.nodeId, value);
    const { height, blockHash } = receipt;
    const [answer] = await node.batch([blockAt(height)]);
    const block = readBlockOrNull(require(answer));
    if (block?.hash !== blockHash) return { txId: id, status: 'PENDING' };
    const { contractAddress, fee, blockTime } = receiptIn(receipt, block);
    const found = {
      txId: id,
      height,
      blockHash,
      ...(contractAddress === undefined ? {} : { contractAddress }),
      receipt: boundedJson(value),
      ...originOf(transaction),
    };
    if (head.height - height + 1 < properties.confirmations) return { ...found, status: 'PENDING' };
    const final = {
      ...found,
      ...(fee === undefined ? {} : { fee }),
      ...(blockTime === undefined ? {} : { blockTime }),
    };
    if (receipt.succeeded) return { ...final, status: 'SUCCEEDED' };
    const problem = (await failureReasons(node, [receipt], phase, registry)).get(receipt.txId);
    return { ...final, status: 'FAILED', ...(problem === undefined ? {} : { problem }) };
  });
}

/**
 * @throws NodeError `behind` if the receipt is malformed: another node may return a valid one, but this node
 * stays in use
 */
function readOrBehind(nodeId: string, value: unknown): Receipt {
  try {
    return readReceipt(value);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    throw new NodeError('behind', detailOf(nodeId, value, error));
  }
}

/** Returns the sender and the content of a transaction; nothing if the node does not return it in full. */
function originOf(answer: RpcAnswer | undefined): Partial<TransactionOrigin> {
  const { data } = originSchema.safeParse(answer?.ok === true ? answer.result : undefined);
  if (data === undefined) return {};
  const { from, nonce, to, value, input } = data;
  return {
    sender: getAddress(from),
    sequence: BigInt(nonce),
    effect: {
      to: to === null ? null : getAddress(to),
      value: BigInt(value).toString(),
      data: input.toLowerCase(),
    },
  };
}

function require(answer: RpcAnswer | undefined): unknown {
  if (answer?.ok === true) return answer.result;
  throw new NodeError('unavailable', `A node could not look up the transaction.${quoteAnswer(answer)}`);
}
