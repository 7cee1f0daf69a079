import { createPrivateKey, hash as sha256, X509Certificate } from 'node:crypto';
import { Client, credentials } from '@grpc/grpc-js';
import { connect, type Gateway, hash } from '@hyperledger/fabric-gateway';
import { peer } from '@hyperledger/fabric-protos';
import type { KeyPair } from '../ca/issue.ts';
import { signLowS } from '../identity/p256.ts';
import type { Credentials } from '../identity/signer.ts';

/** A peer's address and the calling member. */
export interface MemberClientOptions {
  /** `host:port` */
  endpoint: string;
  /** A name in the endpoint's certificate. */
  hostOverride: string;
  /** PEM of the root that verifies the endpoint's certificate. */
  tlsCaCertificate: string;
  /** The client's TLS certificate, for mutual TLS. */
  clientTls?: KeyPair;
  member: Credentials;
}

/** A member's connection to one peer. */
export interface MemberClient {
  gateway: Gateway;
  /** The gateway's connection; it may be shared. */
  connection: Client;
  /** The endorser service of this peer, for proposals that only this peer processes. */
  endorser: peer.EndorserClient;
  close(): void;
}

/** Creates a connection. It dials on first use. */
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
    // The signer hashes and signs in one native call.
    hash: hash.none,
    signer: async (message) => signLowS(message, key),
    // The hash is required under mutual TLS: without it, peers refuse to deliver blocks.
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
