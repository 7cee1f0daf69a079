import { common, peer } from '@hyperledger/fabric-protos';
import type { Faults } from '../faults.ts';
import type { Chain, StoredBlock } from '../ledger/chain.ts';
import { validationCode } from '../ledger/ledger.ts';
import { setValidationCodes } from '../messages/block.ts';

const { VALID } = peer.TxValidationCode;

/**
 * Returns the chain as reported by a peer. While {@link Faults.lies} names the peer, it reports valid
 * transactions with another code.
 */
export function reportedChain(mspId: string, chain: Chain, faults: Pick<Faults, 'lies'>): Chain {
  const lie = () => (faults.lies?.mspId === mspId ? faults.lies.code : undefined);
  const told = (found: StoredBlock | undefined) => {
    const code = lie();
    // The first block is reported unchanged: it contains the configuration, which clients need to use the
    // channel.
    return found === undefined || code === undefined || found.number === 0 ? found : changed(found, code);
  };
  return {
    ...chain,
    block: (number) => told(chain.block(number)),
    byHash: (hash) => told(chain.byHash(hash)),
    find(txId) {
      const found = chain.find(txId);
      const code = lie();
      return found?.code === VALID && code !== undefined ? { ...found, code } : found;
    },
  };
}

function changed({ number, block, filtered }: StoredBlock, code: number): StoredBlock {
  const copy = common.Block.deserializeBinary(block.serializeBinary());
  const codes = copy.getMetadata()?.getMetadataList_asU8()[common.BlockMetadataIndex.TRANSACTIONS_FILTER];
  setValidationCodes(
    copy,
    [...(codes ?? [])].map((one) => (one === VALID ? code : one)),
  );
  const list = peer.FilteredBlock.deserializeBinary(filtered.serializeBinary());
  for (const one of list.getFilteredTransactionsList())
    if (one.getTxValidationCode() === VALID) one.setTxValidationCode(validationCode(code));
  return { number, block: copy, filtered: list };
}
