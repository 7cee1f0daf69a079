import { common, msp, orderer as ordererMessages, peer } from '@hyperledger/fabric-protos';
import type { NodeRole } from '../identity/membership.ts';
import type { BatchOptions } from '../orderer/orderer.ts';
import { rolePrincipal } from '../policy/principals.ts';
import { outOf } from '../policy/signature-policy.ts';
import { envelopeOf } from './configuration.ts';

/** An organization in the channel's configuration. Certificates are PEM. */
export interface ConfiguredOrganization {
  mspId: string;
  rootCertificate: string;
  tlsRootCertificate: string;
  /** Host and port of the organization's anchor peer. */
  anchor?: { host: string; port: number };
}

/** The configuration in the first block. */
export interface ChannelConfiguration {
  channel: string;
  organizations: readonly ConfiguredOrganization[];
  orderer: ConfiguredOrganization;
  batch: Required<BatchOptions>;
}

const roles: readonly NodeRole[] = ['client', 'peer', 'admin', 'orderer'];

/** Creates the envelope of the channel's configuration, which is the content of block 0. */
export function configEnvelope(configuration: ChannelConfiguration): common.Envelope {
  const config = new common.Config();
  config.setChannelGroup(channelGroup(configuration));
  return envelopeOf(config, configuration.channel);
}

function channelGroup({ channel, organizations, orderer, batch }: ChannelConfiguration): common.ConfigGroup {
  const hashing = new common.HashingAlgorithm();
  hashing.setName('SHA256');
  const structure = new common.BlockDataHashingStructure();
  structure.setWidth(4_294_967_295);
  const consortium = new common.Consortium();
  consortium.setName(channel);
  return group({
    groups: {
      Application: applicationGroup(organizations),
      Orderer: ordererGroup(orderer, batch),
    },
    values: {
      HashingAlgorithm: hashing,
      BlockDataHashingStructure: structure,
      Consortium: consortium,
      Capabilities: capabilities('V2_0'),
    },
    policies: {
      Readers: meta('Readers', 'ANY'),
      Writers: meta('Writers', 'ANY'),
      Admins: meta('Admins', 'MAJORITY'),
    },
  });
}

function applicationGroup(organizations: readonly ConfiguredOrganization[]): common.ConfigGroup {
  return group({
    groups: Object.fromEntries(
      organizations.map((one) => [
        one.mspId,
        group({
          values: { MSP: mspConfig(one), ...anchors(one) },
          policies: {
            Readers: anyOf(one.mspId, ['admin', 'peer', 'client']),
            Writers: anyOf(one.mspId, ['admin', 'client']),
            Admins: anyOf(one.mspId, ['admin']),
            Endorsement: anyOf(one.mspId, ['peer']),
          },
        }),
      ]),
    ),
    values: { Capabilities: capabilities('V2_5') },
    policies: {
      Readers: meta('Readers', 'ANY'),
      Writers: meta('Writers', 'ANY'),
      Admins: meta('Admins', 'MAJORITY'),
      Endorsement: meta('Endorsement', 'MAJORITY'),
      LifecycleEndorsement: meta('Endorsement', 'MAJORITY'),
    },
  });
}

function ordererGroup(orderer: ConfiguredOrganization, batch: Required<BatchOptions>): common.ConfigGroup {
  const type = new ordererMessages.ConsensusType();
  type.setType('solo');
  const size = new ordererMessages.BatchSize();
  size.setMaxMessageCount(batch.maxMessageCount);
  size.setPreferredMaxBytes(batch.preferredMaxBytes);
  size.setAbsoluteMaxBytes(10 * 1024 * 1024);
  const timeout = new ordererMessages.BatchTimeout();
  timeout.setTimeout(`${batch.timeout}ms`);
  return group({
    groups: {
      [orderer.mspId]: group({
        values: { MSP: mspConfig(orderer) },
        policies: {
          Readers: anyOf(orderer.mspId, ['member']),
          Writers: anyOf(orderer.mspId, ['member']),
          Admins: anyOf(orderer.mspId, ['admin']),
        },
      }),
    },
    values: {
      ConsensusType: type,
      BatchSize: size,
      BatchTimeout: timeout,
      Capabilities: capabilities('V2_0'),
    },
    policies: {
      Readers: meta('Readers', 'ANY'),
      Writers: meta('Writers', 'ANY'),
      Admins: meta('Admins', 'MAJORITY'),
      BlockValidation: meta('Writers', 'ANY'),
    },
  });
}

