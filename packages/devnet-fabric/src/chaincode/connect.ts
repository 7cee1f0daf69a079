import { peer } from '@hyperledger/fabric-protos';
import { ChaincodeError } from './error.ts';
import { createRequests, type Requests } from './requests.ts';
import { type ChaincodeStream, openStream } from './stream.ts';
import type { ChaincodeConnection, ChaincodeResponse, Invocation } from './types.ts';

const { Type } = peer.ChaincodeMessage;

/** Address of a chaincode service, and timeouts. */
export interface ConnectOptions {
  /** The chaincode's name, for error messages. */
  name: string;
  /** `host:port` of the service (chaincode-as-a-service, without TLS). */
  address: string;
  /**
   * The package id with which the service must register (its `CHAINCODE_ID`); a peer rejects any other. If
   * absent, it is not checked.
   */
  packageId?: string;
  /** Timeout of one execution, including nested calls, in milliseconds. Default 30,000, as on a peer. */
  timeoutMs?: number;
  /** Timeout in milliseconds for the service to respond when it is dialed. Default 3,000. */
  dialTimeoutMs?: number;
}

type Reply = (answer: peer.ChaincodeMessage) => void;

/** A transaction that the chaincode is executing. */
interface Execution {
  invocation: Invocation;
  requests: Requests;
  /**
   * True while a request of the chaincode is being answered. The chaincode must not send another one during that time.
   */
  answering: boolean;
  finish(outcome: ChaincodeResponse | ChaincodeError): void;
}

/**
 * Creates the peer's side of a connection to a chaincode service. It dials on the first execution, and again on the
 * next execution after the stream has ended. So a service may start late, or restart after a crash. Executions
 * run concurrently on one stream.
 *
 * `execute` throws {@link ChaincodeError} with the message that a peer returns.
 */
export function connectChaincode(options: ConnectOptions): ChaincodeConnection {
  return new Connection(options);
}

/**
 * `#stream` is undefined until the first execution and after the stream has ended. `#running` contains the
 * executions that the chaincode has not completed.
 */
class Connection implements ChaincodeConnection {
  readonly #options: ConnectOptions;
  readonly #running = new Map<string, Execution>();
  #stream: Promise<ChaincodeStream> | undefined;
  #closed = false;

  constructor(options: ConnectOptions) {
    this.#options = options;
  }

