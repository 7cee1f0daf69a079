import { hash as sha256 } from 'node:crypto';
import * as grpc from '@grpc/grpc-js';
import { type ConnectOptions, connect, type Gateway, hash, type Identity } from '@hyperledger/fabric-gateway';
import { gateway, google } from '@hyperledger/fabric-protos';
import type { AdapterHost, OutboundPolicy, RequestResult } from '@ledger-ops/adapter';
import { createAddressCheck, guardedAddresses, isNotOpened, OutboundError } from '@ledger-ops/outbound';
import QuickLRU from 'quick-lru';
import { readCertificate } from '../identity/certificate.ts';
import type { OwnSigner } from '../identity/ecdsa.ts';
import type { Timing } from '../timing.ts';
import { type ErrorDetail, grpcCode, PeerError } from './peer-error.ts';
import type { PeerProperties } from './peer-properties.ts';

/** One peer: a connection that is made when it is first needed, and made anew after `reset`. */
export interface Peer {
  readonly properties: PeerProperties;
  /**
   * One call with bytes in and out.
   * @param timeout milliseconds
   * @throws PeerError
   */
  unary(method: string, message: Uint8Array, timeout: number): Promise<Uint8Array>;
  /**
   * Builds proposals of an identity; with a signer it signs what it sends. Its digests are the messages themselves:
   * signatures are made natively, which takes messages.
   */
  gateway(identity: Identity, signer?: OwnSigner): Promise<Gateway>;
  /** Resolves when there is a connection; rejects at the deadline. */
  ready(timeout: number): Promise<void>;
  /** Drops the connection: calls that are under way fail, the next one connects again. One in the making is waited for. */
  reset(): void;
  close(): void;
}

const hundredMegabytes = 100 * 2 ** 20;
function channelOptions({ keepAlive, reconnect }: Timing['peers']): grpc.ChannelOptions {
  return {
    'grpc.max_receive_message_length': hundredMegabytes,
    'grpc.max_send_message_length': hundredMegabytes,
    'grpc.keepalive_time_ms': keepAlive.interval,
    'grpc.keepalive_timeout_ms': keepAlive.timeout,
    'grpc.keepalive_permit_without_calls': 0,
    'grpc.initial_reconnect_backoff_ms': reconnect.first,
    'grpc.max_reconnect_backoff_ms': reconnect.longest,
    // Whether a call may be repeated is decided here.
    'grpc.enable_retries': 0,
    'grpc.use_local_subchannel_pool': 1,
  };
}

