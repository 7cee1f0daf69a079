import { createPrivateKey, hash as sha256, X509Certificate } from 'node:crypto';
import { Client, credentials } from '@grpc/grpc-js';
import { connect, type Gateway, hash } from '@hyperledger/fabric-gateway';
import { peer } from '@hyperledger/fabric-protos';
import type { KeyPair } from '../ca/issue.ts';
import { signLowS } from '../identity/p256.ts';
import type { Credentials } from '../identity/signer.ts';

/** A peer, and who calls it. */
export interface MemberClientOptions {
  /** `host:port` */
  endpoint: string;
  /** A name in the endpoint's certificate. */
  hostOverride: string;
  /** PEM: the root of the endpoint's certificate. */
  tlsCaCertificate: string;
  /** Under mutual TLS. */
  clientTls?: KeyPair;
  member: Credentials;
}

/** A member's connection to one peer. */
export interface MemberClient {
  gateway: Gateway;
  /** The gateway's own; others may use it. */
  connection: Client;
  /** For proposals that concern this peer alone. */
  endorser: peer.EndorserClient;
  close(): void;
}

/** Opens a connection. It dials when it is first used. */
export function openMemberClient(options: MemberClientOptions): MemberClient {
  const { endpoint, member, clientTls } = options;
  const tls = credentials.createSsl(
    Buffer.from(options.tlsCaCertificate),
    clientTls === undefined ? null : Buffer.from(clientTls.privateKey),
    clientTls === undefined ? null : Buffer.from(clientTls.certificate),
  );
  const channel = { 'grpc.ssl_target_name_override': options.hostOverride };
  const client = new Client(endpoint, tls, channel);
  const key = createPrivateKey(member.privateKey);
  const gateway = connect({
    client,
    identity: { mspId: member.mspId, credentials: Buffer.from(member.certificate) },
    // Hash and signature in one native call.
    hash: hash.none,
    signer: async (message) => signLowS(message, key),
    // Without it peers give no blocks under mutual TLS.
    ...(clientTls === undefined ? {} : { tlsClientCertificateHash: tlsHash(clientTls) }),
  });
  const endorser = new peer.EndorserClient(endpoint, tls, channel);
  return {
    gateway,
    connection: client,
    endorser,
    close() {
      gateway.close();
      client.close();
      endorser.close();
    },
  };
}

function tlsHash({ certificate }: KeyPair): Uint8Array {
  return sha256('sha256', new X509Certificate(certificate).raw, 'buffer');
}
