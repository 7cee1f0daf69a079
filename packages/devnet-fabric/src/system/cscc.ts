import { common, peer } from '@hyperledger/fabric-protos';
import { may, refusal } from './access.ts';
import { failure, type SystemChaincode, type SystemContext, success, text } from './types.ts';

/**
 * The system chaincode for the channel's configuration: `GetConfigBlock`, `GetChannelConfig`, `GetChannels`.
 */
export function createCscc({ ledger }: SystemContext): SystemChaincode {
  return {
    name: 'cscc',
    simulates: false,
    invoke({ proposal, creator, mspId }) {
      const [name, channel] = proposal.input.map(text);
      if (name === 'GetChannels') {
        if (creator.mspId !== mspId)
          return failure(
            `access denied for [GetChannels]: the identity is a member of a different MSP (expected ${mspId}, got ${creator.mspId})`,
          );
        const info = new peer.ChannelInfo();
        info.setChannelId(ledger.channel);
        const response = new peer.ChannelQueryResponse();
        response.addChannels(info);
        return success(response.serializeBinary());
      }
      if (name === undefined || channel === undefined)
        return failure(`Incorrect number of arguments, ${proposal.input.length}`);
      if (name !== 'GetConfigBlock' && name !== 'GetChannelConfig')
        return failure(`Requested function ${name} not found.`);
      if (channel !== ledger.channel)
        return failure(
          `access denied for [${name}][${channel}]: Failed to get policy manager for channel [${channel}]`,
        );
      if (!may(creator, 'Readers'))
        return failure(`access denied for [${name}][${channel}]: ${refusal(channel, 'Readers')}`);
      const block = ledger.chain.block(0)?.block;
      if (block === undefined) return failure(`could not retrieve config block for channel ${channel}`);
      return success(name === 'GetConfigBlock' ? block.serializeBinary() : configOf(block));
    },
  };
}

function configOf(block: common.Block): Uint8Array {
  const [bytes] = block.getData()?.getDataList_asU8() ?? [];
  const envelope = common.Envelope.deserializeBinary(bytes ?? new Uint8Array());
  const payload = common.Payload.deserializeBinary(envelope.getPayload_asU8());
  const config = common.ConfigEnvelope.deserializeBinary(payload.getData_asU8()).getConfig();
  return (config ?? new common.Config()).serializeBinary();
}
