import { hash as sha256 } from 'node:crypto';
import * as grpc from '@grpc/grpc-js';
import { type ConnectOptions, connect, type Gateway, hash, type Identity } from '@hyperledger/fabric-gateway';
import { gateway, google } from '@hyperledger/fabric-protos';
import type { AdapterHost, OutboundPolicy, RequestResult } from '@ledger-ops/adapter';
import {
  answerBudget,
  createAddressCheck,
  guardedAddresses,
  isNotOpened,
  nodeAnswers,
  OutboundError,
} from '@ledger-ops/adapter/outbound';
import QuickLRU from 'quick-lru';
import { readCertificate } from '../identity/certificate.ts';
import type { OwnSigner } from '../identity/ecdsa.ts';
import type { Timing } from '../timing.ts';
import { boundedCredentials } from './bounded-credentials.ts';
import { explainConnectionFailure } from './connection-failure.ts';
import { answerShape, deliverShape, demandFewFields, statusShape } from './message-fields.ts';
import { type ErrorDetail, grpcCode, mostDetails, PeerError } from './peer-error.ts';
import type { PeerProperties } from './peer-properties.ts';

const hundredMegabytes = 100 * 2 ** 20;
function channelOptions({ keepAlive, reconnect }: Timing['peers']): grpc.ChannelOptions {
  return {
    'grpc.max_receive_message_length': nodeAnswers.bytes,
    'grpc.max_send_message_length': hundredMegabytes,
    'grpc.keepalive_time_ms': keepAlive.interval,
    'grpc.keepalive_timeout_ms': keepAlive.timeout,
    'grpc.keepalive_permit_without_calls': 0,
    'grpc.initial_reconnect_backoff_ms': reconnect.first,
    'grpc.max_reconnect_backoff_ms': reconnect.longest,
    // Not gRPC but this module decides whether a call may be sent again.
    'grpc.enable_retries': 0,
    'grpc.use_local_subchannel_pool': 1,
  };
}

/**
 * One peer. Connects when first used, and again after `reset`. Never connects after `close`. Stores the
 * connection, the connection's gateways by identity, and the calls in progress.
 */
export class Peer {
  readonly properties: PeerProperties;
  readonly #outbound: OutboundPolicy | undefined;
  readonly #timing: Timing['peers'];
  readonly #requested: AdapterHost['requested'] | undefined;
  #client: Promise<grpc.Client> | undefined;
  #dialled: { client: grpc.Client; at: number } | undefined;
  #gateways = new QuickLRU<string, Gateway>({ maxSize: 2000 });
  readonly #calls = new Set<grpc.ClientUnaryCall>();
  #closed = false;
  /** Why this process last canceled an answer of the peer. */
  #givenUp: string | undefined;

  constructor(
    properties: PeerProperties,
    outbound: OutboundPolicy | undefined,
    timing: Timing['peers'],
    requested?: AdapterHost['requested'],
  ) {
    this.properties = properties;
    this.#outbound = outbound;
    this.#timing = timing;
    this.#requested = requested;
  }

