import { common, msp } from '@hyperledger/fabric-protos';
import timestamp from 'google-protobuf/google/protobuf/timestamp_pb.js';

export function configOf(block: common.Block): common.Config {
  const [bytes] = block.getData()?.getDataList_asU8() ?? [];
  const envelope = common.Envelope.deserializeBinary(bytes ?? new Uint8Array());
  const payload = common.Payload.deserializeBinary(envelope.getPayload_asU8());
  return common.ConfigEnvelope.deserializeBinary(payload.getData_asU8()).getConfig() ?? new common.Config();
}

/** Revocation lists (PEM) of the organizations. */
export function revocationListsOf(config: common.Config): Map<string, string[]> {
  const lists = new Map<string, string[]>();
  for (const [mspId, one] of organizationsOf(config)) {
    const known = mspOf(one).getRevocationListList_asU8();
    lists.set(
      mspId,
      known.map((list) => Buffer.from(list).toString()),
    );
  }
  return lists;
}

/** Returns the envelope of the next configuration, in which an organization has these revocation lists (PEM). */
export function withRevocationLists(
  block: common.Block,
  { channel, mspId, lists }: { channel: string; mspId: string; lists: readonly string[] },
): common.Envelope {
  const config = configOf(block);
  const value = organizationsOf(config).get(mspId)?.getValuesMap().get('MSP');
  if (value === undefined) throw new TypeError(`The configuration has no ${mspId}.`);
  const settings = mspOf(organizationsOf(config).get(mspId));
  settings.setRevocationListList(lists.map((list) => Buffer.from(list)));
  const changed = new msp.MSPConfig();
  changed.setConfig(settings.serializeBinary());
  value.setValue(changed.serializeBinary());
  value.setVersion(value.getVersion() + 1);
  config.setSequence(config.getSequence() + 1);
  return envelopeOf(config, channel);
}

function organizationsOf(config: common.Config): Map<string, common.ConfigGroup> {
  const groups = config.getChannelGroup()?.getGroupsMap().get('Application')?.getGroupsMap();
  return new Map(groups?.entries() ?? []);
}

function mspOf(organization: common.ConfigGroup | undefined): msp.FabricMSPConfig {
  const bytes = organization?.getValuesMap().get('MSP')?.getValue_asU8() ?? new Uint8Array();
  return msp.FabricMSPConfig.deserializeBinary(msp.MSPConfig.deserializeBinary(bytes).getConfig_asU8());
}

/** Returns the envelope of a configuration, which is a block's only content. */
export function envelopeOf(config: common.Config, channel: string): common.Envelope {
  const content = new common.ConfigEnvelope();
  content.setConfig(config);
  const channelHeader = new common.ChannelHeader();
  channelHeader.setType(common.HeaderType.CONFIG);
  channelHeader.setVersion(1);
  channelHeader.setChannelId(channel);
  channelHeader.setTimestamp(timestamp.Timestamp.fromDate(new Date()));
  const header = new common.Header();
  header.setChannelHeader(channelHeader.serializeBinary());
  header.setSignatureHeader(new common.SignatureHeader().serializeBinary());
  const payload = new common.Payload();
  payload.setHeader(header);
  payload.setData(content.serializeBinary());
  const envelope = new common.Envelope();
  envelope.setPayload(payload.serializeBinary());
  return envelope;
}
