import { peer } from '@hyperledger/fabric-protos';
import { ChaincodeError } from './error.ts';
import { createRequests, type Requests } from './requests.ts';
import { type ChaincodeStream, openStream } from './stream.ts';
import type { ChaincodeConnection, ChaincodeResponse, Invocation } from './types.ts';

const { Type } = peer.ChaincodeMessage;

/** Which chaincode service to call, and how patiently. */
export interface ConnectOptions {
  /** The chaincode's name, for messages to people. */
  name: string;
  /** `host:port` of the service (chaincode-as-a-service, without TLS). */
  address: string;
  /** The service must call itself so (its `CHAINCODE_ID`); a peer refuses others. Absent: not checked. */
  packageId?: string;
  /** Milliseconds that one execution may take, nested calls included. Default 30,000, as on a peer. */
  timeoutMs?: number;
  /** Milliseconds within which the service must answer when it is dialled. Default 3,000. */
  dialTimeoutMs?: number;
}

type Reply = (answer: peer.ChaincodeMessage) => void;

/** A transaction that the chaincode works at. */
interface Execution {
  invocation: Invocation;
  requests: Requests;
  /** A request of the chaincode is being answered; it may send no other meanwhile. */
  answering: boolean;
  finish(outcome: ChaincodeResponse | ChaincodeError): void;
}

/**
 * The peer's end of a chaincode service. It dials at the first execution, and again at the first one after the stream
 * ended, so that a service may be started, and come back after a crash, at any time. Executions run side by side on
 * one stream.
 *
 * `execute` throws {@link ChaincodeError}, worded as a peer words it.
 */
export function connectChaincode(options: ConnectOptions): ChaincodeConnection {
  const { name, address, packageId, timeoutMs = 30_000, dialTimeoutMs = 3_000 } = options;
  const running = new Map<string, Execution>();
  let stream: Promise<ChaincodeStream> | undefined;
  let closed = false;

  /** The open stream, or a new one. */
  const open = (): Promise<ChaincodeStream> => {
    if (stream !== undefined) return stream;
    const fresh: Promise<ChaincodeStream> = openStream({
      ...{ address, name, timeoutMs: dialTimeoutMs },
      ...(packageId === undefined ? {} : { packageId }),
      onMessage: receive,
      onEnd() {
        if (stream === fresh) stream = undefined;
        for (const one of [...running.values()])
          one.finish(failure(one.invocation, 'ended', 'chaincode stream terminated'));
      },
    });
    stream = fresh;
    fresh.catch(() => {
      // Whoever executes hears of it. The next one dials again.
      if (stream === fresh) stream = undefined;
    });
    return fresh;
  };

  const receive = (message: peer.ChaincodeMessage, reply: Reply) => {
    const type = message.getType();
    if (type === Type.KEEPALIVE) return;
    const execution = running.get(keyOf(message.getChannelId(), message.getTxid()));
    if (type === Type.COMPLETED || type === Type.ERROR) execution?.finish(outcome(execution, message));
    else if (execution === undefined)
      // It was given up, and the chaincode has not noticed: it is told, so that it ends.
      reply(errorAnswer(message, `no ledger context for transaction ${message.getTxid()}: it has ended`));
    else if (execution.answering)
      execution.finish(
        failure(execution.invocation, 'failed', 'it sent a request while another one was being answered'),
      );
    else void answer(execution, message, reply);
  };

  const answer = async (execution: Execution, message: peer.ChaincodeMessage, reply: Reply) => {
    execution.answering = true;
    let given: peer.ChaincodeMessage;
    try {
      const payload = execution.requests.answer(message.getType(), message.getPayload_asU8());
      // Only a call of another chaincode takes time; all else is answered at once.
      given = answerTo(message, Type.RESPONSE, payload instanceof Promise ? await payload : payload);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      given = errorAnswer(message, why);
    }
    execution.answering = false;
    if (running.get(keyOf(message.getChannelId(), message.getTxid())) === execution) reply(given);
  };

  return {
    async execute(invocation) {
      if (closed) throw failure(invocation, 'closed', 'the connection to the chaincode is closed');
      const key = keyOf(invocation.channel, invocation.txId);
      const connection = await open().catch((cause: unknown) => {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw failure(invocation, 'unreachable', `could not launch chaincode ${packageId ?? name}: ${why}`);
      });
      if (closed) throw failure(invocation, 'closed', 'the connection to the chaincode was closed');
      // A chaincode that calls itself ends here too, as on a peer.
      if (running.has(key))
        throw failure(invocation, 'failed', `txid: ${invocation.txId}(${invocation.channel}) exists`);
      const message = call(invocation);
      const { promise, resolve, reject } = Promise.withResolvers<ChaincodeResponse>();
      const requests = createRequests(invocation);
      const timer = setTimeout(
        () => execution.finish(failure(invocation, 'timeout', 'timeout expired while executing transaction')),
        timeoutMs,
      );
      const execution: Execution = {
        ...{ invocation, requests, answering: false },
        finish(outcome) {
          clearTimeout(timer);
          if (running.get(key) === execution) running.delete(key);
          requests.close();
          if (outcome instanceof ChaincodeError) reject(outcome);
          else resolve(outcome);
        },
      };
      running.set(key, execution);
      connection.send(message);
      return await promise;
    },
    async close() {
      closed = true;
      for (const one of [...running.values()])
        one.finish(failure(one.invocation, 'closed', 'the connection to the chaincode was closed'));
      const last = stream;
      stream = undefined;
      await last?.then(
        (one) => one.close(),
        () => undefined,
      );
    },
  };

  function outcome(execution: Execution, message: peer.ChaincodeMessage): ChaincodeResponse | ChaincodeError {
    if (message.getType() === Type.ERROR)
      return failure(
        execution.invocation,
        'refused',
        `transaction returned with failure: ${Buffer.from(message.getPayload_asU8()).toString()}`,
      );
    const response = responseOf(message);
    if (response === undefined)
      return failure(execution.invocation, 'failed', 'failed to unmarshal the response');
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
}

/** A transaction is known by its channel and its id: one id may be at work on several channels. */
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

/** Nothing when the bytes are no response. */
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
