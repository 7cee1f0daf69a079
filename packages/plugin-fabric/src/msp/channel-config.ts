import { X509Certificate } from 'node:crypto';
import { common, msp } from '@hyperledger/fabric-protos';

/** A member organization in a channel's configuration. */
export interface MspConfig {
  mspId: string;
  roots: X509Certificate[];
  intermediates: X509Certificate[];
  /** Certificate revocation lists, DER or PEM as they stand there. */
  revocationLists: Uint8Array[];
}

/** The member organizations of a channel, by their MSP ids. @throws Error where it is no configuration block */
export function readMsps(block: common.Block): Map<string, MspConfig> {
  const [data] = block.getData()?.getDataList_asU8() ?? [];
  if (data === undefined) throw new TypeError('A configuration block without data.');
  const payload = common.Payload.deserializeBinary(common.Envelope.deserializeBinary(data).getPayload_asU8());
  const config = common.ConfigEnvelope.deserializeBinary(payload.getData_asU8()).getConfig();
  const groups = config?.getChannelGroup()?.getGroupsMap().get('Application')?.getGroupsMap();
  const members = new Map<string, MspConfig>();
  for (const [, group] of groups?.entries() ?? []) {
    const value = group.getValuesMap().get('MSP');
    if (value === undefined) continue;
    const wrapped = msp.MSPConfig.deserializeBinary(value.getValue_asU8());
    // 0 is FABRIC; others (idemix) have no certificates.
    if (wrapped.getType() !== 0) continue;
    const member = msp.FabricMSPConfig.deserializeBinary(wrapped.getConfig_asU8());
    members.set(member.getName(), {
      mspId: member.getName(),
      roots: member.getRootCertsList_asU8().map((pem) => new X509Certificate(pem)),
      intermediates: member.getIntermediateCertsList_asU8().map((pem) => new X509Certificate(pem)),
      revocationLists: member.getRevocationListList_asU8(),
    });
  }
  return members;
}