  /**
   * Makes one call. Request and response are bytes.
   * @param timeout milliseconds
   * @throws PeerError
   */
  async unary(method: string, message: Uint8Array, timeout: number): Promise<Uint8Array> {
    const started = performance.now();
    const tell = (result: RequestResult) => {
      if (!this.#closed) this.#requested?.(method.replace(/^\//, ''), result, performance.now() - started);
    };
    try {
      const answer = await this.#unary(method, message, timeout);
      tell('ok');
      return answer;
    } catch (error) {
      tell(resultOf(error));
      throw error;
    }
  }

  /**
   * Returns a gateway that builds proposals of an identity, and signs them if a signer is given. The gateway's digests
   * are the messages themselves, because native signing takes messages.
   */
  async gateway(identity: Identity, signer?: OwnSigner): Promise<Gateway> {
    const key = `${signer === undefined ? 'wallet' : 'own'} ${identity.mspId} ${Buffer.from(identity.credentials).toString('latin1')}`;
    const known = this.#gateways.get(key);
    if (known !== undefined) return known;
    const one = await this.#current();
    const fresh = connect({
      client: one,
      identity,
      hash: hash.none,
      ...tlsBinding(this.properties),
      ...(signer === undefined ? {} : { signer: async (message) => signer(message) }),
    });
    this.#gateways.set(key, fresh);
    return fresh;
  }

  /** Resolves when the connection is open. Rejects at the deadline. */
  async ready(timeout: number): Promise<void> {
    const one = await this.#current();
    await new Promise<void>((resolve, reject) => {
      one.waitForReady(Date.now() + timeout, (error) => {
        if (error === undefined || error === null) resolve();
        else reject(new PeerError(grpcCode.unavailable, `${placeOf(this.properties)} cannot be reached.`));
      });
    });
  }

  /**
   * Drops the connection. Current calls fail; the next call reconnects. Waits for a connection attempt in
   * progress.
   */
  reset(): void {
    for (const call of this.#calls) call.cancel();
    if (!this.#closed && this.#isInTheMaking()) return;
    const old = this.#client;
    this.#client = undefined;
    this.#dialled = undefined;
    this.#gateways = new QuickLRU({ maxSize: 2000 });
    old?.then(
      (one) => one.close(),
      () => undefined,
    );
  }

  close(): void {
    this.#closed = true;
    this.reset();
  }

  async #connectClient(): Promise<grpc.Client> {
    const { host, port, secure, serverName, rootCertificate, client: tlsClient } = this.properties;
    let target = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
    const options = channelOptions(this.#timing);
    if (serverName !== undefined) options['grpc.ssl_target_name_override'] = serverName;
    if (this.#outbound !== undefined) {
      const addresses = await guardedAddresses(host, createAddressCheck(this.#outbound)).catch(
        (error: unknown) => {
          const why = error instanceof OutboundError ? error.message : 'its host name has no IP address.';
          throw new PeerError(
            grpcCode.unavailable,
            `Node ${this.properties.nodeId} cannot be used: ${why}`,
            [],
            isNotOpened(error) ? error : undefined,
          );
        },
      );
      const [first = ''] = addresses;
      const family = first.includes(':') ? 'ipv6' : 'ipv4';
      const same = addresses.filter((address) => address.includes(':') === (family === 'ipv6'));
      target = `${family}:${same.map((one) => (family === 'ipv6' ? `[${one}]:${port}` : `${one}:${port}`)).join(',')}`;
      // The certificate contains the host name, not the resolved address.
      if (serverName === undefined && !addresses.includes(host))
        options['grpc.ssl_target_name_override'] = host;
    }
    const credentials = boundedCredentials(
      secure ? { ca: rootCertificate, key: tlsClient?.privateKey, cert: tlsClient?.certificate } : undefined,
      {
        tenant: this.#outbound?.tenant ?? host,
        budget: answerBudget,
        isStream: (path) => path.startsWith('/protos.Deliver/'),
        gaveUp: (reason) => {
          this.#givenUp = reason;
        },
      },
    );
    const made = new grpc.Client(target, credentials, options);
    boundStreams(made);
    this.#dialled = { client: made, at: performance.now() };
    return made;
  }

  #current(): Promise<grpc.Client> {
    if (this.#closed) return Promise.reject(new PeerError(grpcCode.cancelled, 'The session is closed.'));
    if (this.#client === undefined) {
      const fresh = this.#connectClient();
      this.#client = fresh;
      fresh.catch(() => {
        if (this.#client === fresh) this.#client = undefined;
      });
    }
    return this.#client;
  }

  /**
   * Whether a connection attempt is in progress. If a peer accepts a connection but never answers, gRPC does not close
   * it, so repeated attempts would accumulate.
   */
  #isInTheMaking(): boolean {
    if (this.#dialled === undefined || performance.now() - this.#dialled.at >= this.#timing.handshake)
      return false;
    return (
      this.#dialled.client.getChannel().getConnectivityState(false) === grpc.connectivityState.CONNECTING
    );
  }

  async #unary(method: string, message: Uint8Array, timeout: number): Promise<Uint8Array> {
    const one = await this.#current();
    return new Promise<Uint8Array>((resolve, reject) => {
      const call = one.makeUnaryRequest(
        method,
        asBuffer,
        readUnary,
        message,
        { deadline: Date.now() + timeout },
        (error, answer) => {
          this.#calls.delete(call);
          if (error !== null) reject(peerErrorOf(error, this.properties, this.#givenUp));
          else if (answer === undefined)
            reject(new PeerError(grpcCode.internal, 'The peer returned no response.'));
          else resolve(answer);
        },
      );
      this.#calls.add(call);
    });
  }
}

/** An exception in this function ends the call with the status `internal`. */
function readUnary(bytes: Buffer): Uint8Array {
  demandFewFields(bytes, answerShape);
  return bytes;
}

/** The library deserializes stream events itself, so their fields are counted before that. */
function boundStreams(client: grpc.Client): void {
  const request = client.makeServerStreamRequest.bind(client);
  const bidirectional = client.makeBidiStreamRequest.bind(client);
  const bounded =
    <Message>(read: (bytes: Buffer) => Message) =>
    (bytes: Buffer): Message => {
      demandFewFields(bytes, deliverShape);
      return read(bytes);
    };
  client.makeServerStreamRequest = (method, write, read, ...rest: unknown[]) =>
    Reflect.apply(request, client, [method, write, bounded(read), ...rest]);
  client.makeBidiStreamRequest = (method, write, read, ...rest: unknown[]) =>
    Reflect.apply(bidirectional, client, [method, write, bounded(read), ...rest]);
}

/** With mutual TLS, peers accept block requests only with this binding (Fabric: common/deliver/binding.go). */
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

/** @param givenUp why this process last canceled an answer of the peer */
function peerErrorOf(
  error: grpc.ServiceError,
  place: Pick<PeerProperties, 'nodeId' | 'port'>,
  givenUp: string | undefined,
): PeerError {
  const connection = error.code === grpcCode.unavailable ? connectionOf(error, place, givenUp) : undefined;
  return new PeerError(error.code, error.details, detailsOf(error), error, connection);
}

function connectionOf(
  { details }: grpc.ServiceError,
  place: Pick<PeerProperties, 'nodeId' | 'port'>,
  givenUp: string | undefined,
) {
  if (givenUp !== undefined && details === 'Stream refused by server')
    return `Node ${place.nodeId} ${givenUp}`;
  const reason = explainConnectionFailure(details);
  return reason === undefined ? undefined : `${placeOf(place)}: ${reason}`;
}

/** Names a peer without its host. */
function placeOf({ nodeId, port }: Pick<PeerProperties, 'nodeId' | 'port'>): string {
  return `Node ${nodeId} (port ${port})`;
}

/**
 * Runs in a callback of the connection, where an exception that hostile input causes would end the process.
 */
function detailsOf({ metadata }: grpc.ServiceError): ErrorDetail[] {
  try {
    return metadata.get('grpc-status-details-bin').flatMap((value) => {
      const bytes = typeof value === 'string' ? Buffer.from(value, 'latin1') : value;
      demandFewFields(bytes, statusShape);
      return google.rpc.Status.deserializeBinary(bytes)
        .getDetailsList()
        .slice(0, mostDetails)
        .map((any) => gateway.ErrorDetail.deserializeBinary(any.getValue_asU8()))
        .map((one) => ({ address: one.getAddress(), mspId: one.getMspId(), message: one.getMessage() }));
    });
  } catch {
    // Omits the details: code and message suffice.
    return [];
  }
}

/** Returns the failure that ended an event stream. */
export function streamError(error: unknown): PeerError {
  if (error instanceof PeerError) return error;
  if (error instanceof Error) {
    const code = 'code' in error && typeof error.code === 'number' ? error.code : grpcCode.unknown;
    return new PeerError(code, error.message, [], error);
  }
  return new PeerError(grpcCode.unknown, 'The stream ended.');
}
