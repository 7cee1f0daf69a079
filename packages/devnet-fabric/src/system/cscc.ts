import { peer } from '@hyperledger/fabric-protos';
import { may, refusal } from './access.ts';
import { configOf } from './configuration.ts';
import { failure, type SystemChaincode, type SystemContext, success, text } from './types.ts';

/**
 * Creates the system chaincode for the channel's configuration: `GetConfigBlock`, `GetChannelConfig`,
 * `GetChannels`.
 */
export function createCscc({ ledger }: SystemContext): SystemChaincode {
  return {
    name: 'cscc',
    simulates: false,
    invoke({ proposal, creator, mspId }) {
      if (proposal.chaincode !== 'cscc')
        return failure(
          `Rejecting invoke of CSCC from another chaincode, original invocation for '${proposal.chaincode}'`,
        );
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
      const block = ledger.configBlock();
      if (block === undefined) return failure(`could not retrieve config block for channel ${channel}`);
      return success(name === 'GetConfigBlock' ? block.serializeBinary() : configOf(block).serializeBinary());
    },
  };
}
