import { common, peer } from '@hyperledger/fabric-protos';
import type { ChaincodeResponse } from '../chaincode/types.ts';
import type { StoredBlock } from '../ledger/chain.ts';
import { may, refusal } from './access.ts';
import { failure, type SystemChaincode, type SystemContext, success, text } from './types.ts';

/**
 * Creates the system chaincode for queries of the chain: `GetChainInfo`, `GetBlockByNumber`, `…ByHash`,
 * `…ByTxID`, `GetTransactionByID`.
 */
export function createQscc({ ledger }: SystemContext): SystemChaincode {
  const { chain } = ledger;

  const functions: Record<string, (argument: Uint8Array) => ChaincodeResponse> = {
    GetChainInfo: () => {
      const info = new common.BlockchainInfo();
      info.setHeight(chain.height());
      info.setCurrentblockhash(chain.lastHash());
      info.setPreviousblockhash(
        chain
          .block(chain.height() - 1)
          ?.block.getHeader()
          ?.getPreviousHash_asU8() ?? '',
      );
      return success(info.serializeBinary());
    },
    GetBlockByNumber: (argument) => {
      const given = text(argument);
      if (!/^\d{1,20}$/.test(given))
        return failure(
          `Failed to parse block number with error strconv.ParseUint: parsing "${given}": invalid syntax`,
        );
      return block(chain.block(Number(given)), () => {
        const why = `no such block number [${given}] in index`;
        return `Failed to get block number ${given}, error ${why}`;
      });
    },
    GetBlockByHash: (hash) =>
      block(chain.byHash(hash), () => {
        const hex = Buffer.from(hash).toString('hex');
        return `Failed to get block hash ${text(hash)}, error no such block hash [${hex}] in index`;
      }),
    GetBlockByTxID: (argument) => {
      const txId = text(argument);
      const found = chain.find(txId);
      return block(found && chain.block(found.block), () => {
        return `Failed to get block for txID ${txId}, error no such transaction ID [${txId}] in index`;
      });
    },
    GetTransactionByID: (argument) => {
      const txId = text(argument);
      const found = chain.find(txId);
      const bytes = found && chain.block(found.block)?.block.getData()?.getDataList_asU8()[found.position];
      if (bytes === undefined)
        return failure(
          `Failed to get transaction with id ${txId}, error no such transaction ID [${txId}] in index`,
        );
      const processed = new peer.ProcessedTransaction();
      processed.setTransactionenvelope(common.Envelope.deserializeBinary(bytes));
      processed.setValidationcode(found?.code ?? 0);
      return success(processed.serializeBinary());
    },
  };

  return {
    name: 'qscc',
    simulates: false,
    invoke({ proposal, creator }) {
      if (proposal.chaincode !== 'qscc')
        return failure(
          `Rejecting invoke of QSCC from another chaincode because of potential for deadlocks, original invocation for '${proposal.chaincode}'`,
        );
      const [name, channel, argument] = proposal.input;
      if (proposal.input.length < 2)
        return failure(`Incorrect number of arguments, ${proposal.input.length}`);
      if (text(name) !== 'GetChainInfo' && argument === undefined)
        return failure(`missing 3rd argument for ${text(name)}`);
      if (text(channel) !== ledger.channel) return failure(`Invalid chain ID, ${text(channel)}`);
      const denied = (why: string) =>
        failure(`access denied for [${text(name)}][${ledger.channel}]: [${why}]`);
      const call = Object.hasOwn(functions, text(name)) ? functions[text(name)] : undefined;
      if (call === undefined) return denied(`Unmapped policy for qscc/${text(name)}`);
      if (!may(creator, 'Readers')) return denied(refusal(ledger.channel, 'Readers'));
      return call(argument ?? new Uint8Array());
    },
  };
}

function block(found: StoredBlock | undefined, why: () => string): ChaincodeResponse {
  return found === undefined ? failure(why()) : success(found.block.serializeBinary());
}
