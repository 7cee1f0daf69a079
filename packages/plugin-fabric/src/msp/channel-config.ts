import { X509Certificate } from 'node:crypto';
import { common, msp } from '@hyperledger/fabric-protos';
import { isBoundedKey } from '@ledger-ops/adapter/outbound';
import { configEnvelopeShape, demandFewFields } from '../gateway/message-fields.ts';

/** A member organization in a channel configuration. */
export interface MspConfig {
  mspId: string;
  roots: X509Certificate[];
  intermediates: X509Certificate[];
  /** Certificate revocation lists, DER or PEM, unchanged. */
  revocationLists: Uint8Array[];
}

/**
 * Maximum number of certificates of a channel's members: several times as many as the largest channels have.
 * A lying peer may send any number.
 */
const mostCertificates = 2_000;

/** Maximum number of bytes of one certificate. */
const longestCertificate = 65_536;

/** Returns the member organizations of a channel, by MSP id. @throws Error if this is not a configuration block */
export function* readMsps(block: common.Block): Generator<undefined, Map<string, MspConfig>> {
  const [data] = block.getData()?.getDataList_asU8() ?? [];
  if (data === undefined) throw new TypeError('The configuration block has no data.');
  demandFewFields(data, configEnvelopeShape);
  const payload = common.Payload.deserializeBinary(common.Envelope.deserializeBinary(data).getPayload_asU8());
  const config = common.ConfigEnvelope.deserializeBinary(payload.getData_asU8()).getConfig();
  const groups = config?.getChannelGroup()?.getGroupsMap().get('Application')?.getGroupsMap();
  const members = new Map<string, MspConfig>();
  let certificates = 0;
  /** Reads certificates. Omits those with keys that take too long to verify signatures. */
  function* read(texts: readonly Uint8Array[]): Generator<undefined, X509Certificate[]> {
    certificates += texts.length;
    if (certificates > mostCertificates) {
      throw new TypeError(
        `The members of a channel have more than ${mostCertificates} certificates in total.`,
      );
    }
    const all: X509Certificate[] = [];
    for (const pem of texts) {
      if (pem.length > longestCertificate)
        throw new TypeError(`A certificate has more than ${longestCertificate} bytes.`);
      const certificate = new X509Certificate(pem);
      if (isBoundedKey(certificate.publicKey)) all.push(certificate);
      yield;
    }
    return all;
  }
  for (const [, group] of groups?.entries() ?? []) {
    const value = group.getValuesMap().get('MSP');
    if (value === undefined) continue;
    const wrapped = msp.MSPConfig.deserializeBinary(value.getValue_asU8());
    // 0 is FABRIC; other types (idemix) have no certificates.
    if (wrapped.getType() !== 0) continue;
    const member = msp.FabricMSPConfig.deserializeBinary(wrapped.getConfig_asU8());
    members.set(member.getName(), {
      mspId: member.getName(),
      roots: yield* read(member.getRootCertsList_asU8()),
      intermediates: yield* read(member.getIntermediateCertsList_asU8()),
      revocationLists: member.getRevocationListList_asU8(),
    });
  }
  return members;
}
