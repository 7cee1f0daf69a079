import { createHash } from 'node:crypto';
import { common } from '@hyperledger/fabric-protos';
import { adapterError } from '@ledger-ops/adapter';
import { slices } from '@ledger-ops/glo-core';
import { integer, octetString, sequence } from '../identity/der.ts';
import { classify } from './errors.ts';
import { blockShape, demandFewFields } from './message-fields.ts';
import type { Peer } from './peer.ts';
import { PeerError } from './peer-error.ts';
import { type Queries, type Query, readable } from './query.ts';
import { readBlock, type TransactionInBlock } from './transaction-content.ts';

/** The block that contains a transaction, and the peer that returned it. */
export interface BlockOfTransaction {
  number: number;
  transactions: TransactionInBlock[];
  peer: Peer;
}

/** A block with its hash and its predecessor's, `0x` hex. */
export interface BlockByNumber {
  number: number;
  hash: string;
  previousHash: string;
  transactions: TransactionInBlock[];
}

/** The peers' system chaincode for a channel: qscc, and cscc for the configuration. */
export interface Qscc {
  /** Returns the number of blocks according to this peer or, without a peer, the first working one. */
  height(channel: string, peer?: Peer): Promise<number>;
  /** Returns the hash of block 0, `0x` hex. */
  genesis(channel: string, peer?: Peer): Promise<string>;
  /**
   * Returns all transactions of the block that contains this transaction, according to this peer or the first
   * working one; undefined if the peer does not know the transaction.
   */
  blockOf(channel: string, txId: string, peer?: Peer): Promise<BlockOfTransaction | undefined>;
  /**
   * Returns a block from the first working peer that has it.
   * @throws AdapterError `unavailable` if no peer has it yet
   */
  blockAt(channel: string, number: number): Promise<BlockByNumber>;
  /** Returns the newest configuration block, from a gateway or from this peer. */
  configBlock(channel: string, peer?: Peer): Promise<common.Block>;
}

/**
 * Maximum number of bytes of a hash in a block's header. The header is hashed in one step, and 32 MiB would
 * take 200 ms. Hashes of Fabric have 32 bytes.
 */
const longestHash = 64;

function readBlockMessage(bytes: Uint8Array): common.Block {
  demandFewFields(bytes, blockShape);
  const block = common.Block.deserializeBinary(bytes);
  const header = block.getHeader();
  for (const hash of [header?.getPreviousHash_asU8(), header?.getDataHash_asU8()]) {
    if (hash !== undefined && hash.length > longestHash)
      throw new TypeError(`A block's header has a hash of more than ${longestHash} bytes.`);
  }
  return block;
}

/** @param timeout milliseconds for one query */
export function createQscc(queries: Queries, timeout: number): Qscc {
  /**
   * Queries the peer directly if it matters which peer responds, because a gateway may forward a query to
   * another peer.
   */
  async function ask<Answer>(query: Query, read: (bytes: Uint8Array) => Answer, peer?: Peer) {
    return peer === undefined
      ? queries.queryAnyPeer(query, timeout, read)
      : { peer, answer: readable(await queries.queryPeer(peer, query, timeout), read) };
  }

  return {
    async height(channel, peer) {
      const query = { channel, chaincode: 'qscc', method: 'GetChainInfo', args: [channel] };
      const { answer } = await ask(
        query,
        (bytes) => common.BlockchainInfo.deserializeBinary(bytes).getHeight(),
        peer,
      );
      return answer;
    },
    async genesis(channel, peer) {
      const query = { channel, chaincode: 'qscc', method: 'GetBlockByNumber', args: [channel, '0'] };
      const answer = await (peer === undefined
        ? queries.evaluate(query, timeout)
        : queries.queryPeer(peer, query, timeout));
      return readable(answer, (bytes) => hashOf(readBlockMessage(bytes)));
    },
    async blockOf(channel, txId, asked) {
      const query = { channel, chaincode: 'qscc', method: 'GetBlockByTxID', args: [channel, txId] };
      try {
        const { peer, answer } = await ask(query, readBlockMessage, asked);
        return { ...(await slices.run(readBlock(answer))), peer };
      } catch (error) {
        if (error instanceof PeerError && classify(error).kind === 'not-found') return undefined;
        throw error;
      }
    },
    async blockAt(channel, number) {
      const query = { channel, chaincode: 'qscc', method: 'GetBlockByNumber', args: [channel, `${number}`] };
      try {
        const { answer } = await ask(query, (bytes) => {
          const block = readBlockMessage(bytes);
          const previous = Buffer.from(block.getHeader()?.getPreviousHash_asU8() ?? []).toString('hex');
          if (block.getHeader()?.getNumber() !== number)
            throw new TypeError('The peer returned a different block than the requested one.');
          return { block, hash: hashOf(block), previousHash: `0x${previous}` };
        });
        const { block, ...hashes } = answer;
        return { ...(await slices.run(readBlock(block))), ...hashes };
      } catch (error) {
        if (!(error instanceof PeerError) || classify(error).kind !== 'not-found') throw error;
        const detail = `The peer does not return block ${number} of channel ${channel} yet.`;
        throw adapterError('unavailable', detail, { cause: error });
      }
    },
    async configBlock(channel, peer) {
      const query = { channel, chaincode: 'cscc', method: 'GetConfigBlock', args: [channel] };
      const answer = await (peer === undefined
        ? queries.evaluate(query, timeout)
        : queries.queryPeer(peer, query, timeout));
      return readable(answer, readBlockMessage);
    },
  };
}

/**
 * Returns the hash of a block's header, as in the next block's `previous_hash` (Fabric:
 * protoutil/blockutils.go).
 */
function hashOf(block: common.Block): string {
  const header = block.getHeader();
  if (header === undefined) throw new TypeError('The block has no header.');
  const encoded = sequence(
    integer(BigInt(header.getNumber())),
    octetString(header.getPreviousHash_asU8()),
    octetString(header.getDataHash_asU8()),
  );
  return `0x${createHash('sha256').update(encoded).digest('hex')}`;
}