export function createPeer(
  properties: PeerProperties,
  outbound: OutboundPolicy | undefined,
  timing: Timing['peers'],
  requested?: AdapterHost['requested'],
): Peer {
  let client: Promise<grpc.Client> | undefined;
  let dialled: { client: grpc.Client; at: number } | undefined;
  let gateways = new QuickLRU<string, Gateway>({ maxSize: 2000 });
  const calls = new Set<grpc.ClientUnaryCall>();
  let closed = false;

  async function connectClient(): Promise<grpc.Client> {
    const { host, port, secure, serverName, rootCertificate, client: tlsClient } = properties;
    let target = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
    const options = channelOptions(timing);
    if (serverName !== undefined) options['grpc.ssl_target_name_override'] = serverName;
    if (outbound !== undefined) {
      const addresses = await guardedAddresses(host, createAddressCheck(outbound)).catch((error: unknown) => {
        const why = error instanceof OutboundError ? error.message : 'its name has no address.';
        throw new PeerError(
          grpcCode.unavailable,
          `Node ${properties.nodeId} cannot be used: ${why}`,
          [],
          isNotOpened(error) ? error : undefined,
        );
      });
      const [first = ''] = addresses;
      const family = first.includes(':') ? 'ipv6' : 'ipv4';
      const same = addresses.filter((address) => address.includes(':') === (family === 'ipv6'));
      target = `${family}:${same.map((one) => (family === 'ipv6' ? `[${one}]:${port}` : `${one}:${port}`)).join(',')}`;
      // The certificate is for the name, not for the address that was checked.
      if (serverName === undefined && !addresses.includes(host))
        options['grpc.ssl_target_name_override'] = host;
    }
    const credentials = secure
      ? grpc.credentials.createSsl(
          rootCertificate === undefined ? null : Buffer.from(rootCertificate),
          tlsClient === undefined ? null : Buffer.from(tlsClient.privateKey),
          tlsClient === undefined ? null : Buffer.from(tlsClient.certificate),
        )
      : grpc.credentials.createInsecure();
    const made = new grpc.Client(target, credentials, options);
    dialled = { client: made, at: performance.now() };
    return made;
  }

  function current(): Promise<grpc.Client> {
    if (closed) return Promise.reject(new PeerError(grpcCode.cancelled, 'The session is closed.'));
    if (client === undefined) {
      const fresh = connectClient();
      client = fresh;
      fresh.catch(() => {
        if (client === fresh) client = undefined;
      });
    }
    return client;
  }

  /** gRPC never closes a connection that a peer took and then said nothing on: each one more would stay open. */
  function isInTheMaking(): boolean {
    if (dialled === undefined || performance.now() - dialled.at >= timing.handshake) return false;
    return dialled.client.getChannel().getConnectivityState(false) === grpc.connectivityState.CONNECTING;
  }

  function reset(): void {
    for (const call of calls) call.cancel();
    if (!closed && isInTheMaking()) return;
    const old = client;
    client = undefined;
    dialled = undefined;
    gateways = new QuickLRU({ maxSize: 2000 });
    old?.then(
      (one) => one.close(),
      () => undefined,
    );
  }

  async function unary(method: string, message: Uint8Array, timeout: number): Promise<Uint8Array> {
    const one = await current();
    return new Promise<Uint8Array>((resolve, reject) => {
      const call = one.makeUnaryRequest(
        method,
        asBuffer,
        (bytes: Buffer): Uint8Array => bytes,
        message,
        { deadline: Date.now() + timeout },
        (error, answer) => {
          calls.delete(call);
          if (error !== null) reject(peerErrorOf(error));
          else if (answer === undefined) reject(new PeerError(grpcCode.internal, 'The peer gave no answer.'));
          else resolve(answer);
        },
      );
      calls.add(call);
    });
  }

  return {
    properties,
    async unary(method, message, timeout) {
      const started = performance.now();
      const tell = (result: RequestResult) => {
        if (!closed) requested?.(method.replace(/^\//, ''), result, performance.now() - started);
      };
      try {
        const answer = await unary(method, message, timeout);
        tell('ok');
        return answer;
      } catch (error) {
        tell(resultOf(error));
        throw error;
      }
    },
    async gateway(identity, signer) {
      const key = `${signer === undefined ? 'wallet' : 'own'} ${identity.mspId} ${Buffer.from(identity.credentials).toString('latin1')}`;
      const known = gateways.get(key);
      if (known !== undefined) return known;
      const one = await current();
      const fresh = connect({
        client: one,
        identity,
        hash: hash.none,
        ...tlsBinding(properties),
        ...(signer === undefined ? {} : { signer: async (message) => signer(message) }),
      });
      gateways.set(key, fresh);
      return fresh;
    },
    async ready(timeout) {
      const one = await current();
      await new Promise<void>((resolve, reject) => {
        one.waitForReady(Date.now() + timeout, (error) => {
          if (error === undefined || error === null) resolve();
          else reject(new PeerError(grpcCode.unavailable, `Node ${properties.nodeId} cannot be reached.`));
        });
      });
    },
    reset,
    close() {
      closed = true;
      reset();
    },
  };
}

/** Where there is mutual TLS, peers take requests for blocks only with it (Fabric: common/deliver/binding.go). */
function tlsBinding({ client }: PeerProperties): Pick<ConnectOptions, 'tlsClientCertificateHash'> {
  if (client === undefined) return {};
  const { raw } = readCertificate(client.certificate);
  return { tlsClientCertificateHash: sha256('sha256', raw, 'buffer') };
}

function resultOf(error: unknown): RequestResult {
  if (!(error instanceof PeerError)) return 'unavailable';
  if (error.code === grpcCode.deadlineExceeded) return 'timeout';
  return error.code === grpcCode.unavailable || error.code === grpcCode.cancelled ? 'unavailable' : 'refused';
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function peerErrorOf(error: grpc.ServiceError): PeerError {
  return new PeerError(error.code, error.details, detailsOf(error), error);
}

/** Runs in a callback of the connection, where what is thrown would end the process: a peer sends what it likes. */
function detailsOf({ metadata }: grpc.ServiceError): ErrorDetail[] {
  try {
    return metadata.get('grpc-status-details-bin').flatMap((value) => {
      const bytes = typeof value === 'string' ? Buffer.from(value, 'latin1') : value;
      return google.rpc.Status.deserializeBinary(bytes)
        .getDetailsList()
        .map((any) => gateway.ErrorDetail.deserializeBinary(any.getValue_asU8()))
        .map((one) => ({ address: one.getAddress(), mspId: one.getMspId(), message: one.getMessage() }));
    });
  } catch {
    // No details: code and message say enough.
    return [];
  }
}

/** The failure that a stream of events ended with. */
export function streamError(error: unknown): PeerError {
  if (error instanceof PeerError) return error;
  if (error instanceof Error) {
    const code = 'code' in error && typeof error.code === 'number' ? error.code : grpcCode.unknown;
    return new PeerError(code, error.message, [], error);
  }
  return new PeerError(grpcCode.unknown, 'The stream ended.');
}