  async execute(invocation: Invocation): Promise<ChaincodeResponse> {
    if (this.#closed) throw failure(invocation, 'closed', 'the connection to the chaincode is closed');
    const { name, packageId } = this.#options;
    const connection = await this.#open().catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw failure(invocation, 'unreachable', `could not launch chaincode ${packageId ?? name}: ${why}`);
    });
    if (this.#closed) throw failure(invocation, 'closed', 'the connection to the chaincode was closed');
    // A chaincode that calls itself also fails here, as on a peer.
    if (this.#running.has(keyOf(invocation.channel, invocation.txId)))
      throw failure(invocation, 'failed', `txid: ${invocation.txId}(${invocation.channel}) exists`);
    const message = call(invocation);
    const response = this.#begin(invocation);
    connection.send(message);
    return await response;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#finishAll('closed', 'the connection to the chaincode was closed');
    const last = this.#stream;
    this.#stream = undefined;
    await last?.then(
      (one) => one.close(),
      () => undefined,
    );
  }

  /** Returns the open stream, or opens a new one. */
  #open(): Promise<ChaincodeStream> {
    if (this.#stream !== undefined) return this.#stream;
    const { address, name, packageId, dialTimeoutMs = 3_000 } = this.#options;
    const fresh: Promise<ChaincodeStream> = openStream({
      address,
      name,
      timeoutMs: dialTimeoutMs,
      ...(packageId === undefined ? {} : { packageId }),
      onMessage: (message, reply) => this.#receive(message, reply),
      onEnd: () => {
        if (this.#stream === fresh) this.#stream = undefined;
        this.#finishAll('ended', 'chaincode stream terminated');
      },
    });
    this.#stream = fresh;
    fresh.catch(() => {
      // The caller of `execute` gets the error. The next execution dials again.
      if (this.#stream === fresh) this.#stream = undefined;
    });
    return fresh;
  }

  /** Registers an execution. The promise settles when it finishes. */
  #begin(invocation: Invocation): Promise<ChaincodeResponse> {
    const key = keyOf(invocation.channel, invocation.txId);
    const { promise, resolve, reject } = Promise.withResolvers<ChaincodeResponse>();
    const requests = createRequests(invocation);
    const timer = setTimeout(
      () => execution.finish(failure(invocation, 'timeout', 'timeout expired while executing transaction')),
      this.#options.timeoutMs ?? 30_000,
    );
    const execution: Execution = {
      invocation,
      requests,
      answering: false,
      finish: (outcome) => {
        clearTimeout(timer);
        if (this.#running.get(key) === execution) this.#running.delete(key);
        requests.close();
        if (outcome instanceof ChaincodeError) reject(outcome);
        else resolve(outcome);
      },
    };
    this.#running.set(key, execution);
    return promise;
  }

  #finishAll(reason: ChaincodeError['reason'], why: string): void {
    for (const one of [...this.#running.values()]) one.finish(failure(one.invocation, reason, why));
  }

  #receive(message: peer.ChaincodeMessage, reply: Reply): void {
    const type = message.getType();
    if (type === Type.KEEPALIVE) return;
    const execution = this.#running.get(keyOf(message.getChannelId(), message.getTxid()));
    if (type === Type.COMPLETED || type === Type.ERROR)
      execution?.finish(outcomeOf(execution.invocation, message));
    else if (execution === undefined)
      // The execution was abandoned, but the chaincode does not know this. The error ends its execution.
      reply(errorAnswer(message, `no ledger context for transaction ${message.getTxid()}: it has ended`));
    else if (execution.answering)
      execution.finish(
        failure(execution.invocation, 'failed', 'it sent a request while another one was being answered'),
      );
    else void this.#answer(execution, message, reply);
  }

  async #answer(execution: Execution, message: peer.ChaincodeMessage, reply: Reply): Promise<void> {
    execution.answering = true;
    let given: peer.ChaincodeMessage;
    try {
      const payload = execution.requests.answer(message.getType(), message.getPayload_asU8());
      // Only a call to another chaincode takes time. All other requests are answered immediately.
      given = answerTo(message, Type.RESPONSE, payload instanceof Promise ? await payload : payload);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      given = errorAnswer(message, why);
    }
    execution.answering = false;
    if (this.#running.get(keyOf(message.getChannelId(), message.getTxid())) === execution) reply(given);
  }
}

function outcomeOf(
  invocation: Invocation,
  message: peer.ChaincodeMessage,
): ChaincodeResponse | ChaincodeError {
  if (message.getType() === Type.ERROR)
    return failure(
      invocation,
      'refused',
      `transaction returned with failure: ${Buffer.from(message.getPayload_asU8()).toString()}`,
    );
  const response = responseOf(message);
  if (response === undefined) return failure(invocation, 'failed', 'failed to unmarshal the response');
  const event = message.getChaincodeEvent();
  return {
    status: response.getStatus(),
    message: response.getMessage(),
    payload: response.getPayload_asU8(),
    ...(event === undefined
      ? {}
      : { event: { name: event.getEventName(), payload: event.getPayload_asU8() } }),
  };
}

/** Returns the key of a transaction: channels may use the same transaction id. */
function keyOf(channel: string, txId: string): string {
  return `${channel} ${txId}`;
}

function call(invocation: Invocation): peer.ChaincodeMessage {
  const input = new peer.ChaincodeInput();
  input.setArgsList(invocation.input);
  input.setIsInit(invocation.isInit);
  const message = new peer.ChaincodeMessage();
  message.setType(invocation.isInit ? Type.INIT : Type.TRANSACTION);
  message.setPayload(input.serializeBinary());
  message.setTxid(invocation.txId);
  message.setChannelId(invocation.channel);
  message.setProposal(peer.SignedProposal.deserializeBinary(invocation.signedProposal));
  return message;
}

function failure(invocation: Invocation, reason: ChaincodeError['reason'], why: string): ChaincodeError {
  return new ChaincodeError(reason, invocation.txId, why);
}

/** Returns undefined if the bytes are not a response. */
function responseOf(message: peer.ChaincodeMessage): peer.Response | undefined {
  try {
    return peer.Response.deserializeBinary(message.getPayload_asU8());
  } catch {
    return undefined;
  }
}

function answerTo(
  request: peer.ChaincodeMessage,
  type: typeof Type.RESPONSE | typeof Type.ERROR,
  payload: Uint8Array,
): peer.ChaincodeMessage {
  const answer = new peer.ChaincodeMessage();
  answer.setType(type);
  answer.setPayload(payload);
  answer.setTxid(request.getTxid());
  answer.setChannelId(request.getChannelId());
  return answer;
}

function errorAnswer(request: peer.ChaincodeMessage, why: string): peer.ChaincodeMessage {
  const text = `${nameOf(request)} failed: transaction ID: ${request.getTxid()}: ${why}`;
  return answerTo(request, Type.ERROR, new TextEncoder().encode(text));
}

function nameOf(message: peer.ChaincodeMessage): string {
  const type = message.getType();
  return Object.entries(Type).find(([, value]) => value === type)?.[0] ?? String(type);
}