function mspConfig({ mspId, rootCertificate, tlsRootCertificate }: ConfiguredOrganization): msp.MSPConfig {
  const root = Buffer.from(rootCertificate);
  const config = new msp.FabricMSPConfig();
  config.setName(mspId);
  config.addRootCerts(root);
  config.addTlsRootCerts(Buffer.from(tlsRootCertificate));
  const crypto = new msp.FabricCryptoConfig();
  crypto.setSignatureHashFamily('SHA2');
  crypto.setIdentityIdentifierHashFunction('SHA256');
  config.setCryptoConfig(crypto);
  const units = new msp.FabricNodeOUs();
  units.setEnable(true);
  const [client, peerUnit, admin, orderer] = roles.map((role) => {
    const unit = new msp.FabricOUIdentifier();
    unit.setOrganizationalUnitIdentifier(role);
    unit.setCertificate(root);
    return unit;
  });
  units.setClientOuIdentifier(client);
  units.setPeerOuIdentifier(peerUnit);
  units.setAdminOuIdentifier(admin);
  units.setOrdererOuIdentifier(orderer);
  config.setFabricNodeOus(units);
  const result = new msp.MSPConfig();
  result.setConfig(config.serializeBinary());
  return result;
}

function anchors({ anchor }: ConfiguredOrganization): Record<string, Serializable> {
  if (anchor === undefined) return {};
  const one = new peer.AnchorPeer();
  one.setHost(anchor.host);
  one.setPort(anchor.port);
  const all = new peer.AnchorPeers();
  all.addAnchorPeers(one);
  return { AnchorPeers: all };
}

function capabilities(name: string): common.Capabilities {
  const result = new common.Capabilities();
  result.getCapabilitiesMap().set(name, new common.Capability());
  return result;
}

function anyOf(mspId: string, allowed: readonly (NodeRole | 'member')[]): common.Policy {
  const envelope = new common.SignaturePolicyEnvelope();
  envelope.setIdentitiesList(allowed.map((role) => rolePrincipal(mspId, role)));
  envelope.setRule(
    outOf(
      1,
      allowed.map((_, at) => {
        const signed = new common.SignaturePolicy();
        signed.setSignedBy(at);
        return signed;
      }),
    ),
  );
  const policy = new common.Policy();
  policy.setType(common.Policy.PolicyType.SIGNATURE);
  policy.setValue(envelope.serializeBinary());
  return policy;
}

function meta(subPolicy: string, rule: 'ANY' | 'MAJORITY'): common.Policy {
  const value = new common.ImplicitMetaPolicy();
  value.setSubPolicy(subPolicy);
  value.setRule(common.ImplicitMetaPolicy.Rule[rule]);
  const policy = new common.Policy();
  policy.setType(common.Policy.PolicyType.IMPLICIT_META);
  policy.setValue(value.serializeBinary());
  return policy;
}

interface Serializable {
  serializeBinary(): Uint8Array;
}

function group(content: {
  groups?: Record<string, common.ConfigGroup>;
  values?: Record<string, Serializable>;
  policies?: Record<string, common.Policy>;
}): common.ConfigGroup {
  const result = new common.ConfigGroup();
  result.setModPolicy('Admins');
  for (const [name, one] of Object.entries(content.groups ?? {})) result.getGroupsMap().set(name, one);
  for (const [name, one] of Object.entries(content.values ?? {})) {
    const value = new common.ConfigValue();
    value.setModPolicy('Admins');
    value.setValue(one.serializeBinary());
    result.getValuesMap().set(name, value);
  }
  for (const [name, one] of Object.entries(content.policies ?? {})) {
    const policy = new common.ConfigPolicy();
    policy.setModPolicy('Admins');
    policy.setPolicy(one);
    result.getPoliciesMap().set(name, policy);
  }
  return result;
}
