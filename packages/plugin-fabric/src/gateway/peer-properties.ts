import { adapterError, type LedgerConfig, type LedgerNode } from '@ledger-ops/adapter';
import { isLoopback } from '@ledger-ops/adapter/outbound';
import { z } from 'zod';
import { arePair, certificates, clientTls, noPair } from '../identity/pem.ts';
import type { FabricProperties } from '../properties.ts';

/** A node's address and properties. */
export interface PeerProperties {
  nodeId: string;
  host: string;
  port: number;
  /** Whether the scheme is `grpcs`. */
  secure: boolean;
  /** Name in the certificate, if it is not the host. */
  serverName: string | undefined;
  rootCertificate: string | undefined;
  /** The peer's organization. Chaincode is installed on peers of the ledger's own organization. */
  mspId: string;
  /** `gateway` (default): the peer accepts calls. `peer`: chaincode is only installed on it. */
  role: 'gateway' | 'peer';
  /** Client certificate and key for mutual TLS. */
  client: { certificate: string; privateKey: string } | undefined;
}

const schema = z
  .object({
    msp_id: z.string().min(1, 'must not be empty').nullish(),
    tls_server_name: z.string().min(1, 'must not be empty').nullish(),
    tls_ca_certificate: certificates.nullish(),
    ...clientTls,
  })
  .refine(arePair, noPair);

/** @throws AdapterError `invalid-argument`, which names node and property but never quotes the address */
export function readPeers(ledger: LedgerConfig, properties: FabricProperties): PeerProperties[] {
  const peers = ledger.nodes.flatMap((node, index) => {
    const role = node.properties?.role ?? 'gateway';
    // Orderers are reached through a gateway, and the CA by ledger properties.
    if (role === 'orderer' || role === 'ca') return [];
    return [
      { ...readPeer(node, index, ledger.ledgerId, properties), role: role === 'peer' ? role : 'gateway' },
    ] as const;
  });
  if (peers.length > 0 && peers.every(({ role }) => role !== 'gateway')) {
    throw refusal(
      ledger.ledgerId,
      '/nodes',
      'must include a gateway: set the property role of one node to "gateway"',
    );
  }
  return peers;
}

function readPeer(
  { nodeId, uri, properties = {} }: LedgerNode,
  index: number,
  ledgerId: string,
  own: FabricProperties,
): Omit<PeerProperties, 'role'> {
  const [, scheme, host = '', port] =
    /^(grpcs?):\/\/(\[[0-9a-fA-F:.]+\]|[^\s:/@?#]+):(\d{1,5})\/?$/.exec(uri) ?? [];
  if (scheme === undefined) {
    throw refusal(ledgerId, `/nodes/${index}/uri`, `of node ${nodeId} must be grpcs://host:port`);
  }
  if (scheme === 'grpc' && !isLoopback(host) && !own.allowUnencrypted) {
    const detail = `of node ${nodeId} must start with grpcs, because private data is sent to it and grpc does not use TLS. grpc is only allowed for nodes on this machine, or if the ledger sets allow_unencrypted to true`;
    throw refusal(ledgerId, `/nodes/${index}/uri`, detail);
  }
  const parsed = schema.safeParse(properties);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const pointer = `/nodes/${index}/properties/${issue?.path.join('/') ?? ''}`;
    throw refusal(ledgerId, pointer, `of node ${nodeId}: ${issue?.message ?? 'is wrong'}`);
  }
  const { data } = parsed;
  const { tls_client_certificate: certificate, tls_client_key: privateKey } = data;
  return {
    nodeId,
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port),
    secure: scheme === 'grpcs',
    serverName: data.tls_server_name ?? undefined,
    rootCertificate: data.tls_ca_certificate ?? own.tls.rootCertificate,
    mspId: data.msp_id ?? own.mspId,
    client: certificate && privateKey ? { certificate, privateKey } : own.tls.client,
  };
}

function refusal(ledgerId: string, pointer: string, detail: string) {
  return adapterError('invalid-argument', `Ledger ${ledgerId}: ${pointer.slice(1)} ${detail}.`, {
    phase: 'open',
    issues: [{ pointer, detail }],
  });
}
