import type { Json, LookupResult } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/outbound';
import type { ErrorRegistry } from './abi/error-registry.ts';
import { failureReasons } from './blocks/failure-reason.ts';
import { readReceipt, receiptIn, receiptOf } from './blocks/receipt.ts';
import type { EthereumProperties } from './properties.ts';
import { blockAt, latestBlock, readBlock, readBlockOrNull } from './rpc/block.ts';
import type { RpcAnswer } from './rpc/node.ts';
import type { Nodes } from './rpc/nodes.ts';

/** The part of a session that looking up needs. */
export interface LookupContext {
  nodes: Nodes;
  registry: ErrorRegistry;
  properties: EthereumProperties;
}

const phase = 'lookup';

/** A transaction by its hash: PENDING until its block is as deep as the ledger asks; null when unknown. */
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
    if (value === null) return require(transaction) === null ? null : { txId: id, status: 'PENDING' };
    const receipt = readReceipt(value);
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
      receipt: toJson(value),
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

/** A value that JSON.parse gave, as the type that it has. */
function toJson(value: unknown): Json {
  if (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    typeof value === 'number'
  ) {
    return value;
  }
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object') return null;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toJson(member)]));
}

function require(answer: RpcAnswer | undefined): unknown {
  if (answer?.ok === true) return answer.result;
  const said =
    answer === undefined ? 'nothing' : `${answer.error.message.slice(0, 200)} (${answer.error.code})`;
  throw new NodeError('unavailable', `A node could not look the transaction up: ${said}.`);
}
